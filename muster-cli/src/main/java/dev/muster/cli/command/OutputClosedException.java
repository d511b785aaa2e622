package dev.muster.cli.command;

/** Whoever read stdout went away ({@code | head}). A reason to stop, not to complain. */
public final class OutputClosedException extends RuntimeException {
    public OutputClosedException(Throwable cause) {
        super("stdout was closed", cause);
    }
}
