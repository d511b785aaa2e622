package dev.muster.store.compression;

import dev.muster.core.CompressionKind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;

/** Compresses and decompresses with the streams of kafka-clients. */
final class KafkaStreams {
    private KafkaStreams() {}

    /** Compresses as a producer does. */
    static byte[] compress(CompressionKind kind, byte[] bytes) throws IOException {
        ByteBufferOutputStream compressed = new ByteBufferOutputStream(512);
        try (OutputStream out = compression(kind).wrapForOutput(compressed, RecordBatch.MAGIC_VALUE_V2)) {
            out.write(bytes);
        }
        ByteBuffer buffer = compressed.buffer().flip();
        return Arrays.copyOfRange(buffer.array(), buffer.arrayOffset(), buffer.arrayOffset() + buffer.limit());
    }

    /** Decompresses as a consumer does. */
    static byte[] decompress(CompressionKind kind, byte[] compressed) throws IOException {
        try (InputStream in = compression(kind)
                .wrapForInput(ByteBuffer.wrap(compressed), RecordBatch.MAGIC_VALUE_V2, BufferSupplier.NO_CACHING)) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            in.transferTo(bytes);
            return bytes.toByteArray();
        }
    }

    private static Compression compression(CompressionKind kind) {
        return Compression.of(CompressionType.forId(kind.id())).build();
    }
}
