package dev.muster.embedded;

import java.time.Duration;

/** A handler at work. */
public interface RunningConsumer extends AutoCloseable {
    GroupAssignment assignment();

    /** Waits for the end; throws what ended it, when that was a failure. */
    void join() throws InterruptedException;

    /** @return whether it ended within this time */
    boolean join(Duration timeout) throws InterruptedException;

    /** Finishes what is in hand, commits and leaves the group. */
    @Override
    void close();
}
