package dev.muster.store.file.backup;

import dev.muster.store.file.finding.Finding;
import java.nio.file.Path;
import java.util.List;

/**
 * The result of a backup.
 *
 * @param folder the folder of the new backup
 * @param reused the number of files shared with the backup before, because they never change
 * @param bytesCopied the number of bytes that were read and written
 * @param bytes the size of the whole backup in bytes
 * @param damage the damage in the source, one sentence each; it was copied as it is
 * @param expired the number of old backups that were deleted
 */
public record BackupReport(
        Path folder,
        Manifest manifest,
        int files,
        int reused,
        long bytesCopied,
        long bytes,
        List<Finding> damage,
        int expired) {
    /** True if no damage was found in the source. */
    public boolean clean() {
        return damage.isEmpty();
    }
}
