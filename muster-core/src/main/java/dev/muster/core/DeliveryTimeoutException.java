package dev.muster.core;

import java.time.Duration;

/** A record was not acknowledged in time. {@link #mayBeThere} says whether it can be, or become, part of the log. */
public final class DeliveryTimeoutException extends MusterException {
    private final boolean mayBeThere;

    public DeliveryTimeoutException(String topicPartition, Duration timeout, boolean mayBeThere) {
        super(
                "no acknowledgement from " + topicPartition + " within " + timeout.toMillis() + " ms; "
                        + (mayBeThere
                                ? "the outcome is unknown: the record may be in the log, or may still be written"
                                : "the record was not written and will not be"),
                "check the disk (is it slow, full or missing?); sending again can make a second record");
        this.mayBeThere = mayBeThere;
    }

    /** True if the record can be, or become, part of the log. False if it was never given to the log. */
    public boolean mayBeThere() {
        return mayBeThere;
    }
}
