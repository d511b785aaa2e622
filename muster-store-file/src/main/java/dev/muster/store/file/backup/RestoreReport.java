package dev.muster.store.file.backup;

import java.nio.file.Path;

/**
 * The result of a restore.
 *
 * @param from the backup that was restored
 * @param epoch the leader epoch that the partitions have from now on
 */
public record RestoreReport(Path from, Manifest manifest, int epoch, long bytes) {}
