package dev.muster.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.TopicPartition;
import dev.muster.embedded.internal.OpenMuster;
import dev.muster.store.DamagedLogException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.StoreClosedException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.memory.MemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ReaderTest {
    private static final Duration LONG = Duration.ofSeconds(50);

    private final DamagedStore store = new DamagedStore(new MemoryStore());
    private final OpenMuster muster = OpenMuster.over(store.asLogStore());

    @AfterEach
    void close() {
        muster.close();
    }

    private void fill(String topic, int partitions, int records) {
        muster.topics().create(topic, partitions);
        try (Producer<byte[], String> producer = muster.producer(topic, Codec.BYTES, Codec.STRING)) {
            for (int i = 0; i < records; i++) {
                for (int partition = 0; partition < partitions; partition++) {
                    Message<byte[], String> message = Message.of("v" + i);
                    producer.send(message.withPartition(partition).withTimestamp(Instant.ofEpochMilli(1000 + i)));
                }
            }
        }
    }

    private ReaderBuilder<byte[], String> values(String... topics) {
        return muster.reader(topics).values(Codec.STRING);
    }

    private static List<String> poll(Reader<?, String> reader) {
        return reader.poll(Duration.ZERO).stream().map(Received::value).toList();
    }

    @Test
    void everyKindOfStartBeginsAtItsPlace() {
        fill("orders", 1, 10);
        assertThat(poll(values("orders").open())).hasSize(10);
        assertThat(poll(values("orders").from(Start.latest()).open())).isEmpty();
        assertThat(poll(values("orders").from(Start.offset(8)).open())).containsExactly("v8", "v9");
        assertThat(poll(values("orders").from(Start.offset(-3)).open())).containsExactly("v7", "v8", "v9");
        assertThat(poll(values("orders").from(Start.offset(-300)).open())).hasSize(10);
        assertThat(poll(values("orders")
                        .from(Start.time(Instant.ofEpochMilli(1009)))
                        .open()))
                .containsExactly("v9");
        assertThat(poll(values("orders")
                        .from(Start.time(Instant.ofEpochMilli(2000)))
                        .open()))
                .isEmpty();
    }

    @Test
    void seekMovesTheReader() {
        fill("orders", 2, 10);
        TopicPartition second = TopicPartition.of("orders", 1);
        try (Reader<byte[], String> reader = values("orders").open()) {
            reader.seekToEnd();
            assertThat(reader.atEnd()).isTrue();
            assertThat(poll(reader)).isEmpty();
            reader.seek(1, 9);
            assertThat(reader.atEnd()).isFalse();
            assertThat(poll(reader)).containsExactly("v9");
            reader.seek(second, 8);
            assertThat(reader.positions()).containsEntry(second, 8L);
            assertThat(poll(reader)).containsExactly("v8", "v9");
            reader.seek(Instant.ofEpochMilli(1009));
            assertThat(poll(reader)).containsExactly("v9", "v9");
            reader.seekToStart();
            assertThat(poll(reader)).hasSize(20);
            assertThatThrownBy(() -> reader.seek(7, 0)).isInstanceOf(TopicNotFoundException.class);
            assertThatThrownBy(() -> reader.seek(0, -1)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void oneReaderReadsSeveralTopics() {
        fill("a", 2, 3);
        fill("b", 1, 3);
        try (Reader<byte[], String> reader = values("a", "b").maxRecords(2).open()) {
            List<String> topics = new ArrayList<>();
            while (!reader.atEnd()) {
                List<Received<byte[], String>> records = reader.poll(Duration.ZERO);
                assertThat(records).hasSizeLessThanOrEqualTo(2);
                records.forEach(r -> topics.add(r.topic()));
            }
            assertThat(topics).hasSize(9).filteredOn("b"::equals).hasSize(3);
            assertThatThrownBy(() -> reader.seek(0, 0)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aWaitingPollReturnsWhenARecordArrives() throws Exception {
        muster.topics().create("orders", 4);
        Thread self = Thread.currentThread();
        try (Reader<byte[], String> reader = values("orders").open();
                Producer<byte[], String> producer = muster.producer("orders", Codec.BYTES, Codec.STRING)) {
            Thread writer = onceWaiting(self, () -> producer.send("late").join());
            assertThat(reader.poll(LONG)).extracting(Received::value).containsExactly("late");
            writer.join();
        }
    }

    @Test
    void aWaitingPollReturnsWhenAnotherThreadCloses() throws Exception {
        muster.topics().create("orders", 1);
        Reader<byte[], String> reader = values("orders").open();
        Thread closer = onceWaiting(Thread.currentThread(), reader::close);
        assertThat(reader.poll(LONG)).isEmpty();
        closer.join();
        assertThatThrownBy(() -> reader.poll(LONG))
                .isInstanceOf(StoreClosedException.class)
                .hasMessageContaining("the reader of orders");
        reader.close();
    }

    @Test
    void aWakeupEndsOnlyOneWait() throws Exception {
        muster.topics().create("orders", 1);
        try (Reader<byte[], String> reader = values("orders").open()) {
            Thread waker = onceWaiting(Thread.currentThread(), reader::wakeup);
            assertThat(reader.poll(LONG)).isEmpty();
            waker.join();
            long start = System.nanoTime();
            assertThat(reader.poll(Duration.ofMillis(30))).isEmpty();
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(30));
        }
    }

    @Test
    void aSecondThreadIsRefusedWithBothNames() throws Exception {
        muster.topics().create("orders", 1);
        try (Reader<byte[], String> reader = values("orders").open()) {
            CompletableFuture<Throwable> refusal = new CompletableFuture<>();
            Thread.currentThread().setName("first");
            Thread second = onceWaiting(Thread.currentThread(), () -> {
                try {
                    reader.atEnd();
                    refusal.complete(null);
                } catch (IllegalStateException e) {
                    refusal.complete(e);
                }
                reader.wakeup();
            });
            reader.poll(LONG);
            second.join();
            assertThat(refusal.join()).hasMessageContaining("\"first\"").hasMessageContaining("\"second\"");
            reader.atEnd();
        }
    }

    @Test
    void damageStopsTheReaderOrIsSkippedAsChosen() {
        fill("orders", 1, 3);
        store.damage(0, 2);
        try (Reader<byte[], String> reader = values("orders").open()) {
            assertThatThrownBy(() -> poll(reader)).isInstanceOf(DamagedLogException.class);
            assertThatThrownBy(() -> poll(reader)).isInstanceOf(DamagedLogException.class);
            assertThat(reader.positions().values()).containsExactly(0L);
            reader.seek(0, 2);
            assertThat(poll(reader)).containsExactly("v2");
        }
        List<DamagedLogException> heard = new ArrayList<>();
        try (Reader<byte[], String> reader =
                values("orders").onDamage(OnDamage.SKIP, heard::add).open()) {
            assertThat(poll(reader)).containsExactly("v2");
            assertThat(heard).hasSize(1);
        }
    }

    @Test
    void outOfRangeThrowsOrContinuesAsChosen() {
        fill("orders", 1, 10);
        muster.topics().trim("orders", 0, 8);
        ReaderBuilder<byte[], String> gone = values("orders").from(Start.offset(2));
        assertThatThrownBy(() -> poll(gone.open())).isInstanceOf(OffsetOutOfRangeException.class);
        assertThat(poll(gone.onOutOfRange(OnOutOfRange.EARLIEST).open())).containsExactly("v8", "v9");
        assertThat(poll(gone.onOutOfRange(OnOutOfRange.LATEST).open())).isEmpty();
    }

    @Test
    void anUndecodableRecordIsNamedAndNotPassed() {
        muster.topics().create("numbers", 1);
        try (Producer<byte[], byte[]> producer = muster.producer("numbers").open()) {
            producer.send(Codec.LONG.encode(7L));
            producer.send(new byte[3]);
            producer.send(Codec.LONG.encode(9L));
        }
        try (Reader<byte[], Long> reader = muster.reader("numbers", Codec.BYTES, Codec.LONG)) {
            assertThat(reader.poll(Duration.ZERO)).extracting(Received::value).containsExactly(7L);
            assertThatThrownBy(() -> reader.poll(Duration.ZERO))
                    .isInstanceOfSatisfying(UndecodableRecordException.class, e -> {
                        assertThat(e.offset()).isEqualTo(1);
                        assertThat(e).hasMessageContaining("value of numbers-0@1");
                    });
            reader.seek(0, 2);
            assertThat(reader.poll(Duration.ZERO)).extracting(Received::value).containsExactly(9L);
        }
    }

    private static Thread onceWaiting(Thread waiter, Runnable action) {
        return Thread.ofPlatform().name("second").start(() -> {
            while (waiter.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            action.run();
        });
    }
}
