package dev.muster.store.batch;

import dev.muster.core.CompressionKind;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;

/**
 * The native libraries of zstd, snappy and lz4. Each unpacks itself into the temporary folder and deletes the file when
 * the process ends in order, so a killed process leaves megabytes behind. On Linux the file is not needed once the
 * process has mapped it: it is deleted at once. Safe for many threads.
 */
final class CodecLibraries {
    private static final System.Logger LOG = System.getLogger(CodecLibraries.class.getName());
    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final Pattern UNPACKED =
            Pattern.compile("(libzstd-jni-|snappy-.*libsnappyjava|liblz4-java-).*\\.so");
    private static final List<String> FOLDERS =
            List.of("java.io.tmpdir", "ZstdTempFolder", "org.xerial.snappy.tempdir");
    private static final byte[] SAMPLE = new byte[64];

    private static final Set<CompressionKind> LOADED = EnumSet.of(CompressionKind.NONE, CompressionKind.GZIP);
    private static volatile boolean allLoaded;

    private CodecLibraries() {}

    /** Loads the library of a compression, when it is used first, and deletes the file that it came from. */
    static void ready(CompressionKind kind, Compression compression) throws IOException {
        if (allLoaded) {
            return;
        }
        synchronized (LOADED) {
            if (LOADED.contains(kind)) {
                return;
            }
            load(compression);
            deleteUnpacked();
            LOADED.add(kind);
            allLoaded = LOADED.size() == CompressionKind.values().length;
        }
    }

    /** Packs and unpacks a few bytes: each library loads its native part at a moment of its own. */
    private static void load(Compression compression) throws IOException {
        ByteBufferOutputStream packed = new ByteBufferOutputStream(ByteBuffer.allocate(SAMPLE.length * 4));
        try (OutputStream out = compression.wrapForOutput(packed, BatchHeader.MAGIC)) {
            out.write(SAMPLE);
        }
        ByteBuffer bytes = packed.buffer().flip();
        try (InputStream in = compression.wrapForInput(bytes, BatchHeader.MAGIC, BufferSupplier.NO_CACHING)) {
            in.readNBytes(SAMPLE.length);
        }
    }

    /** The system tells the paths of mapped files without symbolic links. */
    private static void addReal(String folder, Set<Path> folders) {
        try {
            if (folder != null) {
                folders.add(Path.of(folder).toRealPath());
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "no library was unpacked there: {0}", e.getMessage());
        }
    }

    private static void deleteUnpacked() {
        if (!Files.isReadable(MAPS)) {
            return;
        }
        Set<Path> folders = new HashSet<>();
        for (String property : FOLDERS) {
            addReal(System.getProperty(property), folders);
        }
        try (Stream<String> lines = Files.lines(MAPS)) {
            for (String line : lines.filter(line -> line.indexOf('/') >= 0).toList()) {
                Path file = Path.of(line.substring(line.indexOf('/')));
                boolean temporary = folders.contains(file.getParent())
                        && UNPACKED.matcher(file.getFileName().toString()).matches();
                if (temporary && Files.deleteIfExists(file)) {
                    Files.deleteIfExists(file.resolveSibling(file.getFileName() + ".lck"));
                }
            }
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "an unpacked library stays in the temporary folder: {0}",
                    e.getMessage());
        }
    }
}
