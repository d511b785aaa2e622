package dev.muster.kafka.api.records;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory and the open files of records on their way to clients, bounded for all connections together: clients that
 * ask and do not read could take everything. A response without memory gets fewer records, or sends them from the file.
 * A response without a file sends a copy.
 */
public final class ResponseBudget {
    /** Far below the limit of a process, because the logs need open files too. */
    private static final int FILES_MAX = 1_000;

    private final long bytesMax;
    private final AtomicLong taken = new AtomicLong();
    private final AtomicInteger open = new AtomicInteger();

    ResponseBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Takes memory. True if there was enough; the caller must give it back. */
    public boolean tryTake(int bytes) {
        if (taken.addAndGet(bytes) <= bytesMax) {
            return true;
        }
        taken.addAndGet(-bytes);
        return false;
    }

    /** Reserves one open file. True if there was room; the caller reports when it is closed. */
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
