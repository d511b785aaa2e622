package dev.muster.embedded.admin;

import dev.muster.core.MusterException;

/** A change of a group was refused; nothing was changed. The message says why, and what to try. */
public final class GroupRefusedException extends MusterException {
    public GroupRefusedException(String message, String hint, Throwable cause) {
        super(message, hint, cause);
    }
}
