package dev.muster.store;

import dev.muster.core.MusterException;

/** Another process holds the right to append to a partition. Nothing was written. */
public final class NotOwnerException extends MusterException {
    /**
     * @param partition the partition, as "orders-0"
     * @param owner the process that holds the right, as the store knows it
     */
    public NotOwnerException(String partition, String owner) {
        super(
                "cannot append to partition " + partition + ": process " + owner + " writes it now",
                "the append can be repeated; it succeeds when that process has given the partition back");
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
