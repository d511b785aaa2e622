package dev.muster.store.file.log.copy;

import dev.muster.disk.Disk;
import dev.muster.store.file.log.recovery.Checkpoint;
import dev.muster.store.file.log.segment.SegmentName;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A partition that was put back from a backup. Offsets from its end on may have been given to other records before. A
 * new leader epoch tells those records from the ones that follow now, as after a power cut.
 */
public final class RestoredPartition {
    private RestoredPartition() {}

    /**
     * Begins a new leader epoch at the end of the log. Durable when this returns.
     *
     * @param end offset behind the last record of the backup
     * @param least the new epoch has at least this number
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
