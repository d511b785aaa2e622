package dev.muster.embedded.internal;

import dev.muster.core.TopicPartition;
import dev.muster.embedded.Received;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
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
    private final Work work;
    private final Deque<Item> waiting = new ArrayDeque<>();
    /** The order keys that are at work, and since when; {@link #NOT_COUNTED} while a retry is waited for. */
    private final Map<Object, Long> working = new HashMap<>();

    private boolean ended;
    private volatile boolean throttled;

    static final long NOT_COUNTED = Long.MIN_VALUE;

    /** A record with what orders it: equal keys are worked one after the other. */
    record Item(Object orderKey, Received<byte[], byte[]> record) {}

    /** Does everything that is to be done for a record; returns when that is finished or given up. */
    interface Work {
        void on(PartitionWorker lane, Item item);

        /** A worker is done and there is nothing more for it. */
        void rests(PartitionWorker lane);
    }

    /** @param since the generation in which the partition became ours */
    PartitionWorker(TopicPartition partition, long since, int inFlightMax, Work work) {
        this.partition = partition;
        this.since = since;
        this.inFlightMax = inFlightMax;
        this.work = work;
    }

    TopicPartition partition() {
        return partition;
    }

    long since() {
        return since;
    }

    void add(Item item) {
        synchronized (this) {
            if (ended) {
                return;
            }
            waiting.add(item);
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
        for (Iterator<Item> items = waiting.iterator(); items.hasNext(); ) {
            Item item = items.next();
            if (!working.containsKey(item.orderKey()) && passed.add(item.orderKey())) {
                items.remove();
                working.put(item.orderKey(), NOT_COUNTED);
                return item;
            }
        }
        return null;
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
