package dev.muster.store.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.CompressionKind;
import dev.muster.core.CompressionUnavailableException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Goal: a library that does not work is named. Method: codecs that fail as the native parts of libraries do. */
class OptionalCodecTest {
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicInteger made = new AtomicInteger();
    private final OptionalCodec codec = new OptionalCodec(
            CompressionKind.ZSTD, "some.group:library", "some.library", String.class.getName(), () -> {
                made.incrementAndGet();
                return new FailingCodec(failure.get());
            });

    private record FailingCodec(Throwable failure) implements CompressionCodec {
        @Override
        public void compress(byte[] bytes, int from, int to, GrowingArray target) throws IOException {
            switch (failure) {
                case null -> target.write(bytes, from, to - from);
                case IOException e -> throw e;
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                default -> throw new AssertionError(failure);
            }
        }

        @Override
        public InputStream decompress(byte[] bytes, int from, int to, int max) {
            return new ByteArrayInputStream(bytes, from, to - from);
        }
    }

    @Test
    void anyFailureOfTheLibraryMakesTheCompressionUnavailable() {
        Error start = new NoClassDefFoundError("Could not initialize class");
        start.initCause(new ExceptionInInitializerError("native access is denied"));
        for (Throwable problem : List.of(
                new Error("native access is denied"),
                new UnsatisfiedLinkError("native access is denied"),
                new IllegalCallerException("native access is denied"),
                new IOException("native access is denied"),
                start)) {
            failure.set(problem);
            assertThatExceptionOfType(CompressionUnavailableException.class)
                    .isThrownBy(codec::get)
                    .withMessage(
                            "zstd compression is not available: some.group:library does not work here: native access"
                                    + " is denied")
                    .withCause(problem)
                    .satisfies(e -> assertThat(e.kind()).isEqualTo(CompressionKind.ZSTD));
        }
    }

    @Test
    void endOfMemoryIsNoFailureOfTheLibrary() {
        failure.set(new OutOfMemoryError());
        assertThatThrownBy(codec::get).isInstanceOf(OutOfMemoryError.class);
    }

    @Test
    void codecIsCreatedAgainAfterAFailure() {
        failure.set(new IOException("the disk is full"));
        assertThatThrownBy(codec::get).isInstanceOf(CompressionUnavailableException.class);
        failure.set(null);
        assertThat(codec.get()).isSameAs(codec.get());
        assertThat(made).hasValue(2);
    }
}
