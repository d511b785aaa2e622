package dev.muster.engine.read;

import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.engine.runtime.EngineRuntime;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * Reads partitions of any number of topics as one stream: in order within a partition, round robin between partitions.
 * It reads either whole topics, including partitions that are added later, or the partitions named by {@link #add} and
 * {@link #remove}. For one thread at a time; only {@link #wakeup} is safe from any thread.
 */
public final class PartitionsReader implements AutoCloseable {
    /** The longest wait without a check: wake-ups are hints and may be lost. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LogStore store;
    private final EngineRuntime runtime;
    private final ReadErrorPolicy trouble;
    private final List<Source> sources = new ArrayList<>();
    private final List<PartitionCursor> cursors = new ArrayList<>();
    private final Map<TopicPartition, PartitionCursor> byName = new HashMap<>();
    /** The cursors that have no subscription yet. */
    private final List<PartitionCursor> unsubscribed = new ArrayList<>();

    /** The index of the cursor to read next. */
    private int turn;

    private long lastLookNanos;

    /** The number of wake-ups. A waiting thread checks the cursors again when it has changed. */
    private final AtomicLong signals = new AtomicLong();

    private volatile boolean woken;
    private volatile Thread waiter;

    /** A topic, and the number of its partitions that have a cursor here. */
    private static final class Source {
        private final Topic topic;
        private final boolean all;
        private int known;

        Source(Topic topic, boolean all) {
            this.topic = topic;
            this.all = all;
            this.known = topic.partitions();
        }
    }

    /**
     * @param start the start in each existing partition; partitions that are added later begin with their first record
     * @throws TopicNotFoundException when there is no such topic or partition
     */
    public PartitionsReader(
            LogStore store,
            EngineRuntime runtime,
            List<ReadTarget> subjects,
            ToLongFunction<PartitionLog> start,
            ReadErrorPolicy trouble) {
        this.store = store;
        this.runtime = runtime;
        this.lastLookNanos = runtime.nanoTime();
        this.trouble = trouble;
        for (ReadTarget subject : subjects) {
            Topic topic = lookUp(subject.topic());
            sources.add(new Source(topic, subject.partitions().isEmpty()));
            for (int partition : partitions(subject, topic)) {
                PartitionLog log = store.log(topic.id(), partition);
                add(log, start.applyAsLong(log));
            }
        }
    }

    /** A reader without partitions: see {@link #add}. */
    public PartitionsReader(LogStore store, EngineRuntime runtime, ReadErrorPolicy trouble) {
        this.store = store;
        this.runtime = runtime;
        this.lastLookNanos = runtime.nanoTime();
        this.trouble = trouble;
    }

    /** Adds a partition, read from this offset on. The reader must not have it already. */
    public void add(PartitionLog log, long position) {
        PartitionCursor cursor = new PartitionCursor(log, position, trouble, this::reopen);
        cursors.add(cursor);
        byName.put(cursor.name(), cursor);
        unsubscribed.add(cursor);
    }

    private PartitionLog reopen(PartitionLog replaced) {
        return store.log(replaced.topic().id(), replaced.partition());
    }

    /** Removes a partition. Does nothing if the reader does not have it. */
    public void remove(TopicPartition partition) {
        PartitionCursor cursor = byName.remove(partition);
        if (cursor == null) {
            return;
        }
        int place = cursors.indexOf(cursor);
        cursors.remove(place);
        unsubscribed.remove(cursor);
        turn = turn > place ? turn - 1 : turn;
        turn = turn >= cursors.size() ? 0 : turn;
        cursor.close();
    }

    /** Pauses a partition, or resumes it. */
    public void pause(TopicPartition partition, boolean on) {
        cursor(partition).pause(on);
    }

    /** True if this reader has the partition. */
    public boolean reads(TopicPartition partition) {
        return byName.containsKey(partition);
    }

    private Topic lookUp(TopicName name) {
        return store.find(name).orElseThrow(() -> new TopicNotFoundException("topic \"" + name + "\""));
    }

    private static List<Integer> partitions(ReadTarget subject, Topic topic) {
        if (subject.partitions().isEmpty()) {
            return IntStream.range(0, topic.partitions()).boxed().toList();
        }
        for (int partition : subject.partitions()) {
            if (partition < 0 || partition >= topic.partitions()) {
                throw new TopicNotFoundException("partition " + partition + " of topic \"" + topic.name()
                        + "\", which has " + topic.partitions());
            }
        }
        return subject.partitions();
    }

    /**
     * Hands out records as soon as there are any.
     *
     * @return the number of records; 0 after the timeout, a {@link #wakeup} or an interrupt
     */
    public int poll(int recordsMax, long timeoutNanos, RecordSink sink) {
        long end = runtime.nanoTime() + timeoutNanos;
        while (true) {
            long seen = signals.get();
            lookForPartitions();
            int count = drain(recordsMax, sink);
            if (count > 0 || takeWakeup()) {
                return count;
            }
            long left = end - runtime.nanoTime();
            if (left <= 0 || Thread.currentThread().isInterrupted()) {
                return 0;
            }
            // Records before the subscription raise no signal, so a new subscription is followed by another check.
            if (!subscribe()) {
                park(seen, Math.min(left, LOOK_NANOS));
            }
        }
    }

    /** Waits as {@link #poll} does, but reads nothing. */
    public void await(long timeoutNanos) {
        long seen = signals.get();
        if (!takeWakeup() && timeoutNanos > 0) {
            park(seen, timeoutNanos);
            takeWakeup();
        }
    }

    private void park(long seen, long nanos) {
        long end = runtime.nanoTime() + nanos;
        waiter = Thread.currentThread();
        try {
            long left = nanos;
            while (signals.get() == seen && left > 0 && !Thread.currentThread().isInterrupted()) {
                LockSupport.parkNanos(this, left);
                left = end - runtime.nanoTime();
            }
        } finally {
            waiter = null;
        }
    }

    private int drain(int recordsMax, RecordSink sink) {
        int count = 0;
        for (int visited = 0; visited < cursors.size() && count < recordsMax; visited++) {
            PartitionCursor cursor = cursors.get(turn);
            try {
                count += cursor.paused() ? 0 : cursor.drain(recordsMax - count, sink);
            } catch (RuntimeException e) {
                if (count == 0) {
                    throw e;
                }
                // The index stays: the next call starts with this cursor, and throws.
                return count;
            }
            turn = turn + 1 == cursors.size() ? 0 : turn + 1;
        }
        return count;
    }

    private void lookForPartitions() {
        long now = runtime.nanoTime();
        if (now - lastLookNanos < LOOK_NANOS) {
            return;
        }
        lastLookNanos = now;
        for (Source source : sources) {
            // Every source is checked: so a deleted topic is noticed too.
            int there = partitionsNow(source.topic);
            for (; source.all && source.known < there; source.known++) {
                PartitionLog log = store.log(source.topic.id(), source.known);
                add(log, log.startOffset());
            }
        }
    }

    private int partitionsNow(Topic topic) {
        try {
            return store.partitions(topic.id());
        } catch (TopicDeletedException e) {
            // The store's message has the topic's id only; the caller knows the name.
            throw new TopicDeletedException(topic.name().value());
        }
    }

    /** @return True if a cursor got a new subscription */
    private boolean subscribe() {
        if (unsubscribed.isEmpty()) {
            return false;
        }
        unsubscribed.forEach(cursor -> cursor.subscribe(this::signal));
        unsubscribed.clear();
        return true;
    }

    private void signal() {
        signals.incrementAndGet();
        LockSupport.unpark(waiter);
    }

    /** Ends the wait of the present {@link #poll}, or of the next one that would wait. Safe from any thread. */
    public void wakeup() {
        woken = true;
        signal();
    }

    private boolean takeWakeup() {
        boolean was = woken;
        if (was) {
            woken = false;
        }
        return was;
    }

    /** True if all records that are visible at this moment have been handed out. */
    public boolean atEnd() {
        for (PartitionCursor cursor : cursors) {
            if (!cursor.atEnd()) {
                return false;
            }
        }
        return true;
    }

    /** @throws TopicNotFoundException when this reader does not have the partition */
    public void seek(TopicPartition partition, long offset) {
        cursor(partition).seek(offset);
    }

    /**
     * The offset of the next record to be handed out.
     *
     * @throws TopicNotFoundException when this reader does not have the partition
     */
    public long position(TopicPartition partition) {
        return cursor(partition).position();
    }

    private PartitionCursor cursor(TopicPartition partition) {
        PartitionCursor cursor = byName.get(partition);
        if (cursor == null) {
            throw new TopicNotFoundException("partition " + partition + " in this reader");
        }
        return cursor;
    }

    public void seekAll(ToLongFunction<PartitionLog> place) {
        cursors.forEach(cursor -> cursor.seek(place.applyAsLong(cursor.log())));
    }

    /** The offset of the next record to be handed out, for each partition. */
    public Map<TopicPartition, Long> positions() {
        Map<TopicPartition, Long> positions = new TreeMap<>();
        cursors.forEach(cursor -> positions.put(cursor.name(), cursor.position()));
        return positions;
    }

    @Override
    public void close() {
        unsubscribed.clear();
        cursors.forEach(PartitionCursor::close);
        cursors.clear();
        byName.clear();
    }
}
