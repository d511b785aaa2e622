package dev.muster.store.compression;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The native libraries of zstd, snappy and lz4 in the temporary folder. Each library unpacks itself there, and deletes
 * the file when the process ends in order. So a killed process would leave megabytes behind. On Linux the file is not
 * needed once the process has mapped it, and can be deleted at once.
 */
final class TemporaryLibraries {
    private static final System.Logger LOG = System.getLogger(TemporaryLibraries.class.getName());
    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final Pattern UNPACKED =
            Pattern.compile("(libzstd-jni-|snappy-.*libsnappyjava|liblz4-java-).*\\.so");
    private static final List<String> FOLDERS =
            List.of("java.io.tmpdir", "ZstdTempFolder", "org.xerial.snappy.tempdir");

    private TemporaryLibraries() {}

    /** Deletes the files of the libraries that this process has mapped. */
    static void delete() {
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
        } catch (IOException | UncheckedIOException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "an unpacked library stays in the temporary folder: {0}",
                    e.getMessage());
        }
    }

    /** Adds the real path of a folder: the system states the paths of mapped files without symbolic links. */
    private static void addReal(String folder, Set<Path> folders) {
        try {
            if (folder != null) {
                folders.add(Path.of(folder).toRealPath());
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "no library was unpacked there: {0}", e.getMessage());
        }
    }
}
