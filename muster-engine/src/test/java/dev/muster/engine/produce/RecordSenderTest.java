package dev.muster.engine.produce;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.BufferFullException;
import dev.muster.core.DeliveryTimeoutException;
import dev.muster.core.InterruptedWaitException;
import dev.muster.core.KeyRouting;
import dev.muster.core.MusterException;
import dev.muster.core.SyncLevel;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.engine.StagedStore;
import dev.muster.engine.StagedStore.Append;
import dev.muster.engine.StagedStore.Barrier;
import dev.muster.engine.runtime.EngineRuntime;
import dev.muster.store.DiskFullException;
import dev.muster.store.LogReplacedException;
import dev.muster.store.RecordTimestampException;
import dev.muster.store.RecordTooLargeException;
import dev.muster.store.StoreClosedException;
import dev.muster.store.StoreIoException;
import dev.muster.store.SyncFailedException;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RecordSenderTest {
    /** A timeout that is meant to expire. */
    private static final Duration SHORT = Duration.ofSeconds(1);

    private static final TopicName TOPIC = new TopicName("orders");
    private static final SendOptions SMALL =
            SendOptions.DEFAULT.withBatchBytes(1024).withBufferBytes(4096);

    private record Where(int partition, long offset, long timestamp) {}

    private final StagedStore store = new StagedStore();
    private final List<Barrier> barriers = new ArrayList<>();
    private RecordSender<Where> sender;

    @AfterEach
    void letGo() {
        barriers.forEach(Barrier::open);
        if (sender != null) {
            sender.close();
        }
        store.close();
    }

    private void open(int partitions, SendOptions options) {
        open(partitions, options, RecordSender.tickNanos(options));
    }

    /** Opens a sender in which consecutive records share a batch on a slow machine too. */
    private void openUnhurried(int partitions, SendOptions options) {
        open(partitions, options, TimeUnit.DAYS.toNanos(1));
    }

    private void open(int partitions, SendOptions options, long tickNanos) {
        store.create(TOPIC, partitions, TopicSettings.DEFAULT);
        sender = new RecordSender<>(store, TOPIC, options, Where::new, EngineRuntime.system(), 0, tickNanos);
    }

    private Barrier standStill() {
        Barrier barrier = store.standStill();
        barriers.add(barrier);
        return barrier;
    }

    private CompletableFuture<Where> send(String value) {
        return send(RecordSender.ANY_PARTITION, value);
    }

    private CompletableFuture<Where> send(int partition, String value) {
        return sender.send(partition, RecordSender.NOW, null, value.getBytes(UTF_8), List.of());
    }

    private CompletableFuture<Where> sendKeyed(String key, String value) {
        return sender.send(
                RecordSender.ANY_PARTITION, RecordSender.NOW, key.getBytes(UTF_8), value.getBytes(UTF_8), List.of());
    }

    /** Waits without writing. */
    private static <T> T await(CompletableFuture<T> future) throws Exception {
        return future.get(30, TimeUnit.SECONDS);
    }

    private static Throwable failureOf(CompletableFuture<?> future) throws Exception {
        try {
            await(future);
            throw new AssertionError("it did not fail");
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }

    @Test
    void recordsOfAPartitionKeepTheirOrder() throws Exception {
        open(1, SMALL.withBufferBytes(1 << 20));
        List<CompletableFuture<Where>> futures = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            futures.add(send("value " + i));
        }
        for (int i = 0; i < futures.size(); i++) {
            assertThat(await(futures.get(i)).offset()).isEqualTo(i);
        }
        assertThat(store.values(TOPIC, 0))
                .isEqualTo(IntStream.range(0, 5_000).mapToObj(i -> "value " + i).toList());
    }

    @Test
    void aThreadThatAlwaysWaitsWritesItsOwnRecords() {
        open(1, SMALL);
        // The machine decides how many records precede the detection, and how often the other thread is first.
        int windows = 0;
        while (writtenByTheCaller(400) <= 200) {
            assertThat(++windows).as("windows").isLessThan(1_000);
        }
    }

    private long writtenByTheCaller(int sent) {
        int before = store.appends().size();
        for (int i = 0; i < sent; i++) {
            send("value").join();
        }
        return store.appends().stream()
                .skip(before)
                .filter(append -> append.thread() == Thread.currentThread())
                .count();
    }

    @Test
    void aRecordIsWrittenAfterItsThreadStopsWaiting() throws Exception {
        open(1, SMALL);
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 40; i++) {
                send("waited for").join();
            }
            await(send("not waited for"));
        }
    }

    @Test
    void batchesGrowWhenRecordsAreSentFasterThanWritten() throws Exception {
        openUnhurried(1, SendOptions.DEFAULT);
        Barrier barrier = standStill();
        CompletableFuture<Where> first = send("opens the first batch");
        barrier.awaitArrival();
        String value = "x".repeat(1000);
        CompletableFuture<Where> last = first;
        for (int i = 0; i < 400; i++) {
            last = send(value);
        }
        barrier.open();
        await(last);
        // The first batch has the usual size, the second the largest.
        assertThat(store.appends().get(1).records()).isBetween(50, 70);
        assertThat(store.appends().get(2).records()).isBetween(240, 262);
    }

    @Test
    void manyThreadsKeepTheOrderOfEachKey() throws Exception {
        open(3, SMALL.withBufferBytes(64 << 10));
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            String key = "key" + t;
            Runnable work = () -> IntStream.range(0, 2_000).forEach(i -> {
                CompletableFuture<Where> future = sendKeyed(key, key + ":" + i);
                if (i % 50 == 0) {
                    future.join();
                }
            });
            threads.add(
                    t % 2 == 0
                            ? Thread.ofPlatform().start(work)
                            : Thread.ofVirtual().start(work));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        sender.flush();
        for (int t = 0; t < 8; t++) {
            String key = "key" + t;
            List<String> got = store.values(TOPIC, KeyRouting.partition(key.getBytes(UTF_8), 3)).stream()
                    .filter(value -> value.startsWith(key + ":"))
                    .toList();
            assertThat(got)
                    .isEqualTo(IntStream.range(0, 2_000)
                            .mapToObj(i -> key + ":" + i)
                            .toList());
        }
    }

    @Test
    void aLoneRecordIsAppendedAtOnce() throws Exception {
        open(1, SendOptions.DEFAULT);
        assertThat(await(send("alone")))
                .extracting(Where::partition, Where::offset)
                .containsExactly(0, 0L);
        assertThat(store.appends()).hasSize(1);
    }

    @Test
    void recordsSentDuringAnAppendShareABatch() throws Exception {
        openUnhurried(1, SendOptions.DEFAULT);
        Barrier busy = standStill();
        send("first");
        busy.awaitArrival();
        IntStream.range(0, 100).forEach(i -> send("later"));
        busy.open();
        sender.flush();
        assertThat(store.appends()).extracting(Append::records).containsExactly(1, 100);
    }

    @Test
    void aWaitingPlatformThreadWritesItsRecords() {
        open(1, SendOptions.DEFAULT);
        for (int i = 0; i < 5_000; i++) {
            send("x").join();
        }
        assertThat(store.appends()).extracting(Append::thread).contains(Thread.currentThread());
    }

    @Test
    void aVirtualThreadNeverWrites() throws Exception {
        open(1, SendOptions.DEFAULT);
        Thread.ofVirtual()
                .start(() -> IntStream.range(0, 2_000).forEach(i -> send("x").join()))
                .join();
        assertThat(store.appends())
                .hasSize(2_000)
                .noneMatch(append -> append.thread().isVirtual());
    }

    @Test
    void sixtyFourWaitingThreadsShareOneAppendAndOneSync() throws Exception {
        openUnhurried(1, SendOptions.DEFAULT);
        Barrier busy = standStill();
        CompletableFuture<Where> first = send("x");
        busy.awaitArrival();
        CountDownLatch sent = new CountDownLatch(64);
        List<Thread> threads = IntStream.range(0, 64)
                .mapToObj(t -> Thread.ofPlatform().start(() -> {
                    CompletableFuture<Where> future = send("x");
                    sent.countDown();
                    future.join();
                }))
                .toList();
        sent.await();
        while (threads.stream().anyMatch(thread -> thread.getState() != Thread.State.WAITING)) {
            Thread.onSpinWait();
        }
        busy.open();
        for (Thread thread : threads) {
            thread.join();
        }
        await(first);
        assertThat(store.appends()).extracting(Append::records).containsExactly(1, 64);
        assertThat(store.syncs()).isEqualTo(2);
    }

    @Test
    void aFullBufferRefusesAtOnceWithoutMaxBlock() throws Exception {
        open(1, SMALL.withMaxBlock(Duration.ZERO));
        Barrier busy = standStill();
        CompletableFuture<Where> first = send("first");
        busy.awaitArrival();
        assertThatThrownBy(() -> IntStream.range(0, 100).forEach(i -> send("x".repeat(500))))
                .isInstanceOf(BufferFullException.class)
                .hasMessageContaining("orders")
                .hasMessageContaining("4096 bytes");
        busy.open();
        await(first);
        sender.flush();
        await(send("there is room again"));
    }

    @Test
    void aFullBufferRefusesAfterMaxBlock() {
        open(1, SMALL.withMaxBlock(Duration.ofMillis(50)));
        Barrier busy = standStill();
        send("first");
        busy.awaitArrival();
        long start = System.nanoTime();
        assertThatThrownBy(() -> IntStream.range(0, 100).forEach(i -> send("x".repeat(500))))
                .isInstanceOf(BufferFullException.class);
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(50_000_000);
    }

    @Test
    void aBlockedSendContinuesWhenMemoryIsFreed() throws Exception {
        open(1, SMALL);
        Barrier busy = standStill();
        Thread caller =
                Thread.ofPlatform().start(() -> IntStream.range(0, 200).forEach(i -> send(i + "x".repeat(500))));
        busy.awaitArrival();
        while (caller.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        busy.open();
        caller.join();
        sender.flush();
        assertThat(store.values(TOPIC, 0)).hasSize(200).element(199).asString().startsWith("199x");
    }

    @Test
    void aRecordLargerThanTheBufferIsSentAlone() throws Exception {
        open(1, SMALL);
        assertThat(await(send("x".repeat(10_000))).offset()).isZero();
        assertThat(await(send("small")).offset()).isEqualTo(1);
        assertThat(store.appends()).extracting(Append::records).containsExactly(1, 1);
    }

    @Test
    void futuresFailAtTheDeadlineWhileTheLogHangs() throws Exception {
        open(1, SendOptions.DEFAULT.withDeliveryTimeout(SHORT));
        Barrier busy = standStill();
        CompletableFuture<Where> inTheLog = sendUntilArrived(busy, "in the log");
        CompletableFuture<Where> waiting = send("waiting");
        assertThat(failureOf(inTheLog))
                .isInstanceOfSatisfying(
                        DeliveryTimeoutException.class,
                        e -> assertThat(e.mayBeThere()).isTrue())
                .hasMessageContaining("orders-0")
                .hasMessageContaining("outcome is unknown");
        assertThat(failureOf(waiting))
                .isInstanceOfSatisfying(
                        DeliveryTimeoutException.class,
                        e -> assertThat(e.mayBeThere()).isFalse());
        sender.flush();
        busy.open();
        sendUntilAcknowledged("later");
        assertThat(store.values(TOPIC, 0).stream().distinct()).containsExactly("in the log", "later");
    }

    /** Sends a record that reaches the blocked log before its timeout. */
    private CompletableFuture<Where> sendUntilArrived(Barrier busy, String value) throws Exception {
        while (true) {
            CompletableFuture<Where> future = send(value);
            while (!future.isDone()) {
                if (busy.hasArrival()) {
                    return future;
                }
                Thread.onSpinWait();
            }
            if (failureOf(future) instanceof DeliveryTimeoutException e && e.mayBeThere()) {
                busy.awaitArrival();
                return future;
            }
        }
    }

    /** Repeats the send: with a short timeout, a paused machine can expire a record that nothing else delays. */
    private void sendUntilAcknowledged(String value) throws Exception {
        while (true) {
            try {
                await(send(value));
                return;
            } catch (ExecutionException e) {
                assertThat(e).hasCauseInstanceOf(DeliveryTimeoutException.class);
            }
        }
    }

    @Test
    void expiredRecordsFreeMemoryWhileTheLogHangs() throws Exception {
        open(1, SMALL.withMaxBlock(Duration.ZERO).withDeliveryTimeout(SHORT));
        Barrier busy = standStill();
        sendUntilArrived(busy, "first");
        List<CompletableFuture<Where>> buffered = new ArrayList<>();
        assertThatThrownBy(() -> IntStream.range(0, 100).forEach(i -> buffered.add(send("x".repeat(500)))))
                .isInstanceOf(BufferFullException.class);
        for (CompletableFuture<Where> each : buffered) {
            assertThat(failureOf(each)).isInstanceOf(DeliveryTimeoutException.class);
        }
        send("later");
        busy.open();
        sendUntilAcknowledged("later");
        assertThat(store.values(TOPIC, 0).stream().distinct()).containsExactly("first", "later");
    }

    @Test
    void aTooLargeRecordIsRefusedBeforeBuffering() throws Exception {
        store.create(TOPIC, 1, TopicSettings.DEFAULT.with("max.message.bytes", "1000"));
        sender = new RecordSender<>(store, TOPIC, SendOptions.DEFAULT, Where::new);
        assertThatThrownBy(() -> send("x".repeat(1000)))
                .isInstanceOf(RecordTooLargeException.class)
                .hasMessageContaining("orders");
        await(send("small"));
        assertThat(store.appends()).hasSize(1);

        store.alter(TOPIC, TopicSettings.DEFAULT.with("max.message.bytes", "5000"));
        assertThat(await(send("x".repeat(1000))).offset()).isEqualTo(1);
    }

    @Test
    void aTimestampOutsideTheWindowIsRefusedBeforeBuffering() throws Exception {
        store.create(TOPIC, 1, TopicSettings.DEFAULT.with("message.timestamp.before.max.ms", "3600000"));
        sender = new RecordSender<>(store, TOPIC, SendOptions.DEFAULT, Where::new);
        long nowMs = System.currentTimeMillis();
        long day = Duration.ofDays(1).toMillis();
        for (long timestamp : new long[] {nowMs + day, nowMs - day, Long.MAX_VALUE, Long.MIN_VALUE + 1, -2}) {
            assertThatThrownBy(() -> sendAt(timestamp))
                    .isInstanceOf(RecordTimestampException.class)
                    .hasMessageContaining(timestamp + " is outside the range that topic \"orders\" allows");
        }
        await(sendAt(nowMs));
        await(sendAt(-1));
        assertThat(store.appends()).hasSize(2);

        store.alter(TOPIC, TopicSettings.DEFAULT.with("message.timestamp.after.max.ms", "" + Long.MAX_VALUE));
        assertThat(await(sendAt(Long.MAX_VALUE)).offset()).isEqualTo(2);
        assertThatThrownBy(() -> sendAt(-2)).isInstanceOf(RecordTimestampException.class);
    }

    @Test
    void anyTimestampPassesAtLogAppendTime() throws Exception {
        store.create(TOPIC, 1, TopicSettings.DEFAULT.with("message.timestamp.type", "LogAppendTime"));
        sender = new RecordSender<>(store, TOPIC, SendOptions.DEFAULT, Where::new);
        await(sendAt(Long.MAX_VALUE));
        assertThat(store.appends()).hasSize(1);
    }

    private CompletableFuture<Where> sendAt(long timestamp) {
        return sender.send(RecordSender.ANY_PARTITION, timestamp, null, "x".getBytes(UTF_8), List.of());
    }

    @Test
    void aLoweredSizeLimitFailsOneBatchAndThenApplies() throws Exception {
        openUnhurried(1, SendOptions.DEFAULT);
        store.alter(TOPIC, TopicSettings.DEFAULT.with("max.message.bytes", "1000"));
        Barrier busy = standStill();
        send("first");
        busy.awaitArrival();
        List<CompletableFuture<Where>> tooMany =
                IntStream.range(0, 20).mapToObj(i -> send("x".repeat(100))).toList();
        busy.open();
        assertThat(failureOf(tooMany.getFirst())).isInstanceOf(RecordTooLargeException.class);
        List<CompletableFuture<Where>> again =
                IntStream.range(0, 20).mapToObj(i -> send("x".repeat(100))).toList();
        for (CompletableFuture<Where> each : again) {
            await(each);
        }
    }

    @Test
    void afterDeletionBufferedRecordsFailAndTheNewTopicIsUsed() throws Exception {
        open(1, SendOptions.DEFAULT);
        await(send("old"));
        Barrier busy = standStill();
        CompletableFuture<Where> first = send("first");
        busy.awaitArrival();
        CompletableFuture<Where> buffered = send("buffered");
        store.delete(TOPIC);
        busy.open();
        assertThat(failureOf(first)).isInstanceOf(TopicDeletedException.class);
        assertThat(failureOf(buffered)).isInstanceOf(TopicDeletedException.class);
        assertThatThrownBy(() -> send("nowhere")).isInstanceOf(TopicNotFoundException.class);

        store.create(TOPIC, 2, TopicSettings.DEFAULT);
        assertThat(await(send(1, "new")).offset()).isZero();
    }

    @Test
    void anAddedPartitionGetsRecords() throws Exception {
        open(1, SendOptions.DEFAULT);
        assertThatThrownBy(() -> send(2, "x"))
                .isInstanceOf(TopicNotFoundException.class)
                .hasMessageContaining("partition 2 of topic \"orders\", which has 1");
        await(send("x"));
        store.addPartitions(TOPIC, 3);
        assertThat(await(send(2, "x")).partition()).isEqualTo(2);
        for (String key : List.of("a", "b", "c", "d", "e", "f")) {
            assertThat(await(sendKeyed(key, "x")).partition()).isEqualTo(KeyRouting.partition(key.getBytes(UTF_8), 3));
        }
    }

    @Test
    void recordsWithoutAKeyChangeThePartitionAfterEachBatch() throws Exception {
        open(3, SMALL.withBufferBytes(1 << 20));
        List<Integer> lone = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            lone.add(await(send("x")).partition());
        }
        assertThat(lone).containsExactly(0, 1, 2, 0, 1, 2);

        Barrier busy = standStill();
        send("x");
        busy.awaitArrival();
        IntStream.range(0, 300).forEach(i -> send("x".repeat(90)));
        busy.open();
        sender.flush();
        List<Append> batches = store.appends().subList(7, store.appends().size());
        assertThat(batches).hasSizeGreaterThan(20).allMatch(batch -> batch.records() <= 11);
        assertThat(batches.stream().limit(6).map(Append::partition)).containsExactly(1, 2, 0, 1, 2, 0);
    }

    @Test
    void aFailedAppendLeavesNoGapInTheSequences() throws Exception {
        open(1, SendOptions.DEFAULT);
        await(send("a"));
        store.failNextAppend(new StoreIoException("data", null));
        assertThat(failureOf(send("lost"))).isInstanceOf(StoreIoException.class);
        await(send("b"));
        await(send("c"));
        assertThat(store.appends()).extracting(Append::baseSequence).containsExactly(0, 1, 2);
        assertThat(store.appends().stream().map(Append::producerId).distinct()).hasSize(1);
        assertThat(store.values(TOPIC, 0)).containsExactly("a", "b", "c");
    }

    @Test
    void onAFullDiskRecordsWaitAndKeepTheirOrder() throws Exception {
        open(1, SendOptions.DEFAULT);
        await(send("a"));
        for (int i = 0; i < 5; i++) {
            store.failNextAppend(new DiskFullException("data", null));
        }
        CompletableFuture<Where> waiting = send("b");
        CompletableFuture<Where> behind = send("c");
        assertThat(await(waiting).offset()).isEqualTo(1);
        assertThat(await(behind).offset()).isEqualTo(2);
        assertThat(store.values(TOPIC, 0)).containsExactly("a", "b", "c");
        assertThat(store.appends().stream().map(Append::producerId).distinct()).hasSize(1);
    }

    @Test
    void appendedBatchesAreAcknowledgedWhileOthersWaitForDiskSpace() throws Exception {
        open(2, SendOptions.DEFAULT);
        Barrier busy = standStill();
        send(0, "busy");
        busy.awaitArrival();
        CompletableFuture<Where> written = send(0, "written");
        store.onAppend(partition -> {
            if (partition == 1 && !written.isDone()) {
                throw new DiskFullException("data", null);
            }
        });
        CompletableFuture<Where> refused = send(1, "refused");
        busy.open();
        assertThat(await(refused).offset()).isZero();
        assertThat(await(written).offset()).isEqualTo(1);
    }

    @Test
    void aTimeoutOnAFullDiskNamesTheFullDisk() throws Exception {
        open(1, SendOptions.DEFAULT.withDeliveryTimeout(Duration.ofSeconds(2)));
        for (int i = 0; i < 10_000; i++) {
            store.failNextAppend(new DiskFullException("data", null));
        }
        Throwable failure = failureOf(send("lost"));
        // If the timeout expires during an attempt, or before the first one, the cause is unknown: try again.
        for (int tries = 1; failure instanceof DeliveryTimeoutException && tries < 10; tries++) {
            failure = failureOf(send("lost"));
        }
        assertThat(failure).isInstanceOf(DiskFullException.class);
        assertThat(store.values(TOPIC, 0)).isEmpty();
    }

    @Test
    void closeWithATimeoutEndsTheWaitForDiskSpace() throws Exception {
        open(1, SendOptions.DEFAULT);
        for (int i = 0; i < 1_000; i++) {
            store.failNextAppend(new DiskFullException("data", null));
        }
        CompletableFuture<Where> waiting = send("lost");
        sender.close(Duration.ofMillis(50));
        assertThat(failureOf(waiting)).isInstanceOf(MusterException.class);
        assertThat(store.values(TOPIC, 0)).isEmpty();
    }

    @Test
    void afterAFailedSyncTheSenderUsesANewProducerId() throws Exception {
        open(1, SendOptions.DEFAULT);
        await(send("a"));
        store.failNextSync(new SyncFailedException("file", null));
        assertThat(failureOf(send("unknown"))).isInstanceOf(SyncFailedException.class);
        await(send("b"));
        List<Append> appends = store.appends();
        assertThat(appends.get(1).producerId()).isEqualTo(appends.get(0).producerId());
        assertThat(appends.get(2).producerId()).isNotEqualTo(appends.get(0).producerId());
        assertThat(appends.get(2).baseSequence()).isZero();
    }

    @Test
    void partitionsAreSyncedAtTheSameTimeAndFailSeparately() throws Exception {
        open(4, SendOptions.DEFAULT);
        Barrier busy = standStill();
        send(0, "first");
        busy.awaitArrival();
        List<CompletableFuture<Where>> futures = IntStream.range(0, 4)
                .mapToObj(partition -> send(partition, "x"))
                .toList();
        CyclicBarrier together = new CyclicBarrier(4);
        store.onSync(partition -> {
            if (store.appends().size() < 5) {
                return;
            }
            try {
                together.await(30, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new IllegalStateException("synced alone", e);
            }
            if (partition == 2) {
                throw new SyncFailedException("file", null);
            }
        });
        busy.open();
        assertThat(failureOf(futures.get(2))).isInstanceOf(SyncFailedException.class);
        for (int partition : List.of(0, 1, 3)) {
            assertThat(await(futures.get(partition)).partition()).isEqualTo(partition);
        }
    }

    /** The files are replaced between two appends of one round, and another thread notices it first. */
    @Test
    void aBatchInAReplacedLogIsNotAcknowledgedByTheNewLog() throws Exception {
        open(1, SMALL.withBufferBytes(1 << 20));
        Barrier busy = standStill();
        CompletableFuture<Where> kept = send("kept");
        busy.awaitArrival();
        CompletableFuture<Where> lost = send("l".repeat(900));
        CompletableFuture<Where> refused = send("r".repeat(900));
        CompletableFuture<Where> behind = send("b".repeat(900));
        Barrier beforeLost = standStill();
        busy.open();
        beforeLost.awaitArrival();
        Barrier beforeRefused = standStill();
        beforeLost.open();
        beforeRefused.awaitArrival();
        store.failNextAppend(new LogReplacedException("orders-0 was removed"));
        beforeRefused.open();
        assertThat(await(kept).offset()).isZero();
        assertThat(failureOf(lost)).isInstanceOf(LogReplacedException.class);
        assertThat(failureOf(refused)).isInstanceOf(LogReplacedException.class);
        await(behind);
    }

    @Test
    void anErrorInTheLogFailsOnlyItsOwnBatch() throws Exception {
        open(1, SendOptions.DEFAULT);
        store.failNextAppend(new IllegalStateException("a bug"));
        assertThat(failureOf(send("x"))).hasMessage("a bug");
        assertThat(await(send("y")).offset()).isZero();
    }

    @Test
    void flushReturnsWhenAllEarlierRecordsAreDone() throws Exception {
        open(2, SendOptions.DEFAULT);
        sender.flush();
        List<CompletableFuture<Where>> futures =
                IntStream.range(0, 1_000).mapToObj(i -> sendKeyed("k" + i, "v")).toList();
        sender.flush();
        assertThat(futures).allMatch(CompletableFuture::isDone);
    }

    @Test
    void closeSendsBufferedRecordsAndRefusesNewOnes() {
        open(1, SendOptions.DEFAULT);
        List<CompletableFuture<Where>> futures =
                IntStream.range(0, 1_000).mapToObj(i -> send("v")).toList();
        sender.close();
        assertThat(futures).allMatch(future -> future.isDone() && !future.isCompletedExceptionally());
        assertThatThrownBy(() -> send("late"))
                .isInstanceOf(StoreClosedException.class)
                .hasMessageContaining("orders");
        sender.close();
    }

    @Test
    void closeFailsUnsentRecordsAfterItsTimeout() throws Exception {
        open(1, SendOptions.DEFAULT);
        Barrier busy = standStill();
        CompletableFuture<Where> inTheLog = send("in the log");
        busy.awaitArrival();
        CompletableFuture<Where> waiting = send("waiting");
        sender.close(Duration.ofMillis(20));
        assertThat(failureOf(inTheLog)).isInstanceOf(DeliveryTimeoutException.class);
        assertThat(failureOf(waiting)).isInstanceOf(DeliveryTimeoutException.class);
    }

    @Test
    void closeEndsABlockedSend() throws Exception {
        open(1, SMALL);
        Barrier busy = standStill();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread caller = Thread.ofPlatform()
                .uncaughtExceptionHandler((thread, e) -> thrown.set(e))
                .start(() -> IntStream.range(0, 200).forEach(i -> send(i + "x".repeat(500))));
        busy.awaitArrival();
        while (caller.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        sender.close(Duration.ZERO);
        caller.join();
        assertThat(thrown.get()).isInstanceOf(StoreClosedException.class);
    }

    @Test
    void anInterruptLosesNoRecord() throws Exception {
        open(1, SendOptions.DEFAULT);
        Barrier busy = standStill();
        CompletableFuture<Where> first = send("first");
        busy.awaitArrival();
        CompletableFuture<Where> second = send("second");
        Thread.currentThread().interrupt();
        assertThatThrownBy(second::get).isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> sender.flush()).isInstanceOf(InterruptedWaitException.class);
        assertThat(Thread.interrupted()).isTrue();
        busy.open();
        await(first);
        await(second);
        assertThat(store.values(TOPIC, 0)).containsExactly("first", "second");
    }

    @Test
    void anActionThatSendsAndWaitsCausesNoDeadlock() throws Exception {
        open(1, SMALL);
        Barrier busy = standStill();
        CompletableFuture<Where> chained = send("first").thenApply(first -> {
            // Sends more than the buffer holds, on the only thread that could empty it.
            IntStream.range(0, 50).forEach(i -> send("x".repeat(500)));
            sender.flush();
            return send("last").join();
        });
        busy.awaitArrival();
        busy.open();
        assertThat(await(chained).offset()).isEqualTo(51);
    }

    @Test
    void withoutSyncEachBatchIsAcknowledgedAtOnce() throws Exception {
        store.create(TOPIC, 1, TopicSettings.DEFAULT.withSync(SyncLevel.OS));
        sender = new RecordSender<>(store, TOPIC, SMALL.withBufferBytes(1 << 20), Where::new);
        CountDownLatch all = new CountDownLatch(500);
        Stream.generate(() -> send("x".repeat(100))).limit(500).forEach(future -> future.thenRun(all::countDown));
        assertThat(all.await(30, TimeUnit.SECONDS)).isTrue();
    }
}
