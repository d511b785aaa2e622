package dev.muster.embedded.admin;

import dev.muster.core.MusterException;

/** A change of a group was refused. Nothing was changed. The message names the cause, and the hint a way out. */
public final class GroupRefusedException extends MusterException {
    public GroupRefusedException(String message, String hint, Throwable cause) {
        super(message, hint, cause);
    }
}
