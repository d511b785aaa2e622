package dev.muster.engine.produce;

import dev.muster.engine.runtime.EngineThreads;
import java.lang.System.Logger.Level;
import java.util.concurrent.locks.LockSupport;

/**
 * Takes the turn whenever there is something to send and no other thread has it; sleeps otherwise. A platform thread:
 * calls into a log may hold their thread.
 */
final class SenderThread {
    private static final System.Logger LOG = System.getLogger(SenderThread.class.getName());

    /**
     * After a round of so many records more are on their way. Taking the first few of them at once would make small
     * batches and get in the way of sending threads; a nap lets a batch fill. After a smaller round there is none.
     */
    private static final int BUSY_RECORDS = 32;

    private static final long NAP_NANOS = 20_000;

    /** How long a record waits at most when a thread that always waited for its records did not, for once. */
    private static final long WATCH_NANOS = 1_000_000;

    private static final int QUIET_WATCHES_MAX = 20;

    private final RecordSender<?> sender;
    private final Thread thread;
    private volatile boolean parked;
    /** Looks by itself every now and then, because another thread writes what it sends. */
    private volatile boolean watching;

    private volatile boolean stopped;

    SenderThread(RecordSender<?> sender, String topic) {
        this.sender = sender;
        this.thread = EngineThreads.unstarted("muster-producer-" + topic, this::run);
    }

    void start() {
        thread.start();
    }

    /** To be called after there is something to do, so that either this call or the thread's last look sees it. */
    void wake() {
        if (parked || watching) {
            parked = false;
            LockSupport.unpark(thread);
        }
    }

    /** As {@link #wake}, when a thread that usually writes what it sends can be expected to do so. */
    void wakeToWatch() {
        if (parked) {
            parked = false;
            LockSupport.unpark(thread);
        }
    }

    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!stopped) {
            if (sender.hasHabit()) {
                watch();
            }
            int records = round();
            if (records == 0) {
                sleep(false);
            } else if (records >= BUSY_RECORDS && !sender.hasFullBatch()) {
                LockSupport.parkNanos(this, NAP_NANOS);
            }
        }
    }

    /**
     * Another thread writes what it sends. Looks now and then whether it stays so, and takes over when a batch is still
     * there that was there before. When nothing is sent for a while it sleeps, and is woken to watch.
     */
    private void watch() {
        watching = true;
        long seen = sender.lastBatch();
        int quiet = 0;
        while (sender.hasHabit() && !stopped) {
            LockSupport.parkNanos(this, WATCH_NANOS);
            long last = sender.lastBatch();
            if (last != seen) {
                seen = last;
                quiet = 0;
            } else if (sender.hasWork()) {
                sender.endHabit();
            } else if (++quiet == QUIET_WATCHES_MAX) {
                sleep(true);
                quiet = 0;
            }
        }
        watching = false;
    }

    private int round() {
        try {
            return sender.round(thread);
        } catch (Throwable e) {
            // No memory for a future's value, say. Those futures fail at their deadline; the records behind go on.
            LOG.log(Level.ERROR, "sending a round of batches failed", e);
            return 1;
        }
    }

    private void sleep(boolean withHabit) {
        parked = true;
        if (!sender.hasWork() && sender.hasHabit() == withHabit && !stopped) {
            LockSupport.park(this);
        }
        parked = false;
    }
}
