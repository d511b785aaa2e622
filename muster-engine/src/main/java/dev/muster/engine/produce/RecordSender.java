package dev.muster.engine.produce;

import dev.muster.core.BufferFullException;
import dev.muster.core.DeliveryTimeoutException;
import dev.muster.core.Header;
import dev.muster.core.InterruptedWaitException;
import dev.muster.core.KeyRouting;
import dev.muster.core.TopicName;
import dev.muster.engine.produce.SendBuffer.Added;
import dev.muster.engine.produce.SendBuffer.Expired;
import dev.muster.engine.runtime.EngineRuntime;
import dev.muster.store.LogStore;
import dev.muster.store.ReadOnlyException;
import dev.muster.store.RecordTimestampException;
import dev.muster.store.RecordTooLargeException;
import dev.muster.store.StoreClosedException;
import dev.muster.store.Topic;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.batch.BatchBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Sends records to one topic: gathers them in batches while the batches before are written, and writes them in order.
 * For all threads.
 *
 * <p>There is one turn to write. Its own thread takes it when records come, or a platform thread that waits for a
 * record, if it is there first: then nothing is handed over. What comes while the turn is taken gathers, so batches
 * grow under load and a lone record never waits for company. Many waiting threads share one append and one sync.
 *
 * @param <P> what a future gives: where the record stands
 */
public final class RecordSender<P> implements AutoCloseable {
    public static final int ANY_PARTITION = -1;
    /** For a record that gets the time of sending. */
    public static final long NOW = Long.MIN_VALUE;

    private final LogStore store;
    private final EngineRuntime runtime;
    private final TopicName topic;
    private final SendOptions options;
    private final SendBuffer<P> buffer;
    private final SendRound<P> round;
    private final SendAndWaitDetector detector = new SendAndWaitDetector();
    private final SenderThread thread;
    private final AtomicBoolean clockRuns = new AtomicBoolean();
    private final long tickNanos;
    private volatile TopicQueues<P> lanes;

    /** Makes the caller's own value for where a record stands. */
    @FunctionalInterface
    public interface PositionFactory<P> {
        P at(int partition, long offset, long timestamp);
    }

    /** @throws TopicNotFoundException when there is no such topic */
    public RecordSender(LogStore store, TopicName topic, SendOptions options, PositionFactory<P> positions) {
        this(store, topic, options, positions, EngineRuntime.system());
    }

    /** @throws TopicNotFoundException when there is no such topic */
    public RecordSender(
            LogStore store, TopicName topic, SendOptions options, PositionFactory<P> positions, EngineRuntime runtime) {
        this(store, topic, options, positions, runtime, runtime.random(LogStore.PARTITIONS_MAX), tickNanos(options));
    }

    /**
     * @param firstPartition where the first record without a key goes, modulo the partitions there are
     * @param tickNanos how often it is looked for what ran out of time; no batch is open for longer
     */
    RecordSender(
            LogStore store,
            TopicName topic,
            SendOptions options,
            PositionFactory<P> positions,
            EngineRuntime runtime,
            int firstPartition,
            long tickNanos) {
        if (store.readOnly()) {
            throw new ReadOnlyException("send to topic \"" + topic + "\"");
        }
        this.store = store;
        this.runtime = runtime;
        this.topic = topic;
        this.options = options;
        this.lanes = new TopicQueues<>(lookUp(), options, firstPartition);
        this.buffer = new SendBuffer<>(options, runtime);
        this.round = new SendRound<>(store, buffer, positions, runtime);
        this.tickNanos = tickNanos;
        this.thread = new SenderThread(this, topic.value());
        thread.start();
    }

    static long tickNanos(SendOptions options) {
        return Math.clamp(
                options.deliveryTimeoutNanos() / 8, TimeUnit.MILLISECONDS.toNanos(5), TimeUnit.SECONDS.toNanos(1));
    }

    private Topic lookUp() {
        return store.find(topic).orElseThrow(() -> new TopicNotFoundException("topic \"" + topic + "\""));
    }

