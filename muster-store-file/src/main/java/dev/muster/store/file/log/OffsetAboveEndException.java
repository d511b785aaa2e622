package dev.muster.store.file.log;

/** A conditional append asked for an offset above the end of the log. */
final class OffsetAboveEndException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    OffsetAboveEndException(String message) {
        super(message);
    }
}
