package dev.muster.embedded;

import dev.muster.core.MusterException;

/**
 * Another process joined with the same instance id, so this member was removed from the group and must not join again.
 */
public final class FencedMemberException extends MusterException {
    public FencedMemberException(String message) {
        super(message, "give every process an instance id of its own");
    }
}
