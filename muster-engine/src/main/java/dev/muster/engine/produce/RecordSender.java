package dev.muster.engine.produce;

import dev.muster.core.BufferFullException;
import dev.muster.core.DeliveryTimeoutException;
import dev.muster.core.Header;
import dev.muster.core.InterruptedWaitException;
import dev.muster.core.KeyRouting;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.engine.produce.SendBuffer.Added;
import dev.muster.engine.produce.SendBuffer.Expired;
import dev.muster.engine.runtime.EngineRuntime;
import dev.muster.store.LogStore;
import dev.muster.store.ReadOnlyException;
import dev.muster.store.RecordTimestampException;
import dev.muster.store.RecordTooLargeException;
import dev.muster.store.StoreClosedException;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.batch.BatchBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Sends records to one topic: gathers them in batches while earlier batches are written, and writes the batches in
 * order. Safe for many threads.
 *
 * <p>One thread writes at a time: the sender's own thread, or a platform thread that waits for a record and starts
 * writing first. The latter avoids a handover. Records that arrive meanwhile gather, so batches grow under load and a
 * lone record is written at once. Many waiting threads share one append and one sync.
 *
 * @param <P> the result of a future: the position of the record
 */
public final class RecordSender<P> implements AutoCloseable {
    public static final int ANY_PARTITION = -1;
    /** Timestamp of a record that gets the time of sending. */
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
    private volatile TopicQueues<P> queues;

    /** Makes the caller's own type of position. */
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
     * @param firstPartition the partition for the first record without a key, modulo the number of partitions
     * @param tickNanos the period of the check for expired batches; also the longest time that a batch is open
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
        this.queues = new TopicQueues<>(lookUp(), options, firstPartition);
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
     * @param partition the partition, or {@link #ANY_PARTITION}
     * @param timestamp milliseconds since 1970, or {@link #NOW}
     * @param key the key, or null
     * @param value the value, or null
     * @throws RecordTooLargeException if the record is larger than the topic allows; nothing was buffered
     * @throws RecordTimestampException if the topic does not allow the timestamp; nothing was buffered
     * @throws BufferFullException when there was no room in time; nothing was buffered
     * @throws InterruptedWaitException when interrupted while waiting for room; nothing was buffered
     * @throws TopicNotFoundException when the topic was deleted, or has no such partition
     * @throws StoreClosedException after close
     */
    public CompletableFuture<P> send(int partition, long timestamp, byte[] key, byte[] value, List<Header> headers) {
        TopicQueues<P> target = queues;
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

    /** Looks the topic up again: its size limit may have been raised since. */
    private TopicQueues<P> enlarged(int size) {
        Topic now = lookUp();
        if (size > now.settings().messageBytesMax()) {
            throw new RecordTooLargeException(
                    topic.value(), size, now.settings().messageBytesMax());
        }
        return renew(queues, now);
    }

    /** Looks the topic up again: its timestamp window may have been widened since. */
    private TopicQueues<P> widened(long timestamp) {
        Topic found = lookUp();
        long nowMs = runtime.wallMillis();
        if (!found.settings().allowsTimestamp(timestamp, nowMs)) {
            throw new RecordTimestampException(
                    topic.value(), timestamp, found.settings().timestampWindow(), nowMs);
        }
        return renew(queues, found);
    }

    private synchronized TopicQueues<P> renew(TopicQueues<P> old, Topic now) {
        if (queues == old) {
            old.stale = true;
            queues = new TopicQueues<>(now, options, runtime.random(now.partitions()));
        }
        return queues;
    }

    private void addSlowly(
            SendFuture<P> future, int partition, byte[] key, byte[] value, List<Header> headers, int size) {
        long waitNanos = SendOptions.nanos(options.maxBlock());
        while (true) {
            TopicQueues<P> target = queues;
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
                case NEEDS_BATCH -> throw new IllegalStateException("the buffer opened no batch for the record");
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
        if (buffer.isWriting(self) && round(self) > 0) {
            // An action chained to a future sends from the writing thread: only this thread can free memory.
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

    /** Writes in place of the sender's thread, as long as no other thread writes and the record is not done. */
    void help(SendFuture<P> future) {
        Thread self = Thread.currentThread();
        if (self.isVirtual()) {
            // A virtual thread would block its carrier in the log's system calls.
            return;
        }
        detector.waits(self);
        while (!future.isDone() && round(self) > 0) {
            // The next round may contain the record.
        }
    }

    /** @return the number of records that were written or refused; 0 if there are none, or if another thread writes */
    int round(Thread self) {
        boolean nested = buffer.isWriting(self);
        List<Batch<P>> batches = buffer.take(self);
        if (batches == null) {
            return 0;
        }
        try {
            return round.write(batches);
        } finally {
            if (!nested && buffer.stopWriting()) {
                thread.wake();
            }
        }
    }

    /** True if a sending thread writes its own records. Then the sender's thread only watches. */
    boolean isCallerWriting() {
        return detector.isDetected();
    }

    /** Forgets the sending thread that wrote its own records: a batch waits, and no thread writes it. */
    void forgetCaller() {
        detector.reset();
    }

    /** The id of the newest batch. */
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
     * Waits until all records that were sent before are acknowledged or have failed.
     *
     * @throws InterruptedWaitException when interrupted; the records are still sent
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
        if (buffer.isWriting(self)) {
            // An action chained to a future flushes from the writing thread: no other thread would write the rest.
            while (round(self) > 0) {
                continue;
            }
            return true;
        }
        return buffer.awaitSettled(id, nanos);
    }

    /** Flushes and stops. An interrupt does not shorten the wait; {@link #close(Duration)} bounds it. */
    @Override
    public void close() {
        close(Duration.ofDays(365));
    }

    /** Flushes for at most this long, then stops: records that are not acknowledged by then fail. */
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
        closeAppenders();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Releases the rights to append. If another thread hangs while it writes, the rights are released when the store is
     * closed.
     */
    private void closeAppenders() {
        if (buffer.tryWriting(Thread.currentThread())) {
            try {
                round.closeAppenders();
            } finally {
                buffer.stopWriting();
            }
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
                            : new DeliveryTimeoutException(batch.queue.toString(), timeout, each.mayBeThere()));
            buffer.settle(batch);
        }
    }
}
