package dev.muster.engine.produce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.engine.produce.SendBuffer.Added;
import dev.muster.engine.runtime.EngineRuntime;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SendBufferTest {
    private static final int SIZE = 1000;
    private static final SendOptions OPTIONS =
            SendOptions.DEFAULT.withBatchBytes(1024).withBufferBytes(4096);

    private final SendBuffer<String> buffer = new SendBuffer<>(OPTIONS, EngineRuntime.system());
    private final TopicQueues<String> topic = new TopicQueues<>(
            new Topic(
                    new TopicName("orders"),
                    new TopicId(new UUID(1, 2)),
                    1,
                    TopicSettings.DEFAULT,
                    Instant.ofEpochSecond(0)),
            OPTIONS,
            0);

    private Added add() {
        return buffer.addToNew(topic, new SendFuture<>(null, 0), 0, null, new byte[SIZE - 200], List.of(), 1, SIZE);
    }

    private void fill() {
        Added added = add();
        while (added == Added.OPENED) {
            added = add();
        }
        assertThat(added).isEqualTo(Added.NO_ROOM);
    }

    /** Frees all memory. Then no later release can wake a waiting thread. */
    private void free() {
        buffer.take(Thread.currentThread()).forEach(buffer::release);
    }

    @Test
    void memoryFreedBeforeTheWaitEndsTheWaitAtOnce() throws InterruptedException {
        fill();
        free();
        long nanos = TimeUnit.SECONDS.toNanos(30);
        assertThat(buffer.awaitRoom(topic, SIZE, nanos)).isEqualTo(nanos);
        assertThat(add()).isEqualTo(Added.OPENED);
    }

    @Test
    void aFullBufferWaitsForTheWholeTimeout() throws InterruptedException {
        fill();
        assertThat(buffer.awaitRoom(topic, SIZE, 1_000_000)).isNotPositive();
    }
}
