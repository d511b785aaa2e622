package dev.muster.kafka;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory of records that are on their way to clients, bounded for all connections together: clients that ask and do
 * not read could fill it. Who gets none sends less, or from the file.
 */
public final class AnswerMemory {
    private final long bytesMax;
    private final AtomicLong taken = new AtomicLong();

    AnswerMemory(long bytesMax) {
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

    public void giveBack(long bytes) {
        taken.addAndGet(-bytes);
    }
}
