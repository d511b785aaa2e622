package dev.muster.kafka.api.records;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.engine.partition.PartitionWriter;
import dev.muster.kafka.Batches;
import dev.muster.kafka.api.TopicDirectory;
import dev.muster.kafka.config.ServerConfig;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.memory.MemoryStore;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The wall clock of the server jumps. */
class JumpingClockTest {
    private Instant now = Instant.parse("2030-01-01T00:00:00Z");

    @ParameterizedTest
    @ValueSource(ints = {30, -30})
    void aRepeatedBatchIsRecognizedAfterTheJump(int days) {
        InstantSource jumping = () -> now;
        try (MemoryStore store = new MemoryStore()) {
            PartitionLog log = store.log(
                    store.create(new TopicName("orders"), 1, TopicSettings.DEFAULT)
                            .id(),
                    0);
            TopicDirectory topics = new TopicDirectory(store, ServerConfig.DEFAULT);
            try (RecordServices services =
                    new RecordServices(topics, jumping.withZone(ZoneOffset.UTC), 1 << 20, 1 << 20)) {
                PartitionWriter writer = services.writers().of(log);
                writer.append(batch(7));
                now = now.plus(Duration.ofDays(days));
                writer.append(batch(8));
                writer.keepNote();
                assertThat(writer.append(batch(7)).baseOffset()).isZero();
                assertThat(log.endOffset()).isEqualTo(2);
            }
        }
    }

    private static EncodedBatch batch(long producer) {
        ByteBuffer made = Batches.ofProducer(producer, 0, 0, "a").buffer();
        return new EncodedBatch(made.array(), made.arrayOffset() + made.position(), made.remaining());
    }
}
