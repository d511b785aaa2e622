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
 * The records of one partition that are fetched and not finished, and the virtual threads that work them: those with
 * the same order key one after the other, others at the same time as far as there is room. For all threads.
 */
final class PartitionWorker {
    private final TopicPartition partition;
    private final long since;
    private final int inFlightMax;
    private final int batchMax;
    private final Work work;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    /** The order keys that are at work, and since when; {@link #NOT_COUNTED} while a retry is waited for. */
    private final Map<Object, Long> working = new HashMap<>();

    private boolean ended;
    private volatile boolean throttled;

    static final long NOT_COUNTED = Long.MIN_VALUE;

    /** A record with its order key: records of equal keys are worked one after the other. */
    private record Waiting(Object orderKey, Received<byte[], byte[]> record) {}

    /** Records of one order key that are worked together, in order; at least one. */
    record Item(Object orderKey, List<Received<byte[], byte[]>> records) {}

    /** Does everything that is to be done for an item; returns when that is finished or given up. */
    interface Work {
        void on(PartitionWorker lane, Item item);

        /** A worker is done and there is nothing more for it. */
        void rests(PartitionWorker lane);
    }

    /**
     * @param since generation in which this member became the owner of the partition
     * @param inFlightMax most items that are worked at the same time
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
        startWorkers();
    }

    private void startWorkers() {
        for (Item item = next(null); item != null; item = next(null)) {
            Item first = item;
            Thread.ofVirtual().name("muster-handler-" + partition).start(() -> work(first));
        }
    }

    private void work(Item first) {
        for (Item item = first; item != null; item = next(item)) {
            work.on(this, item);
        }
        // What this one finished may have been in the way of several.
        startWorkers();
        work.rests(this);
    }

    /** The next record that may be worked now; null when there is none, or nobody more is needed. */
    private synchronized Item next(Item finished) {
        if (finished != null) {
            working.remove(finished.orderKey());
        }
        if (ended || working.size() >= inFlightMax) {
            return null;
        }
        Set<Object> passed = new HashSet<>();
        for (Iterator<Waiting> items = waiting.iterator(); items.hasNext(); ) {
            Waiting first = items.next();
            if (!working.containsKey(first.orderKey()) && passed.add(first.orderKey())) {
                items.remove();
                working.put(first.orderKey(), NOT_COUNTED);
                return new Item(first.orderKey(), batch(first, items));
            }
        }
        return null;
    }

    /** A record, and those right behind it with its key. */
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

    /** From when on a record keeps its handler busy. */
    synchronized void busySince(Item item, long nanoTime) {
        working.replace(item.orderKey(), nanoTime);
    }

    /** Since when a handler has been busy that has been so for longest; {@link #NOT_COUNTED} when none is. */
    synchronized long busySince() {
        long longest = NOT_COUNTED;
        for (long start : working.values()) {
            if (start != NOT_COUNTED && (longest == NOT_COUNTED || start - longest < 0)) {
                longest = start;
            }
        }
        return longest;
    }

    /** Whether nothing is fetched for it at present, because it has enough. */
    boolean throttled() {
        return throttled;
    }

    void throttle(boolean on) {
        throttled = on;
    }

    synchronized int backlog() {
        return waiting.size();
    }

    synchronized boolean idle() {
        return working.isEmpty();
    }

    /** Begins nothing more; what is in hand may be finished. */
    synchronized void end() {
        ended = true;
        waiting.clear();
        notifyAll();
    }

    synchronized boolean ended() {
        return ended;
    }

    /** Waits, unless or until the lane ends. @return whether it goes on */
    synchronized boolean pause(long nanos) throws InterruptedException {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; !ended && left > 0; left = end - System.nanoTime()) {
            wait(left / 1_000_000, (int) (left % 1_000_000));
        }
        return !ended;
    }
}
