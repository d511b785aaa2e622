package dev.muster.embedded.internal;

import dev.muster.core.TopicPartition;
import dev.muster.embedded.Received;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The fetched and not yet finished records of one partition, and the virtual threads that process them. Records of the
 * same order key are processed one after the other. Records of different keys are processed at the same time, up to a
 * maximum. Thread-safe.
 */
final class PartitionWorker {
    private final TopicPartition partition;
    private final long since;
    private final int inFlightMax;
    private final int batchMax;
    private final Work work;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    /** For each order key in progress the start of the handler's call; {@link #NOT_COUNTED} between calls. */
    private final Map<Object, Long> inProgress = new HashMap<>();

    private boolean ended;
    private volatile boolean throttled;

    static final long NOT_COUNTED = Long.MIN_VALUE;

    /** A waiting record. Records with equal order keys are processed one after the other. */
    private record Waiting(Object orderKey, Received<byte[], byte[]> record) {}

    /** One or more records of one order key that are processed together, in order. */
    record Item(Object orderKey, List<Received<byte[], byte[]>> records) {}

    /** Code that a virtual thread runs for each item. */
    interface Work {
        /** Processes an item; returns when its records are finished or given up. */
        void process(PartitionWorker worker, Item item);

        /** Called when a virtual thread of this worker has no further item and ends. */
        void becameIdle(PartitionWorker worker);
    }

    /**
     * @param since generation in which this member became the owner of the partition
     * @param inFlightMax most items that are processed at the same time
     * @param batchMax most records of an item
     */
    PartitionWorker(TopicPartition partition, long since, int inFlightMax, int batchMax, Work work) {
        this.partition = partition;
        this.since = since;
        this.inFlightMax = inFlightMax;
        this.batchMax = batchMax;
        this.work = work;
    }

    TopicPartition partition() {
        return partition;
    }

    long since() {
        return since;
    }

    void add(Object orderKey, Received<byte[], byte[]> record) {
        synchronized (this) {
            if (ended) {
                return;
            }
            waiting.add(new Waiting(orderKey, record));
        }
        startThreads();
    }

    private void startThreads() {
        for (Item item = next(null); item != null; item = next(null)) {
            Item first = item;
            Thread.ofVirtual().name("muster-handler-" + partition).start(() -> run(first));
        }
    }

    private void run(Item first) {
        for (Item item = first; item != null; item = next(item)) {
            work.process(this, item);
        }
        // A finished item may have held back items of several order keys.
        startThreads();
        work.becameIdle(this);
    }

    /**
     * Takes the next item that may be processed now; null if there is none, or enough items are in progress.
     *
     * @param finished item that the calling thread has finished; null if it begins
     */
    private synchronized Item next(Item finished) {
        if (finished != null) {
            inProgress.remove(finished.orderKey());
        }
        if (ended || inProgress.size() >= inFlightMax) {
            return null;
        }
        Set<Object> passed = new HashSet<>();
        for (Iterator<Waiting> items = waiting.iterator(); items.hasNext(); ) {
            Waiting first = items.next();
            if (!inProgress.containsKey(first.orderKey()) && passed.add(first.orderKey())) {
                items.remove();
                inProgress.put(first.orderKey(), NOT_COUNTED);
                return new Item(first.orderKey(), batch(first, items));
            }
        }
        return null;
    }

    /** A record together with the records right behind it that have the same order key. */
    private List<Received<byte[], byte[]>> batch(Waiting first, Iterator<Waiting> behind) {
        if (batchMax == 1) {
            return List.of(first.record());
        }
        List<Received<byte[], byte[]>> records = new ArrayList<>();
        records.add(first.record());
        while (records.size() < batchMax && behind.hasNext()) {
            Waiting next = behind.next();
            if (!next.orderKey().equals(first.orderKey())) {
                break;
            }
            behind.remove();
            records.add(next.record());
        }
        return records;
    }

    /** Sets the time at which the handler was called for an item; {@link #NOT_COUNTED} when it has returned. */
    synchronized void busySince(Item item, long nanoTime) {
        inProgress.replace(item.orderKey(), nanoTime);
    }

    /** The start of the longest call of the handler that is in progress; {@link #NOT_COUNTED} if there is none. */
    synchronized long busySince() {
        long longest = NOT_COUNTED;
        for (long start : inProgress.values()) {
            if (start != NOT_COUNTED && (longest == NOT_COUNTED || start - longest < 0)) {
                longest = start;
            }
        }
        return longest;
    }

    /** True if fetching from the partition is paused because enough of its records wait. */
    boolean throttled() {
        return throttled;
    }

    void throttle(boolean on) {
        throttled = on;
    }

    /** The number of waiting records. */
    synchronized int backlog() {
        return waiting.size();
    }

    synchronized boolean idle() {
        return inProgress.isEmpty();
    }

    /** Drops the waiting records and begins no further item. Items in progress may be finished. */
    synchronized void end() {
        ended = true;
        waiting.clear();
        notifyAll();
    }

    synchronized boolean ended() {
        return ended;
    }

    /** Waits this long, or until the worker ends. @return true if the worker has not ended */
    synchronized boolean pause(long nanos) throws InterruptedException {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; !ended && left > 0; left = end - System.nanoTime()) {
            wait(left / 1_000_000, (int) (left % 1_000_000));
        }
        return !ended;
    }
}
