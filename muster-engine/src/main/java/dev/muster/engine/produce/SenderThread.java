package dev.muster.engine.produce;

import java.lang.System.Logger.Level;
import java.util.concurrent.locks.LockSupport;

/**
 * Takes the turn whenever there is something to send and nobody else has it; sleeps otherwise. A platform thread: calls
 * into a log may hold their thread.
 */
final class SenderThread {
    private static final System.Logger LOG = System.getLogger(SenderThread.class.getName());

    /**
     * After a round of so many records more are on their way. Taking the first few of them at once would make small
     * batches and get in the way of those who send; a nap lets a batch fill. After a smaller round there is none.
     */
    private static final int BUSY_RECORDS = 64;

    private static final long NAP_NANOS = 20_000;

    private final RecordSender<?> sender;
    private final Thread thread;
    private volatile boolean parked;
    private volatile boolean stopped;

    SenderThread(RecordSender<?> sender, String topic) {
        this.sender = sender;
        this.thread =
                Thread.ofPlatform().daemon().name("muster-producer-" + topic).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** To be called after there is something to do, so that either this call or the thread's last look sees it. */
    void wake() {
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
            int records = round();
            if (records == 0) {
                sleep();
            } else if (records >= BUSY_RECORDS && !sender.hasFullBatch()) {
                LockSupport.parkNanos(this, NAP_NANOS);
            }
        }
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

    private void sleep() {
        parked = true;
        if (!sender.hasWork() && !stopped) {
            LockSupport.park(this);
        }
        parked = false;
    }
}