    /**
     * Sends a record. The arrays have been copied when this returns.
     *
     * @param partition {@link #ANY_PARTITION} or the one to take
     * @param timestamp {@link #NOW} or milliseconds since 1970
     * @param key may be null
     * @param value may be null
     * @throws RecordTooLargeException before anything is buffered
     * @throws RecordTimestampException if the topic does not allow the timestamp; nothing was buffered
     * @throws BufferFullException when there was no room in time; nothing was buffered
     * @throws InterruptedWaitException when interrupted while waiting for room; nothing was buffered
     * @throws TopicNotFoundException when the topic is gone, or has no such partition
     * @throws StoreClosedException after close
     */
    public CompletableFuture<P> send(int partition, long timestamp, byte[] key, byte[] value, List<Header> headers) {
        TopicQueues<P> target = lanes;
        int size = BatchBuilder.recordSizeMax(key, value, headers);
        if (size > target.batchBytes && size > target.topic.settings().messageBytesMax()) {
            target = enlarged(size);
        }
        if (timestamp != NOW && !target.topic.settings().allowsTimestamp(timestamp, runtime.wallMillis())) {
            target = widened(timestamp);
        }
        SendFuture<P> future = new SendFuture<>(this, timestamp == NOW ? runtime.wallMillis() : timestamp);
        int of = target.partitions;
        int routed = key == null || partition >= 0 ? 0 : KeyRouting.partition(key, of);
        Added added = buffer.tryAdd(target, future, partition, routed, of, key, value, headers);
        if (added != Added.JOINED) {
            addSlowly(future, partition, key, value, headers, size);
        }
        return future;
    }

    /** The limit may have been raised since we looked. */
    private TopicQueues<P> enlarged(int size) {
        Topic now = lookUp();
        if (size > now.settings().messageBytesMax()) {
            throw new RecordTooLargeException(
                    topic.value(), size, now.settings().messageBytesMax());
        }
        return renew(lanes, now);
    }

    /** The window may have been widened since the topic was looked up. */
    private TopicQueues<P> widened(long timestamp) {
        Topic found = lookUp();
        long nowMs = runtime.wallMillis();
        if (!found.settings().allowsTimestamp(timestamp, nowMs)) {
            throw new RecordTimestampException(
                    topic.value(), timestamp, found.settings().timestampWindow(), nowMs);
        }
        return renew(lanes, found);
    }

    private synchronized TopicQueues<P> renew(TopicQueues<P> old, Topic now) {
        if (lanes == old) {
            old.stale = true;
            lanes = new TopicQueues<>(now, options, runtime.random(now.partitions()));
        }
        return lanes;
    }

    private void addSlowly(
            SendFuture<P> future, int partition, byte[] key, byte[] value, List<Header> headers, int size) {
        long waitNanos = SendOptions.nanos(options.maxBlock());
        while (true) {
            TopicQueues<P> target = lanes;
            switch (addToNew(target, future, partition, key, value, headers, size)) {
                case JOINED -> {
                    return;
                }
                case OPENED -> {
                    startClock();
                    if (detector.sent(Thread.currentThread())) {
                        thread.wakeToWatch();
                    } else {
                        thread.wake();
                    }
                    return;
                }
                case NEEDS_BATCH -> throw new IllegalStateException("a new batch needs a new batch");
                case NO_ROOM -> waitNanos = awaitRoom(target, size, waitNanos);
                case STALE -> renew(target, lookUp());
                case CLOSED -> throw closedException();
            }
        }
    }

    private Added addToNew(
            TopicQueues<P> target,
            SendFuture<P> future,
            int partition,
            byte[] key,
            byte[] value,
            List<Header> headers,
            int size) {
        int partitions;
        try {
            partitions = store.partitions(target.topic.id());
        } catch (TopicDeletedException e) {
            target.stale = true;
            return Added.STALE;
        }
        return buffer.addToNew(target, future, partition, key, value, headers, partitions, size);
    }

