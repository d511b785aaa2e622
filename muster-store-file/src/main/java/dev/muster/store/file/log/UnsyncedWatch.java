package dev.muster.store.file.log;

import dev.muster.disk.Machine;
import dev.muster.store.watch.Registration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Syncs records that a dead or stopped writer left unsynced, for the readers of this process. At {@code sync=commit}
 * readers see only durable records, and no counter is raised before the sync: without this, such records stay hidden
 * until the next append or the upkeep of some process.
 *
 * <p>One thread looks at the control pages of the partitions that a reader subscribed to. A look reads memory only.
 * Records that are still unsynced {@link #GRACE_NANOS} later are synced on this thread. Safe for many threads.
 */
public final class UnsyncedWatch implements AutoCloseable {
    /** The time between two looks. */
    static final long PERIOD_NANOS = 200_000_000;

    /** The time within which a living writer mostly syncs. */
    static final long GRACE_NANOS = 10_000_000;

    /**
     * The time per partition: with more than a thousand partitions the looks are less frequent, so that they cost no
     * more.
     */
    private static final long PERIOD_PER_PARTITION_NANOS = 200_000;

    private static final long LONGEST_PERIOD_NANOS = 1_000_000_000;
    /** The pause of a partition after a failure. The upkeep then syncs it, and reports a failure. */
    private static final long RETRY_NANOS = 1_000_000_000;

    private static final long NO_READER_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final System.Logger LOG = System.getLogger(UnsyncedWatch.class.getName());

    private final Machine machine;
    /** The number of subscriptions of each partition. */
    private final Map<FilePartition, Integer> watched = new ConcurrentHashMap<>();
    /** The time of the last failure, for the partitions that failed. Used by the watching thread only. */
    private final Map<FilePartition, Long> failed = new HashMap<>();

    private Thread thread;
    /** True while the thread waits for a first subscription. */
    private volatile boolean idle;

    private volatile boolean closed;

    public UnsyncedWatch(Machine machine) {
        this.machine = machine;
    }

    /** Watches the partition until the subscription is closed. */
    Registration watch(FilePartition log) {
        watched.merge(log, 1, Integer::sum);
        wakeThread();
        AtomicBoolean open = new AtomicBoolean(true);
        return () -> {
            if (open.compareAndSet(true, false)) {
                watched.computeIfPresent(log, (_, count) -> count == 1 ? null : count - 1);
            }
        };
    }

    private synchronized void wakeThread() {
        if (closed) {
            return;
        }
        if (thread == null) {
            thread = machine.thread("muster-unsynced", this::run);
            thread.start();
        } else if (idle) {
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        while (!closed) {
            // The flag is set first: a later subscription is then either seen below, or ends the pause.
            idle = true;
            if (watched.isEmpty()) {
                machine.pause(NO_READER_NANOS);
            } else {
                idle = false;
                pause(Math.clamp(watched.size() * PERIOD_PER_PARTITION_NANOS, PERIOD_NANOS, LONGEST_PERIOD_NANOS));
                look();
            }
        }
    }

    private void look() {
        Map<FilePartition, Long> unsynced = new HashMap<>();
        for (FilePartition log : watched.keySet()) {
            attempt(log, () -> {
                long end = log.unsyncedEnd();
                if (end != FilePartition.ALL_SYNCED) {
                    unsynced.put(log, end);
                }
            });
        }
        failed.keySet().retainAll(watched.keySet());
        if (!unsynced.isEmpty()) {
            pause(GRACE_NANOS);
            unsynced.forEach((log, end) -> attempt(log, () -> log.syncIfUnsynced(end)));
        }
    }

    private void attempt(FilePartition log, Runnable step) {
        Long failure = failed.get(log);
        if (closed || failure != null && machine.nanoTime() - failure < RETRY_NANOS) {
            return;
        }
        try {
            step.run();
            failed.remove(log);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "cannot sync {0}: {1}", log.key(), e.getMessage());
            failed.put(log, machine.nanoTime());
        }
    }

    /** Waits for all of this time, unless the store is closed. */
    private void pause(long nanos) {
        long end = machine.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !closed; left = end - machine.nanoTime()) {
            machine.pause(left);
        }
    }

    /** Returns when no sync of the watch is in progress. */
    @Override
    public void close() {
        Thread last;
        synchronized (this) {
            closed = true;
            last = thread;
        }
        if (last == null || last == Thread.currentThread()) {
            return;
        }
        LockSupport.unpark(last);
        try {
            last.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
