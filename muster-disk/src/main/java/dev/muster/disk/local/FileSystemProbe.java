package dev.muster.disk.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * Checks that a folder is on a file system with the guarantees that the store needs: appends in one piece, locks,
 * shared mappings, one kernel. File systems known to have them are listed here. All others are refused, network and
 * overlay file systems above all.
 */
public final class FileSystemProbe {
    // The names are those of java.nio.file.FileStore.type(). ext2/ext3/ext4 share one driver.
    private static final Set<String> LOCAL =
            Set.of("ext4", "ext3", "ext2", "xfs", "btrfs", "zfs", "tmpfs", "f2fs", "bcachefs", "apfs", "hfs");

    private static final Set<String> NETWORK = Set.of(
            "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "afs", "ceph", "glusterfs", "lustre", "vboxsf");

    private FileSystemProbe() {}

    /** The reason why the store does not work in this folder; empty if it does. The folder must exist. */
    public static Optional<String> objection(Path folder) {
        String type = type(folder);
        if (LOCAL.contains(type)) {
            return Optional.empty();
        }
        String kind = NETWORK.contains(type)
                ? "a network file system: locks and shared memory do not reach other machines"
                : type.startsWith("fuse")
                        ? "a user-space file system: appends and shared memory are not what the kernel's own file"
                                + " systems promise"
                        : type.startsWith("overlay")
                                ? "an overlay: files written there are lost with the container; put the data on a"
                                        + " volume"
                                : "not one of the local file systems that Muster knows";
        return Optional.of("it lies on " + type + ", " + kind);
    }

    /** The name of the file system, in lower case; {@code unknown} if the system does not report it. */
    public static String type(Path folder) {
        try {
            return Files.getFileStore(folder).type().toLowerCase(java.util.Locale.ROOT);
        } catch (IOException | SecurityException e) {
            return "unknown";
        }
    }
}
