package dev.muster.embedded;

import dev.muster.core.MusterException;

/** Another process joined with the same instance id, so this member is out of the group for good. */
public final class FencedMemberException extends MusterException {
    public FencedMemberException(String message) {
        super(message, "give every process an instance id of its own");
    }
}
