package dev.muster.store.file.backup;

import java.nio.file.Path;

/**
 * What a restore did.
 *
 * @param from the backup that was taken
 * @param epoch leader epoch that the partitions have from now on
 */
public record RestoreReport(Path from, Manifest manifest, int epoch, long bytes) {}
