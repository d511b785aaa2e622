package dev.muster.cli;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.PlacedException;
import dev.muster.core.BufferFullException;
import dev.muster.core.DeliveryTimeoutException;
import dev.muster.core.InvalidNameException;
import dev.muster.core.MusterException;
import dev.muster.core.json.JsonWriter;
import dev.muster.embedded.CommitRefusedException;
import dev.muster.embedded.FencedMemberException;
import dev.muster.embedded.admin.GroupRefusedException;
import dev.muster.store.FencedException;
import dev.muster.store.NotOwnerException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PermissionDeniedException;
import dev.muster.store.ReadOnlyException;
import dev.muster.store.RecordTimestampException;
import dev.muster.store.RecordTooLargeException;
import dev.muster.store.StoreNotFoundException;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicExistsException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.UnsupportedStoreException;
import dev.muster.store.group.GroupDeletedException;
import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * An error for the user: the message, a hint, and the exit code.
 *
 * @param hint may be null
 */
public record Problem(ExitCode exitCode, String message, String hint) {
    /** The error and exit code of any failure. */
    public static Problem of(Throwable thrown) {
        return switch (thrown) {
            case PlacedException placed -> of(placed.getCause()).at(placed.place());
            case CommandException e -> of(e.exitCode(), e);
            case InvalidNameException e -> of(ExitCode.USAGE, e);
            case TopicNotFoundException e -> of(ExitCode.NOT_FOUND, e);
            case StoreNotFoundException e -> of(ExitCode.NOT_FOUND, e);
            case TopicExistsException e -> of(ExitCode.REFUSED, e);
            case TopicDeletedException e -> of(ExitCode.REFUSED, e);
            case ReadOnlyException e -> of(ExitCode.REFUSED, e);
            case PermissionDeniedException e -> of(ExitCode.REFUSED, e);
            case NotOwnerException e -> of(ExitCode.REFUSED, e);
            case FencedException e -> of(ExitCode.REFUSED, e);
            case OffsetOutOfRangeException e -> of(ExitCode.REFUSED, e);
            case RecordTooLargeException e -> of(ExitCode.REFUSED, e);
            case RecordTimestampException e -> of(ExitCode.REFUSED, e);
            case GroupRefusedException e -> of(ExitCode.REFUSED, e);
            case GroupDeletedException e -> of(ExitCode.REFUSED, e);
            case CommitRefusedException e -> of(ExitCode.REFUSED, e);
            case FencedMemberException e -> of(ExitCode.REFUSED, e);
            case UnsupportedStoreException e -> of(ExitCode.REFUSED, e);
            case DeliveryTimeoutException e -> of(ExitCode.TIMED_OUT, e);
            case BufferFullException e -> of(ExitCode.TIMED_OUT, e);
            case MusterException e -> of(ExitCode.FAILED, e);
            case OutOfMemoryError e ->
                new Problem(
                        ExitCode.FAILED,
                        "not enough memory: " + e.getMessage(),
                        "allow more than " + (Runtime.getRuntime().maxMemory() >> 20)
                                + " MiB: MUSTER_OPTS=-Xmx2g muster …");
            case java.nio.file.NoSuchFileException e ->
                new Problem(ExitCode.NOT_FOUND, "there is no file " + e.getFile(), null);
            case java.nio.file.AccessDeniedException e ->
                new Problem(ExitCode.REFUSED, "permission denied: " + e.getFile(), null);
            case java.io.IOException e -> new Problem(ExitCode.FAILED, String.valueOf(e.getMessage()), null);
            default ->
                new Problem(
                        ExitCode.FAILED,
                        "unexpected: " + thrown,
                        "this is a bug in muster: run it again with -v and report what it prints");
        };
    }

    private static Problem of(ExitCode exitCode, MusterException e) {
        return new Problem(exitCode, e.getMessage(), e.hint().orElse(null));
    }

    private Problem at(String place) {
        return new Problem(exitCode, place + ": " + message, hint);
    }

    /** Two lines of text, or one JSON object. */
    public String render(boolean json) {
        if (json) {
            return new JsonWriter()
                    .object()
                    .field("error", exitCode.slug())
                    .field("message", message)
                    .field("hint", hint)
                    .field("exitCode", exitCode.code())
                    .end()
                    .toString();
        }
        return "muster: " + message + (hint == null ? "" : "\ntry: " + hint);
    }

    static String stackTrace(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text.toString().stripTrailing();
    }
}
