package dev.muster.store.compression;

import dev.muster.core.CompressionKind;
import dev.muster.core.CompressionUnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A codec whose library is an optional dependency. The codec is made when it is first used; a missing library is named
 * in the error. Safe for many threads.
 */
final class OptionalCodec {
    private static final byte[] SAMPLE = new byte[64];

    private final CompressionKind kind;
    private final String coordinate;
    private final String module;
    private final String type;
    private final Supplier<CompressionCodec> constructor;
    private final ReentrantLock loading = new ReentrantLock();
    private volatile CompressionCodec codec;

    /**
     * @param coordinate the Maven coordinate of the library, without a version
     * @param module the name that the library has on the module path
     * @param type the name of a class of the library that the codec needs
     * @param constructor the constructor of the codec, called once the library was found
     */
    OptionalCodec(
            CompressionKind kind,
            String coordinate,
            String module,
            String type,
            Supplier<CompressionCodec> constructor) {
        this.kind = kind;
        this.coordinate = coordinate;
        this.module = module;
        this.type = type;
        this.constructor = constructor;
    }

    /**
     * The codec, whose library works.
     *
     * @throws CompressionUnavailableException if the library is missing or does not work here
     */
    CompressionCodec get() {
        CompressionCodec ready = codec;
        return ready == null ? load() : ready;
    }

    /**
     * Checks that the library is there, without loading its native part.
     *
     * @throws CompressionUnavailableException if the library is missing
     */
    void require() {
        Module ours = OptionalCodec.class.getModule();
        try {
            Class<?> found = Class.forName(type, false, OptionalCodec.class.getClassLoader());
            // A library on the class path is in no module that the descriptor of ours could name.
            ours.addReads(found.getModule());
        } catch (ClassNotFoundException e) {
            String hint = "add the dependency " + coordinate + "; muster-bom has its version";
            throw ours.isNamed()
                    ? new CompressionUnavailableException(
                            kind,
                            "its library is neither a module of this program nor on its class path",
                            hint + ". To make it a module of the program, write \"requires " + module
                                    + "\" into module-info.java, or start Java with --add-modules " + module,
                            e)
                    : new CompressionUnavailableException(kind, "its library is not on the class path", hint, e);
        }
    }

    private CompressionCodec load() {
        loading.lock();
        try {
            if (codec == null) {
                require();
                CompressionCodec made = constructor.get();
                loadNativePart(made);
                TemporaryLibraries.delete();
                codec = made;
            }
            return codec;
        } catch (CompressionUnavailableException | VirtualMachineError e) {
            throw e;
        } catch (IOException | RuntimeException | Error e) {
            // A library without its native part throws errors of any type.
            throw new CompressionUnavailableException(
                    kind,
                    coordinate + " does not work here: " + problem(e),
                    "the library unpacks native code into the folder java.io.tmpdir and loads it:"
                            + " see whether the system and the Java options allow both",
                    e);
        } finally {
            loading.unlock();
        }
    }

    /** Compresses and decompresses a few bytes: each library loads its native part at a moment of its own. */
    private static void loadNativePart(CompressionCodec codec) throws IOException {
        GrowingArray compressed = new GrowingArray(new byte[SAMPLE.length * 4], 0);
        codec.compress(SAMPLE, 0, SAMPLE.length, compressed);
        try (InputStream in = codec.decompress(compressed.array(), 0, compressed.end(), SAMPLE.length)) {
            in.readNBytes(SAMPLE.length);
        }
    }

    /** The message of the first cause: after a failed start of a class, later errors only name the class. */
    private static String problem(Throwable failure) {
        Throwable first = failure;
        while (first.getCause() != null) {
            first = first.getCause();
        }
        return first.getMessage() == null ? first.toString() : first.getMessage();
    }
}
