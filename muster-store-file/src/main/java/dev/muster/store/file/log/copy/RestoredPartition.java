package dev.muster.store.file.log.copy;

import dev.muster.disk.Disk;
import dev.muster.store.file.log.recovery.Checkpoint;
import dev.muster.store.file.log.segment.SegmentName;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A partition that was restored from a backup. Other records may have had the offsets from its end on before. A new
 * leader epoch distinguishes those records from the new ones, as after a power cut.
 */
public final class RestoredPartition {
    private RestoredPartition() {}

    /**
     * Begins a new leader epoch at the end of the log. It is durable when this returns.
     *
     * @param end the offset behind the last record of the backup
     * @param least the lowest number of the new epoch
     * @return the new epoch
     */
    public static int beginEpoch(Disk disk, Path folder, long end, int least) throws IOException {
        Checkpoint checkpoint = new Checkpoint(disk, folder);
        Checkpoint.Facts facts = checkpoint.read();
        int generation = facts.cuts().isEmpty() ? 0 : facts.cuts().getLast().generation();
        for (String file : disk.list(folder)) {
            generation = Math.max(
                    generation,
                    SegmentName.parse(file).map(SegmentName::generation).orElse(0));
        }
        int epoch = Math.max(facts.leaderEpoch() + 1, least);
        checkpoint.writeCut(generation + 1, end, epoch);
        return epoch;
    }
}
