package dev.muster.core;

/** The thread was interrupted while it waited. Its interrupt flag is set again; records sent before are still sent. */
public final class InterruptedWaitException extends MusterException {
    public InterruptedWaitException(String what) {
        super("interrupted while waiting " + what);
    }
}
