package dev.muster.kafka.sasl;

import dev.muster.core.MusterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/**
 * The rule for the users file, the same as that of ssh for keys: only its owner may read or write it, and its owner is
 * root or the user of this process. The file holds passwords, and another owner could add users.
 */
final class UsersFileAccess {
    private static final Set<PosixFilePermission> FORBIDDEN = EnumSet.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);
    private static final int ROOT = 0;

    private UsersFileAccess() {}

    /**
     * Refuses a file that breaks the rule. File systems without modes and owners are not checked.
     *
     * @throws MusterException if others may use the file, or own it
     */
    static void check(Path file) throws IOException {
        if (!file.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return;
        }
        Set<PosixFilePermission> modes = Files.getPosixFilePermissions(file);
        if (modes.stream().anyMatch(FORBIDDEN::contains)) {
            throw new MusterException(
                    "the users file " + file + " can be used by other users than its owner (its mode is "
                            + PosixFilePermissions.toString(modes) + ")",
                    "chmod 600 " + file);
        }
        checkOwner(file, (int) Files.getAttribute(file, "unix:uid"), processUser());
    }

    static void checkOwner(Path file, int owner, int user) {
        if (owner != ROOT && owner != user) {
            throw new MusterException(
                    "the users file " + file + " belongs to another user (uid " + owner + ", the server runs as uid "
                            + user + ")",
                    "chown " + user + " " + file + " && chmod 600 " + file);
        }
    }

    /** The user id that new files of this process get. */
    private static int processUser() throws IOException {
        Path self = Path.of("/proc/self");
        if (Files.exists(self)) {
            return (int) Files.getAttribute(self, "unix:uid");
        }
        Path probe = Files.createTempFile("muster-uid-", null);
        try {
            return (int) Files.getAttribute(probe, "unix:uid");
        } finally {
            Files.delete(probe);
        }
    }
}
