package dev.muster.embedded;

import java.time.Duration;

/** A consumer that calls a handler. Thread-safe. */
public interface RunningConsumer extends AutoCloseable {
    /** The partitions that this member owns, the generation it knows, and its id. */
    GroupAssignment assignment();

    /** Waits until the consumer has ended. Throws the failure that ended it, if there was one. */
    void join() throws InterruptedException;

    /** Like {@link #join()}, for at most this time. @return true if the consumer has ended */
    boolean join(Duration timeout) throws InterruptedException;

    /** Finishes the records in progress, commits and leaves the group. */
    @Override
    void close();
}