    private long awaitRoom(TopicQueues<P> target, int size, long waitNanos) {
        Thread self = Thread.currentThread();
        if (buffer.hasTurn(self) && round(self) > 0) {
            // An action chained to a future sends: only this very thread can make room.
            return waitNanos;
        }
        if (waitNanos <= 0) {
            throw new BufferFullException(topic.value(), options.bufferBytes(), options.maxBlock());
        }
        try {
            return buffer.awaitRoom(target, size, waitNanos);
        } catch (InterruptedException e) {
            self.interrupt();
            throw new InterruptedWaitException("for room in the buffer; the record was not sent");
        }
    }

    private StoreClosedException closedException() {
        return new StoreClosedException("the producer for topic \"" + topic + "\"");
    }

    /** Writes in place of the sender's thread, as long as the turn is free and the record is not done. */
    void help(SendFuture<P> future) {
        Thread self = Thread.currentThread();
        if (self.isVirtual()) {
            // It would keep its carrier in the log's system calls.
            return;
        }
        detector.waits(self);
        while (!future.isDone() && round(self) > 0) {
            // The next round may be the one that has it.
        }
    }

    /** @return how many records were written or refused; none when there are none, or it is another thread's turn */
    int round(Thread self) {
        boolean nested = buffer.hasTurn(self);
        List<Batch<P>> batches = buffer.take(self);
        if (batches == null) {
            return 0;
        }
        try {
            return round.write(batches);
        } finally {
            if (!nested && buffer.leaveTurn()) {
                thread.wake();
            }
        }
    }

    /** True if a thread usually writes what it sent. Then the sender's thread only checks on it. */
    boolean hasHabit() {
        return detector.isThere();
    }

    /** No other thread is expected to write; there is work to do. */
    void endHabit() {
        detector.end();
    }

    /** The last batch that was opened. */
    long lastBatch() {
        return buffer.lastId();
    }

    boolean hasFullBatch() {
        return buffer.hasFullBatch();
    }

    boolean hasWork() {
        return buffer.hasWork();
    }

    /**
     * Waits until everything sent before is acknowledged or has failed.
     *
     * @throws InterruptedWaitException when interrupted; everything is still sent
     */
    public void flush() {
        try {
            flush(buffer.lastId(), Long.MAX_VALUE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedWaitException("for records to be acknowledged; they are still sent");
        }
    }

    private boolean flush(long id, long nanos) throws InterruptedException {
        Thread self = Thread.currentThread();
        if (buffer.hasTurn(self)) {
            // An action chained to a future flushes: no other thread would write the rest.
            while (round(self) > 0) {
                continue;
            }
            return true;
        }
        return buffer.awaitSettled(id, nanos);
    }

    /** Flushes and stops. An interrupt does not shorten it: {@link #close(Duration)} does. */
    @Override
    public void close() {
        close(Duration.ofDays(365));
    }

    /** Flushes for at most this long, then stops: what is not acknowledged by then fails. */
    public void close(Duration timeout) {
        if (!buffer.close()) {
            return;
        }
        long end = runtime.nanoTime() + SendOptions.nanos(timeout);
        boolean interrupted = false;
        while (true) {
            try {
                if (!flush(buffer.lastId(), end - runtime.nanoTime())) {
                    fail(buffer.giveUp(), timeout);
                }
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        thread.stop();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void startClock() {
        if (!clockRuns.get() && clockRuns.compareAndSet(false, true)) {
            DeliveryClock.after(tickNanos, this::tick);
        }
    }

    private void tick() {
        fail(buffer.expire(runtime.nanoTime(), tickNanos), options.deliveryTimeout());
        clockRuns.set(false);
        if (!buffer.isIdle()) {
            startClock();
        }
    }

    private void fail(List<Expired<P>> expired, Duration timeout) {
        for (Expired<P> each : expired) {
            Batch<P> batch = each.batch();
            Throwable refusal = batch.refusal;
            batch.fail(
                    refusal != null
                            ? refusal
                            : new DeliveryTimeoutException(batch.lane.toString(), timeout, each.mayBeThere()));
            buffer.settle(batch);
        }
    }
}
