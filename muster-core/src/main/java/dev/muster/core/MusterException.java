package dev.muster.core;

import java.util.Optional;

/**
 * The world, or the caller, did something that Muster cannot work with. The message says what and why; {@link #hint()}
 * says what to try. Bugs are never reported with this type.
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

    /** What the user could try, as a sentence without a full stop. */
    public Optional<String> hint() {
        return Optional.ofNullable(hint);
    }
}
