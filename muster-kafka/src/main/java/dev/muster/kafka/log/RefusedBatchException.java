package dev.muster.kafka.log;

import org.apache.kafka.common.protocol.Errors;

/** A batch that does not go into the log. Nothing was written. */
public final class RefusedBatchException extends RuntimeException {
    private final Errors error;

    public RefusedBatchException(Errors error, String message) {
        super(message);
        this.error = error;
    }

    public Errors error() {
        return error;
    }
}
