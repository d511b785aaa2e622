package dev.muster.kafka.api.records;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory, and the open files, of records that are on their way to clients, bounded for all connections together:
 * clients that ask and do not read could take all there is. Who gets no memory sends less, or from the file; who gets
 * no file sends a copy.
 */
public final class ResponseBudget {
    /** Far below what a process may have open, which the logs need too. */
    private static final int FILES_MAX = 1_000;

    private final long bytesMax;
    private final AtomicLong taken = new AtomicLong();
    private final AtomicInteger open = new AtomicInteger();

    ResponseBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Whether there was so much; then it is to be given back. */
    public boolean tryTake(int bytes) {
        if (taken.addAndGet(bytes) <= bytesMax) {
            return true;
        }
        taken.addAndGet(-bytes);
        return false;
    }

    /** Whether one more file may be open; then it is to be told when it is closed. */
    public boolean tryOpen() {
        if (open.incrementAndGet() <= FILES_MAX) {
            return true;
        }
        open.decrementAndGet();
        return false;
    }

    public void closed(int files) {
        open.addAndGet(-files);
    }

    public void giveBack(long bytes) {
        taken.addAndGet(-bytes);
    }
}
