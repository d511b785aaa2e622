package dev.muster.store.file.backup;

import dev.muster.store.file.finding.Finding;
import java.nio.file.Path;
import java.util.List;

/**
 * What a backup did.
 *
 * @param folder the new backup
 * @param reused files that are shared with the backup before, because they never change
 * @param bytesCopied bytes that were read and written
 * @param bytes all bytes of the backup
 * @param damage what is damaged in the source; it was copied as it is
 * @param expired old backups that were deleted
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
    /** True if nothing in the source is damaged. */
    public boolean clean() {
        return damage.isEmpty();
    }
}
