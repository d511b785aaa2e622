package dev.muster.store;

import dev.muster.core.MusterException;

/** This process lost the right to append to a partition before the append took place. Nothing was written. */
public final class FencedException extends MusterException {
    /** @param partition the partition, as "orders-0" */
    public FencedException(String partition) {
        super(
                "cannot append to partition " + partition + ": this process lost the right to write it",
                "the append can be repeated with a new appender");
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
