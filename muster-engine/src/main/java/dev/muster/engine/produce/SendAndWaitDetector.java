package dev.muster.engine.produce;

/**
 * Notices a thread that sends, waits for what it sent, sends, waits, while no other thread sends. Such a thread had
 * better write its records itself: handing them over to the sender's thread and being woken afterwards costs more than
 * anything else that Muster does for a record. For all threads.
 */
final class SendAndWaitDetector {
    private static final int TIMES = 16;

    private volatile Thread thread;
    private Thread candidate;
    private boolean waited;
    private int times;

    /** A thread opened a batch. Returns whether it can be expected to write it. */
    boolean sent(Thread self) {
        return thread == self || count(self);
    }

    private synchronized boolean count(Thread self) {
        if (candidate != self || !waited) {
            end();
            candidate = self;
        } else if (++times == TIMES) {
            thread = self;
        }
        waited = false;
        // Once more by the old way: the sender's thread has to learn of it.
        return false;
    }

    /** A thread waits for a record. */
    void waits(Thread self) {
        if (thread == null) {
            synchronized (this) {
                waited = candidate == self;
            }
        }
    }

    boolean isThere() {
        return thread != null;
    }

    /** Another thread sends, or no thread waited for the last record. */
    synchronized void end() {
        thread = null;
        candidate = null;
        waited = false;
        times = 0;
    }
}
