package dev.muster.cli.command;

import dev.muster.core.MusterException;

/** A command cannot continue. The exception carries the exit code. */
public final class CommandException extends MusterException {
    private final ExitCode exitCode;

    public CommandException(ExitCode exitCode, String message, String hint) {
        this(exitCode, message, hint, null);
    }

    public CommandException(ExitCode exitCode, String message, String hint, Throwable cause) {
        super(message, hint, cause);
        this.exitCode = exitCode;
    }

    public static CommandException usage(String message, String hint) {
        return new CommandException(ExitCode.USAGE, message, hint);
    }

    public ExitCode exitCode() {
        return exitCode;
    }
}
