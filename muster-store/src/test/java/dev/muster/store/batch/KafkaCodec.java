package dev.muster.store.batch;

import dev.muster.core.CompressionKind;
import dev.muster.core.Header;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.Utils;

/** Encodes and decodes batches with kafka-clients. */
final class KafkaCodec {
    private KafkaCodec() {}

    static ByteBuffer encode(
            List<LogRecord> records, CompressionKind compression, TimestampType type, long appendTime) {
        MemoryRecordsBuilder builder = MemoryRecords.builder(
                ByteBuffer.allocate(1 << 10),
                RecordBatch.CURRENT_MAGIC_VALUE,
                Compression.of(CompressionType.forId(compression.id())).build(),
                type,
                0,
                appendTime);
        for (LogRecord r : records) {
            RecordHeader[] headers = r.headers().stream()
                    .map(h -> new RecordHeader(h.key(), h.value()))
                    .toArray(RecordHeader[]::new);
            builder.append(r.timestamp(), r.key(), r.value(), headers);
        }
        return builder.build().buffer();
    }

    static List<LogRecord> decode(EncodedBatch batch) {
        List<LogRecord> records = new ArrayList<>();
        for (var kafkaBatch : MemoryRecords.readableRecords(ByteBuffer.wrap(batch.array(), 0, batch.size()))
                .batches()) {
            kafkaBatch.ensureValid();
            for (Record r : kafkaBatch) {
                List<Header> headers = Arrays.stream(r.headers())
                        .map(h -> new Header(h.key(), h.value()))
                        .toList();
                records.add(new LogRecord(r.offset(), r.timestamp(), array(r.key()), array(r.value()), headers));
            }
        }
        return records;
    }

    private static byte[] array(ByteBuffer bytes) {
        return bytes == null ? null : Utils.toArray(bytes);
    }
}
