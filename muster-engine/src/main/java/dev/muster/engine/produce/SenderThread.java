package dev.muster.engine.produce;

import dev.muster.engine.runtime.EngineThreads;
import java.lang.System.Logger.Level;
import java.util.concurrent.locks.LockSupport;

/**
 * The thread of a sender. Writes whenever there are batches and no other thread writes; sleeps otherwise. A platform
 * thread, because calls into a log may block in the kernel.
 */
final class SenderThread {
    private static final System.Logger LOG = System.getLogger(SenderThread.class.getName());

    /**
     * After a round of at least this many records, more records are expected soon. Writing the first few at once would
     * make small batches and compete with sending threads for the lock. So the thread pauses while a batch fills; after
     * a smaller round it does not pause.
     */
    private static final int BUSY_RECORDS = 32;

    private static final long NAP_NANOS = 20_000;

    /**
     * The longest delay of a record when the thread that usually waits for its records, and so writes them, does not
     * wait.
     */
    private static final long WATCH_NANOS = 1_000_000;

    private static final int QUIET_WATCHES_MAX = 20;

    private final RecordSender<?> sender;
    private final Thread thread;
    private volatile boolean parked;
    /** True while the thread only watches, because a sending thread writes its own records. */
    private volatile boolean watching;

    private volatile boolean stopped;

    SenderThread(RecordSender<?> sender, String topic) {
        this.sender = sender;
        this.thread = EngineThreads.unstarted("muster-producer-" + topic, this::run);
    }

    void start() {
        thread.start();
    }

    /**
     * Wakes the thread. Call it after adding the work: then either this call or the thread's last check before sleeping
     * sees it.
     */
    void wake() {
        if (parked || watching) {
            parked = false;
            LockSupport.unpark(thread);
        }
    }

    /** As {@link #wake}, when the sending thread can be expected to write its own records. */
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
            if (sender.isCallerWriting()) {
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
     * Watches a sending thread that writes its own records. Takes over when a batch is still unwritten at the next
     * check. Without new batches for a while the thread sleeps, until {@link #wakeToWatch}.
     */
    private void watch() {
        watching = true;
        long seen = sender.lastBatch();
        int quiet = 0;
        while (sender.isCallerWriting() && !stopped) {
            LockSupport.parkNanos(this, WATCH_NANOS);
            long last = sender.lastBatch();
            if (last != seen) {
                seen = last;
                quiet = 0;
            } else if (sender.hasWork()) {
                sender.forgetCaller();
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
            // For example no memory for a future's value. The futures of the round fail at their deadline; later
            // records are sent.
            LOG.log(Level.ERROR, "sending a round of batches failed", e);
            return 1;
        }
    }

    private void sleep(boolean whileWatching) {
        parked = true;
        if (!sender.hasWork() && sender.isCallerWriting() == whileWatching && !stopped) {
            LockSupport.park(this);
        }
        parked = false;
    }
}
