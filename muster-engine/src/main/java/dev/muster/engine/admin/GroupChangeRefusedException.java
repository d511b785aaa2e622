package dev.muster.engine.admin;

import dev.muster.core.MusterException;

/** A change of a group was refused, and changed nothing. The message has the cause; the hint has a remedy. */
public final class GroupChangeRefusedException extends MusterException {
    GroupChangeRefusedException(String message) {
        super(message);
    }

    GroupChangeRefusedException(String message, String hint) {
        super(message, hint);
    }
}
