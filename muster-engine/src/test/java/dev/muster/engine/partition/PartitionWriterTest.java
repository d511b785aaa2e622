package dev.muster.engine.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.engine.partition.RefusedBatchException.Reason;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.memory.MemoryStore;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PartitionWriterTest {
    private final MemoryStore store = new MemoryStore();
    private final PartitionLog log = store.log(
            store.create(new TopicName("orders"), 1, TopicSettings.DEFAULT).id(), 0);
    private final List<Long> readFrom = new ArrayList<>();
    /** The monotonic clock. */
    private long now = Duration.ofDays(3).toNanos();

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void aNewWriterKnowsTheBatchesOfTheOldOne() {
        PartitionWriter first = writer();
        first.append(batch(7, 0, "a", "b"));
        first.append(batch(7, 2, "c"));
        PartitionWriter second = writer();
        assertThat(second.append(batch(7, 2, "c"))).isEqualTo(new AppendResult(2, 3, 1_000));
        assertThat(second.append(batch(7, 3, "d")).baseOffset()).isEqualTo(3);
        assertThatThrownBy(() -> second.append(batch(7, 9, "e")))
                .isInstanceOfSatisfying(
                        RefusedBatchException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.OUT_OF_ORDER_SEQUENCE));
        assertThat(log.endOffset()).isEqualTo(4);
    }

    @Test
    void aNoteSavesReadingTheLogAgain() {
        PartitionWriter first = writer();
        for (int i = 0; i < 10; i++) {
            first.append(batch(7, i, "value " + i));
        }
        first.keepNote();
        first.append(batch(7, 10, "last"));
        readFrom.clear();
        PartitionWriter second = writer();
        assertThat(second.append(batch(7, 8, "value 8")).baseOffset()).isEqualTo(8);
        assertThat(second.append(batch(7, 10, "last")).baseOffset()).isEqualTo(10);
        assertThat(readFrom).containsExactly(10L);
    }

    @Test
    void aDamagedNoteOrOneOfAnotherLogIsIgnored() {
        PartitionWriter first = writer();
        first.append(batch(7, 0, "a"));
        first.append(batch(7, 1, "b"));
        first.keepNote();
        byte[] good = log.note("producers").orElseThrow();
        for (int at = 0; at < good.length; at++) {
            byte[] bad = good.clone();
            bad[at] ^= 0x40;
            log.keepNote("producers", bad);
            readFrom.clear();
            assertThat(writer().append(batch(7, 1, "b")).baseOffset()).isEqualTo(1);
            assertThat(readFrom).as("byte %d", at).containsExactly(0L);
        }
        log.keepNote("producers", new byte[3]);
        assertThat(writer().append(batch(7, 1, "b")).baseOffset()).isEqualTo(1);
    }

    @Test
    void afterAnInvalidationProducerStatesAreReadAgain() {
        PartitionWriter writer = writer();
        writer.append(batch(7, 0, "a"));
        writer.invalidate();
        readFrom.clear();
        assertThat(writer.append(batch(7, 0, "a")).baseOffset()).isZero();
        assertThat(readFrom).containsExactly(0L);
    }

    @Test
    void aProducerOfOldRecordsIsNotForgottenWhileItWrites() {
        PartitionWriter writer = writer();
        writer.append(batch(7, 0, "of 1970"));
        writer.keepNote();
        assertThat(writer.append(batch(7, 0, "of 1970"))).isEqualTo(new AppendResult(0, 1, 1_000));
        assertThat(log.endOffset()).isEqualTo(1);
    }

    @Test
    void aProducerSilentForADayIsForgotten() {
        PartitionWriter writer = writer();
        writer.append(batch(7, 0, "a"));
        now += Duration.ofDays(1).toNanos();
        writer.append(batch(8, 0, "b"));
        writer.keepNote();
        assertThat(writer.append(batch(7, 0, "a")).baseOffset()).as("not yet").isZero();
        now++;
        writer.append(batch(8, 1, "c"));
        writer.keepNote();
        assertThat(writer.append(batch(7, 0, "a")).baseOffset())
                .as("any sequence will do")
                .isEqualTo(3);
    }

    @Test
    void afterInvalidationTheOldNoteIsNotUsed() {
        PartitionWriter writer = writer();
        writer.append(batch(7, 0, "a"));
        writer.keepNote();
        writer.invalidate();
        readFrom.clear();
        writer.append(batch(7, 1, "b"));
        assertThat(readFrom).containsExactly(0L);
        readFrom.clear();
        assertThat(writer().append(batch(7, 1, "b")).baseOffset()).isEqualTo(1);
        assertThat(readFrom).as("nor by whoever comes after").containsExactly(0L);
        writer.keepNote();
        readFrom.clear();
        assertThat(writer().append(batch(7, 1, "b")).baseOffset()).isEqualTo(1);
        assertThat(readFrom).as("a new note").containsExactly(2L);
    }

    @Test
    void batchesWithoutAProducerIdAreNotTracked() {
        PartitionWriter writer = writer();
        ByteBuffer plain = ClientBatches.of("a").buffer();
        assertThat(writer.append(new EncodedBatch(plain.array(), plain.limit())).baseOffset())
                .isZero();
        assertThat(readFrom).isEmpty();
    }

    /** The note was written before the sync of its last batch, and the file of that batch was removed. */
    @Test
    void theNoteOfAReplacedLogIsIgnored() {
        AtomicBoolean replaced = new AtomicBoolean();
        PartitionLog before = seen((method, arguments) ->
                method.getName().equals("isReplaced") ? replaced.get() : method.invoke(log, arguments));
        PartitionWriters writers = new PartitionWriters(() -> now, true);
        writers.of(before).append(batch(7, 0, "a"));
        writers.of(before).keepNote();
        PartitionLog other = store.log(
                store.create(new TopicName("other"), 1, TopicSettings.DEFAULT).id(), 0);
        other.keepNote("producers", log.note("producers").orElseThrow());
        other.append(batch(8, 0, "b"));
        PartitionLog next =
                seen((method, arguments) -> method.invoke(method.getName().equals("topic") ? log : other, arguments));
        replaced.set(true);
        assertThat(writers.of(next).append(batch(7, 0, "a")).baseOffset()).isEqualTo(1);
        assertThat(writers.of(next)).isSameAs(writers.of(next)).isNotSameAs(writers.of(before));
        assertThat(other.note("producers"))
                .as("for later servers")
                .hasValueSatisfying(note -> assertThat(note).isEmpty());
    }

    private interface Call {
        Object of(Method method, Object[] arguments) throws ReflectiveOperationException;
    }

    private static PartitionLog seen(Call call) {
        return (PartitionLog) Proxy.newProxyInstance(
                PartitionLog.class.getClassLoader(),
                new Class<?>[] {PartitionLog.class},
                (proxy, method, arguments) -> {
                    method.setAccessible(true);
                    return switch (method.getName()) {
                        case "equals" -> proxy == arguments[0];
                        case "hashCode" -> System.identityHashCode(proxy);
                        default -> call.of(method, arguments);
                    };
                });
    }

    private static EncodedBatch batch(long producer, int sequence, String... values) {
        ByteBuffer made =
                ClientBatches.ofProducer(producer, 0, sequence, values).buffer();
        return new EncodedBatch(made.array(), made.arrayOffset() + made.position(), made.remaining());
    }

    /** A writer whose reads of the log are counted. */
    private PartitionWriter writer() {
        PartitionLog read = seen((method, arguments) -> {
            if (method.getName().equals("reader")) {
                readFrom.add((Long) arguments[0]);
            }
            return method.invoke(log, arguments);
        });
        return new PartitionWriter(read, () -> now, true);
    }
}
