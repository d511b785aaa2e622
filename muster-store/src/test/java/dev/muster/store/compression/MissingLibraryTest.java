package dev.muster.store.compression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.CompressionKind;
import dev.muster.core.MusterException;
import dev.muster.store.batch.BatchBuilder;
import dev.muster.store.batch.EncodedBatch;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: a missing library is named. Method: a class loader without this library and without kafka-clients. */
class MissingLibraryTest {
    private static final Map<CompressionKind, String> LIBRARIES = new EnumMap<>(Map.of(
            CompressionKind.SNAPPY, "org.xerial.snappy.Snappy",
            CompressionKind.LZ4, "net.jpountz.lz4.LZ4Factory",
            CompressionKind.ZSTD, "com.github.luben.zstd.Zstd"));

    @ParameterizedTest
    @CsvSource({"SNAPPY, org.xerial.snappy:snappy-java", "LZ4, at.yawk.lz4:lz4-java", "ZSTD, com.github.luben:zstd-jni"
    })
    void missingLibraryIsNamedAndTheOthersWork(CompressionKind missing, String coordinate) throws Exception {
        try (URLClassLoader loader = without(missing)) {
            for (CompressionKind kind : CompressionKind.values()) {
                for (String method : List.of("require", "compress", "stream")) {
                    if (kind == missing) {
                        Throwable failure = failure(loader, method, kind);
                        assertThat(failure.getClass().getSimpleName()).isEqualTo("CompressionUnavailableException");
                        assertThat(failure)
                                .hasMessage(
                                        kind + " compression is not available: its library is not on the class path");
                        assertThat(hint(failure)).contains("add the dependency " + coordinate);
                    } else if (!method.equals("stream") && kind != CompressionKind.NONE) {
                        assertThat(failure(loader, method, kind)).isNull();
                    }
                }
            }
        }
    }

    /** A reader must neither skip the batch nor take it for a damaged one. */
    @Test
    void readersNameTheMissingLibrary() throws Exception {
        BatchBuilder builder = new BatchBuilder(new byte[1_000], CompressionKind.ZSTD);
        builder.tryAppend(0, null, new byte[20], List.of());
        EncodedBatch batch = builder.finish(-1, (short) -1, -1);
        try (URLClassLoader loader = without(CompressionKind.ZSTD)) {
            Class<?> type = loader.loadClass("dev.muster.store.batch.BatchDecoder");
            Object decoder = type.getMethod("over", ByteBuffer.class)
                    .invoke(null, ByteBuffer.wrap(batch.array(), 0, batch.size()));
            assertThat(failure(() -> type.getMethod("next").invoke(decoder)))
                    .hasMessage("zstd compression is not available: its library is not on the class path");

            Class<?> check = loader.loadClass("dev.muster.store.batch.CompressedBatchCheck");
            Object instance = check.getConstructor().newInstance();
            java.util.function.LongConsumer ignored = value -> {};
            Method method = check.getMethod(
                    "check",
                    byte[].class,
                    int.class,
                    int.class,
                    java.util.function.LongConsumer.class,
                    java.util.function.LongConsumer.class);
            assertThat(failure(() -> method.invoke(instance, batch.array(), 0, 1 << 20, ignored, ignored)))
                    .hasMessage("zstd compression is not available: its library is not on the class path");
        }
    }

    private static Throwable failure(ClassLoader loader, String method, CompressionKind kind) throws Exception {
        Class<?> compression = loader.loadClass("dev.muster.store.compression.Compression");
        Class<?> kinds = loader.loadClass(CompressionKind.class.getName());
        Object other = kinds.getMethod("valueOf", String.class).invoke(null, kind.name());
        byte[] bytes = new byte[100];
        return failure(() -> switch (method) {
            case "require" -> compression.getMethod("require", kinds).invoke(null, other);
            case "compress" ->
                compression
                        .getMethod("compress", kinds, byte[].class, int.class, int.class, byte[].class, int.class)
                        .invoke(null, other, bytes, 0, 100, bytes, 0);
            default ->
                compression
                        .getMethod("stream", kinds, byte[].class, int.class, int.class, int.class)
                        .invoke(null, other, bytes, 0, 100, 100);
        });
    }

    private interface Call {
        Object run() throws ReflectiveOperationException;
    }

    private static Throwable failure(Call call) throws ReflectiveOperationException {
        try {
            call.run();
            return null;
        } catch (InvocationTargetException e) {
            return e.getCause();
        }
    }

    private static String hint(Throwable failure) throws ReflectiveOperationException {
        return failure.getClass().getMethod("hint").invoke(failure).toString();
    }

    private static URLClassLoader without(CompressionKind missing) throws ReflectiveOperationException {
        List<URL> places = new ArrayList<>(List.of(place(Compression.class), place(MusterException.class)));
        for (Map.Entry<CompressionKind, String> library : LIBRARIES.entrySet()) {
            if (library.getKey() != missing) {
                places.add(place(Class.forName(library.getValue(), false, MissingLibraryTest.class.getClassLoader())));
            }
        }
        return new URLClassLoader(places.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    private static URL place(Class<?> type) {
        URL place = type.getProtectionDomain().getCodeSource().getLocation();
        try {
            assertThat(place.toURI().getScheme()).isEqualTo("file");
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
        return place;
    }
}
