package dev.muster.cli.command;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

/**
 * Distinguishes a data directory that this user may not read from a missing one. {@link Files#exists} returns false for
 * both.
 */
public final class ReadPermission {
    /** The parts that every command needs. If one is not readable, records and groups would seem to be missing. */
    private static final List<String> PARTS = List.of(Opener.MARK, "topics", "logs", "consumer-groups");

    private ReadPermission() {}

    /**
     * Refuses a directory that the user may not list, enter or reach, as a whole or in part.
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
            for (String name : PARTS) {
                Path part = directory.resolve(name);
                boolean open = Files.isReadable(part) && (!Files.isDirectory(part) || Files.isExecutable(part));
                if (Files.exists(part) && !open) {
                    throw denied(part, null);
                }
            }
        } catch (AccessDeniedException e) {
            throw denied(directory, e);
        } catch (IOException e) {
            // A missing directory, for example. The command decides about it.
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
