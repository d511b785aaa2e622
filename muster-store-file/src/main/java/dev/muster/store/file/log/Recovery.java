package dev.muster.store.file.log;

import dev.muster.core.SyncLevel;
import dev.muster.store.file.disk.Disk;
import dev.muster.store.file.disk.DiskFile;
import java.io.IOException;
import java.util.List;
import java.util.UUID;

/**
 * Finds out where a partition ends when no control page of this boot tells: after a reboot, or when somebody deleted the
 * page. Reads from the checkpoint on, with every checksum. What two processes find at once is the same, and doing it twice
 * does no harm.
 */
final class Recovery {
    private static final System.Logger LOG = System.getLogger(Recovery.class.getName());

    /** What was found. */
    record Result(long start, long end, Checkpoint.Facts facts) {}

    private final Disk disk;
    private final PartitionKey key;
    private final UUID bootId;
    private final boolean readOnly;
    private final Checkpoint checkpoint;

    Recovery(Disk disk, PartitionKey key, UUID bootId, boolean readOnly) {
        this.disk = disk;
        this.key = key;
        this.bootId = bootId;
        this.readOnly = readOnly;
        this.checkpoint = new Checkpoint(disk, key.folder());
    }

    Result run(SyncLevel level) throws IOException {
        Checkpoint.Facts facts = checkpoint.read();
        List<SegmentName> names = SegmentList.read(disk, key.folder(), facts);
        if (names.isEmpty()) {
            long end = Math.max(facts.start(), facts.durable() == null ? 0 : facts.durable().offset());
            return new Result(facts.start(), end, facts);
        }
        long start = Math.max(facts.start(), names.getFirst().base());
        Checkpoint.Durable from = facts.durable();
        int first = from == null ? 0 : Math.max(0, names.indexOf(from.segment()));
        long end = names.get(first).base();
        for (int i = first; i < names.size(); i++) {
            boolean atCheckpoint = from != null && names.get(i).equals(from.segment());
            SegmentName next = i + 1 < names.size() ? names.get(i + 1) : null;
            long durable = from == null ? 0 : from.offset();
            long knownEnd = next != null ? next.base() : durable;
            end = scan(names.get(i), atCheckpoint ? from : null, Math.min(knownEnd, facts.cutOf(names.get(i))), durable, level);
            if (end < 0) {
                // A power cut left a hole in what was never synced: the log ends before it.
                long cut = -end - 1;
                int generation = highestGeneration() + 1;
                LOG.log(
                        System.Logger.Level.WARNING,
                        "an unclean stop lost unsynced records: {0} now ends at offset {1}",
                        key,
                        cut);
                if (!readOnly) {
                    checkpoint.writeCut(generation, cut);
                }
                facts = readOnly ? facts : checkpoint.read();
                return finish(names.subList(0, i + 1), start, cut, facts);
            }
        }
        if (from != null && end < from.offset()) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "damaged log: {0} ends at offset {1}, records up to {2} were there",
                    key,
                    end,
                    from.offset() - 1);
            end = from.offset();
        }
        return finish(names, start, end, facts);
    }

    /** The offset behind the last record of the segment; or, as {@code -1 - offset}, where a power cut ended the log. */
    private long scan(SegmentName name, Checkpoint.Durable from, long knownEnd, long durable, SyncLevel level)
            throws IOException {
        try (DiskFile file = disk.open(key.folder().resolve(name.logFile()))) {
            boolean resumes = from != null && from.offset() >= name.base() && from.position() <= file.size();
            SegmentScan scan = resumes
                    ? new SegmentScan(key, name, file, from.position(), from.offset(), knownEnd, true)
                    : SegmentScan.whole(key, name, file, knownEnd);
            boolean otherBoot = isOfAnotherBoot(name, file);
            while (true) {
                switch (scan.next()) {
                    case SegmentScan.Entry.Damage damage -> {
                        boolean unsynced = otherBoot && level != SyncLevel.COMMIT && damage.firstOffset() >= durable;
                        if (unsynced) {
                            return -1 - damage.firstOffset();
                        }
                    }
                    case SegmentScan.Entry.Seal _, SegmentScan.Entry.End _ -> {
                        return scan.nextOffset();
                    }
                    case SegmentScan.Entry.Batch _, SegmentScan.Entry.Open _, SegmentScan.Entry.Dead _ -> {}
                }
            }
        }
    }

    private boolean isOfAnotherBoot(SegmentName name, DiskFile file) throws IOException {
        SegmentScan.Entry first = new SegmentScan(key, name, file, 0, name.base(), 0, true).next();
        return !(first instanceof SegmentScan.Entry.Open open) || !open.mark().bootId().equals(bootId);
    }

    private int highestGeneration() throws IOException {
        int highest = 0;
        for (String file : disk.list(key.folder())) {
            highest = Math.max(highest, SegmentName.parse(file).map(SegmentName::generation).orElse(0));
        }
        return highest;
    }

    /** Makes durable what will be called so. */
    private Result finish(List<SegmentName> names, long start, long end, Checkpoint.Facts facts) throws IOException {
        if (!readOnly) {
            long synced = facts.durable() == null ? 0 : facts.durable().offset();
            for (int i = 0; i < names.size(); i++) {
                boolean above = i + 1 == names.size() || names.get(i + 1).base() > synced;
                if (above) {
                    try (DiskFile file = disk.open(key.folder().resolve(names.get(i).logFile()))) {
                        file.sync();
                    }
                }
            }
            disk.syncFolder(key.folder());
        }
        return new Result(start, end, facts);
    }
}
