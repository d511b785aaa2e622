package dev.muster.core;

import java.util.Optional;

/**
 * A state of the system, or a call, that Muster cannot work with. The message says what failed and why; {@link #hint()}
 * says what the user can try. Bugs are never reported with this type.
 */
public class MusterException extends RuntimeException {
    private final String hint;

    public MusterException(String message) {
        this(message, null, null);
    }

    public MusterException(String message, String hint) {
        this(message, hint, null);
    }

    public MusterException(String message, String hint, Throwable cause) {
        super(message, cause);
        this.hint = hint;
    }

    /** Advice to the user, as a sentence without a full stop. Empty if there is none. */
    public Optional<String> hint() {
        return Optional.ofNullable(hint);
    }

    /**
     * True if the same call may succeed later without a change by the user, and repeating it does no harm: nothing of
     * the failed call took effect.
     */
    public boolean retryable() {
        return false;
    }
}
