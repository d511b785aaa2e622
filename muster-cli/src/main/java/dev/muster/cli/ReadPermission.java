package dev.muster.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Tells a data directory that this user may not read from one that is missing. {@link Files#exists} answers both with
 * false.
 */
public final class ReadPermission {
    private ReadPermission() {}

    /**
     * Refuses a directory that the user may not list, enter or reach.
     *
     * @throws CommandException if the system denies permission
     */
    public static void check(Path directory) {
        try {
            if (!Files.readAttributes(directory, BasicFileAttributes.class).isDirectory()) {
                return;
            }
            if (!Files.isReadable(directory) || !Files.isExecutable(directory)) {
                throw denied(directory, null);
            }
            Path mark = directory.resolve(Opener.MARK);
            if (Files.exists(mark) && !Files.isReadable(mark)) {
                throw denied(mark, null);
            }
        } catch (AccessDeniedException e) {
            throw denied(directory, e);
        } catch (IOException e) {
            // A missing directory, for example: the command decides what that means.
            assert !Files.isDirectory(directory) : e;
        }
    }

    private static CommandException denied(Path file, AccessDeniedException e) {
        return new CommandException(
                ExitCode.REFUSED,
                "permission denied: " + file + " cannot be read by user " + System.getProperty("user.name"),
                "run the command as the owner of the directory, or give this user the right to read it",
                e);
    }
}
