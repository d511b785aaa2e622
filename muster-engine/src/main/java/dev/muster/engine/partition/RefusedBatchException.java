package dev.muster.engine.partition;

/** The batch is refused. Nothing was written. */
public final class RefusedBatchException extends RuntimeException {
    private final Reason reason;

    /** The cause of a refusal. */
    public enum Reason {
        CORRUPT,
        /** A field of the batch or of one of its records has a value that is not allowed. */
        INVALID_RECORD,
        INVALID_TIMESTAMP,
        TOO_LARGE,
        UNSUPPORTED_COMPRESSION,
        TRANSACTIONAL,
        OUT_OF_ORDER_SEQUENCE,
        OLD_PRODUCER_EPOCH,
        /** The connection that brought the batch was closed while the batch was checked. */
        CONNECTION_CLOSED
    }

    public RefusedBatchException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
