package dev.muster.store;

import dev.muster.core.MusterException;

/** This process lost its lease while it was stopped or disconnected. */
public final class FencedException extends MusterException {
    public FencedException(String what) {
        super("fenced: " + what);
    }
}
