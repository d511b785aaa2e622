package dev.muster.cli.consume;

import dev.muster.embedded.Received;

/**
 * The destination of a member's records. It reports each record that has arrived; such a record counts as processed,
 * and no other does. For one thread.
 */
interface Delivery extends AutoCloseable {
    /** Takes the next record. The record may reach the destination during this call or later. */
    void hand(Received<byte[], byte[]> record);

    /** Sends on the records it took, and reports those that have arrived by now. Does not wait for the destination. */
    void look();

    /**
     * The same as {@link #look}, and waits a short time for records that have not arrived: partitions are about to be
     * revoked.
     */
    void settle();

    /** True if the destination takes no more records. */
    boolean isOver();

    /** Ends in order. After it, all records have arrived. */
    void finish();

    /** Releases the destination, in any state. */
    @Override
    void close();
}
