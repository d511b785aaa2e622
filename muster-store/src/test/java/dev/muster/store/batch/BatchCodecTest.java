package dev.muster.store.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.CompressionKind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

/** Goal: one format. Method: each codec reads the batches of the other, for every compression. */
class BatchCodecTest {
    private static final long SEED = Long.getLong("muster.seed", new Random().nextLong());

    static {
        System.out.println("BatchCodecTest: -Dmuster.seed=" + SEED);
    }

    private final Random random = new Random(SEED);
    private final RandomRecords some = new RandomRecords(random);

    private CompressionKind anyCompression() {
        CompressionKind[] all = CompressionKind.values();
        return all[random.nextInt(all.length)];
    }

    @Test
    void kafkaClientsReadOurBatches() {
        for (int i = 0; i < 300; i++) {
            List<LogRecord> records = some.anyTime();
            EncodedBatch batch = encode(records, anyCompression());

            assertThat(KafkaCodec.decode(batch)).isEqualTo(records);
            assertThat(batch.recordCount()).isEqualTo(records.size());
            assertThat(batch.maxTimestamp())
                    .isEqualTo(records.stream()
                            .mapToLong(LogRecord::timestamp)
                            .max()
                            .orElseThrow());
        }
    }

    @Test
    void weReadOurBatches() {
        for (int i = 0; i < 300; i++) {
            List<LogRecord> records = some.anyTime();
            EncodedBatch batch = encode(records, anyCompression());

            assertThat(decode(ByteBuffer.wrap(batch.array(), 0, batch.size()))).isEqualTo(records);
        }
    }

    @Test
    void weReadTheBatchesOfKafkaClients() {
        for (int i = 0; i < 300; i++) {
            List<LogRecord> records = some.kafkaTime();
            ByteBuffer batch = KafkaCodec.encode(records, anyCompression(), TimestampType.CREATE_TIME, 0);

            assertThat(decode(batch)).isEqualTo(records);
        }
    }

    @Test
    void uncompressedBatchesEqualThoseOfKafkaClients() {
        for (int i = 0; i < 100; i++) {
            List<LogRecord> records = some.kafkaTime();
            EncodedBatch batch = encode(records, CompressionKind.NONE);
            // The builder of kafka-clients writes -1 for the leader epoch, and ours 0; the log sets it.
            BatchHeader.setLeaderEpoch(batch.array(), 0, -1);

            assertThat(ByteBuffer.wrap(batch.array(), 0, batch.size()))
                    .isEqualTo(KafkaCodec.encode(records, CompressionKind.NONE, TimestampType.CREATE_TIME, 0));
        }
    }

    @Test
    void recordsOfABatchWithLogAppendTimeHaveItsTime() {
        for (int i = 0; i < 50; i++) {
            List<LogRecord> records = some.kafkaTime();
            ByteBuffer batch = KafkaCodec.encode(records, anyCompression(), TimestampType.LOG_APPEND_TIME, 4711);

            assertThat(decode(batch)).hasSameSizeAs(records).allMatch(r -> r.timestamp() == 4711);
        }
    }

    @Test
    void recordSizeMaxIsAtLeastTheSizeOfTheBatch() {
        for (int i = 0; i < 50; i++) {
            for (LogRecord r : some.anyTime()) {
                int bound = BatchBuilder.recordSizeMax(r.key(), r.value(), r.headers());
                assertThat(encode(List.of(r), CompressionKind.NONE).size()).isLessThanOrEqualTo(bound);
            }
        }
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
