package dev.muster.cli.command;

/** The reader of stdout is gone ({@code | head}). The command ends without an error. */
public final class OutputClosedException extends RuntimeException {
    public OutputClosedException(Throwable cause) {
        super("stdout was closed", cause);
    }
}
