package dev.muster.cli.consume;

import dev.muster.embedded.Received;

/**
 * Where the records of a group's member go. Whoever makes one says who is to be told of each record that has arrived:
 * that record counts as processed, and no other does. For one thread.
 */
interface Delivery extends AutoCloseable {
    /** Hands over the next record. It may arrive at once or later. */
    void hand(Received<byte[], byte[]> record);

    /** Sends on what was handed over and tells what has arrived by now. Does not wait for the far end. */
    void look();

    /** As {@link #look}, and waits for what has not arrived yet, though not for long: partitions are about to leave. */
    void settle();

    /** Whether the far end takes nothing more. */
    boolean isOver();

    /** Ends it in order. Afterwards everything that was handed over has arrived. */
    void finish();

    /** Lets go of the far end, whatever happened before. */
    @Override
    void close();
}
