package dev.muster.store.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.CompressionKind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.kafka.common.record.TimestampType;

/** Goal: one format. Method: each codec reads what the other wrote, for every compression. */
class BatchCodecTest {
    @Property(tries = 300)
    void kafkaClientsReadWhatWeWrite(@ForAll("anyTime") List<LogRecord> records, @ForAll CompressionKind compression) {
        EncodedBatch batch = encode(records, compression);

        assertThat(KafkaCodec.decode(batch)).isEqualTo(records);
        assertThat(batch.recordCount()).isEqualTo(records.size());
        assertThat(batch.maxTimestamp())
                .isEqualTo(
                        records.stream().mapToLong(LogRecord::timestamp).max().orElseThrow());
    }

    @Property(tries = 300)
    void weReadWhatWeWrite(@ForAll("anyTime") List<LogRecord> records, @ForAll CompressionKind compression) {
        EncodedBatch batch = encode(records, compression);

        assertThat(decode(ByteBuffer.wrap(batch.array(), 0, batch.size()))).isEqualTo(records);
    }

    @Property(tries = 300)
    void weReadWhatKafkaClientsWrite(
            @ForAll("kafkaTime") List<LogRecord> records, @ForAll CompressionKind compression) {
        ByteBuffer batch = KafkaCodec.encode(records, compression, TimestampType.CREATE_TIME, 0);

        assertThat(decode(batch)).isEqualTo(records);
    }

    @Property(tries = 100)
    void uncompressedBytesAreTheSameOnesThatKafkaClientsWrite(@ForAll("kafkaTime") List<LogRecord> records) {
        EncodedBatch batch = encode(records, CompressionKind.NONE);
        // Kafka leaves the leader epoch at -1 where we leave 0; the log sets it anyway.
        BatchHeader.setLeaderEpoch(batch.array(), 0, -1);

        assertThat(ByteBuffer.wrap(batch.array(), 0, batch.size()))
                .isEqualTo(KafkaCodec.encode(records, CompressionKind.NONE, TimestampType.CREATE_TIME, 0));
    }

    @Property(tries = 50)
    void recordsOfABatchWithLogAppendTimeAllHaveItsTime(
            @ForAll("kafkaTime") List<LogRecord> records, @ForAll CompressionKind compression) {
        ByteBuffer batch = KafkaCodec.encode(records, compression, TimestampType.LOG_APPEND_TIME, 4711);

        assertThat(decode(batch)).hasSameSizeAs(records).allMatch(r -> r.timestamp() == 4711);
    }

    @Property(tries = 50)
    void theUpperBoundOfARecordIsOne(@ForAll("anyTime") List<LogRecord> records) {
        for (LogRecord r : records) {
            int bound = BatchBuilder.recordSizeMax(r.key(), r.value(), r.headers());
            assertThat(encode(List.of(r), CompressionKind.NONE).size()).isLessThanOrEqualTo(bound);
        }
    }

    @Provide
    Arbitrary<List<LogRecord>> anyTime() {
        return RecordArbitraries.records(RecordArbitraries.anyTimestamp());
    }

    @Provide
    Arbitrary<List<LogRecord>> kafkaTime() {
        return RecordArbitraries.records(RecordArbitraries.kafkaTimestamp());
    }

    private static EncodedBatch encode(List<LogRecord> records, CompressionKind compression) {
        BatchBuilder builder = new BatchBuilder(new byte[8 << 20], compression);
        for (LogRecord r : records) {
            assertThat(builder.tryAppend(r.timestamp(), r.key(), r.value(), r.headers()))
                    .isTrue();
        }
        return builder.finish(BatchHeader.NO_PRODUCER, (short) -1, -1);
    }

    private static List<LogRecord> decode(ByteBuffer batches) {
        BatchDecoder decoder = BatchDecoder.over(batches);
        List<LogRecord> records = new ArrayList<>();
        while (decoder.next()) {
            records.add(decoder.record());
        }
        return records;
    }
}
