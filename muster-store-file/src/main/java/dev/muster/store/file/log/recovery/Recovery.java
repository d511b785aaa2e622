package dev.muster.store.file.log.recovery;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.store.file.log.segment.PartitionKey;
import dev.muster.store.file.log.segment.SegmentName;
import dev.muster.store.file.log.segment.SegmentScan;
import dev.muster.store.file.log.segment.UnwrittenBlocks;
import java.io.IOException;
import java.util.List;
import java.util.UUID;

/**
 * Finds out where a partition ends when no control page of this boot tells: after a reboot, or when the page was
 * deleted or damaged. Reads from the checkpoint on, with every checksum. What two processes find at once is the same,
 * and doing it twice does no harm.
 */
public final class Recovery {
    private static final System.Logger LOG = System.getLogger(Recovery.class.getName());

    /** What was found. */
    public record Result(long start, long end, Checkpoint.Facts facts) {}

    private final Disk disk;
    private final PartitionKey key;
    private final UUID bootId;
    private final boolean readOnly;
    private final int headRunMin;
    private final Checkpoint checkpoint;

    /** @param showsUnsynced whether records were seen before they were synced */
    public Recovery(Disk disk, PartitionKey key, UUID bootId, boolean readOnly, boolean showsUnsynced) {
        this.disk = disk;
        this.key = key;
        this.bootId = bootId;
        this.readOnly = readOnly;
        // At sync=commit what stands behind may be acknowledged: only a strong sign may cut it off. In a journal it may
        // be too, but there most of a tail never was, and a group whose journal has a hole in it could not go on.
        this.headRunMin = showsUnsynced ? 1 : UnwrittenBlocks.RUN_MIN;
        this.checkpoint = new Checkpoint(disk, key.folder());
    }

    public Result run() throws IOException {
        // Names first, then the journal: a segment behind a cut is begun only when the cut is durable. So all who
        // recover
        // at once find the same cut and give it the same generation.
        List<String> files = disk.list(key.folder());
        Checkpoint.Facts facts = checkpoint.read();
        List<SegmentName> names = SegmentList.of(files, facts);
        if (names.isEmpty()) {
            long end = Math.max(
                    facts.start(), facts.durable() == null ? 0 : facts.durable().offset());
            return new Result(facts.start(), end, facts);
        }
        // Segments are deleted only below a start that is durable, so without a journal the first one tells the start.
        long start = facts.size() == 0 ? names.getFirst().base() : facts.start();
        Checkpoint.Durable from = facts.durable();
        int first = from == null ? 0 : Math.max(0, names.indexOf(from.segment()));
        UUID lastBoot = lastBoot(names);
        Found found = new Found(names.get(first).base(), false);
        int scanned = first;
        for (int i = first; i < names.size() && !found.tailLost(); i++) {
            long next = i + 1 < names.size() ? names.get(i + 1).base() : Long.MAX_VALUE;
            found = scan(names.get(i), next, facts, lastBoot);
            scanned = i;
        }
        long end = found.end();
        if (!found.tailLost() && from != null && end < from.offset()) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "damaged log: {0} ends at offset {1}, records up to {2} were there",
                    key,
                    end,
                    from.offset() - 1);
            end = from.offset();
        }
        if (found.tailLost() || end < start) {
            end = Math.max(end, start);
            LOG.log(
                    System.Logger.Level.WARNING,
                    "an unclean stop lost records that were never synced: {0} now ends at offset {1}",
                    key,
                    end);
            if (!readOnly) {
                checkpoint.writeCut(highestGeneration(files) + 1, end);
                facts = checkpoint.read();
            }
        }
        return finish(names.subList(0, scanned + 1), start, end, facts);
    }

    /** Where a segment ends, and whether a power cut took something behind that. */
    private record Found(long end, boolean tailLost) {}

    private Found scan(SegmentName name, long nextBase, Checkpoint.Facts facts, UUID lastBoot) throws IOException {
        Checkpoint.Durable durable = facts.durable();
        // Behind this nothing counts here. What the next segment holds may be acknowledged, however torn our seal is.
        long limit = Math.min(nextBase, facts.cutOf(name));
        long knownEnd = limit < Long.MAX_VALUE ? limit : durable == null ? 0 : durable.offset();
        try (DiskFile file = disk.open(key.folder().resolve(name.logFile()))) {
            boolean resumes = durable != null
                    && name.equals(durable.segment())
                    && durable.offset() >= name.base()
                    && durable.position() <= file.size();
            SegmentScan scan = resumes
                    ? new SegmentScan(key, name, file, durable.position(), durable.offset(), knownEnd, true)
                    : SegmentScan.whole(key, name, file, knownEnd);
            // Older boots ended in a recovery, which made all that was there durable.
            UUID boot = bootOf(name, file);
            boolean mayLackATail = boot == null || boot.equals(lastBoot) && !boot.equals(bootId);
            if (mayLackATail) {
                scan.searchFurther();
            } else if (bootId.equals(boot)) {
                // The page of this boot was deleted or damaged. The segment was not: only a writer that was killed
                // leaves a torn tail, and nothing valid stands behind that.
                scan.searchWritten();
            }
            while (scan.nextOffset() < limit) {
                switch (scan.next()) {
                    case SegmentScan.Entry.Damage damage -> {
                        boolean wasDurable = durable != null && damage.firstOffset() < durable.offset();
                        if (mayLackATail && !wasDurable && wasNeverWritten(file, damage)) {
                            return new Found(damage.firstOffset(), true);
                        }
                    }
                    case SegmentScan.Entry.End end
                    when end.torn() && mayLackATail -> {
                        return new Found(scan.nextOffset(), true);
                    }
                    case SegmentScan.Entry.Seal _, SegmentScan.Entry.End _ -> {
                        return new Found(scan.nextOffset(), false);
                    }
                    case SegmentScan.Entry.Batch _, SegmentScan.Entry.Open _, SegmentScan.Entry.Dead _ -> {}
                }
            }
            return new Found(limit, false);
        }
    }

    /** A sync covers all that stands before: behind bytes that never reached the disk nothing was acknowledged. */
    private boolean wasNeverWritten(DiskFile file, SegmentScan.Entry.Damage damage) throws IOException {
        return damage.until() >= file.size() || UnwrittenBlocks.in(file, damage.position(), damage.until(), headRunMin);
    }

    /** The boot in which this log was written last. */
    private UUID lastBoot(List<SegmentName> names) throws IOException {
        for (SegmentName name : names.reversed()) {
            try (DiskFile file = disk.open(key.folder().resolve(name.logFile()))) {
                UUID boot = bootOf(name, file);
                if (boot != null) {
                    return boot;
                }
            }
        }
        return null;
    }

    /** The boot in which a segment was written; null when its first entry is not there. */
    private UUID bootOf(SegmentName name, DiskFile file) throws IOException {
        SegmentScan.Entry first = new SegmentScan(key, name, file, 0, name.base(), 0, true).next();
        return first instanceof SegmentScan.Entry.Open open ? open.mark().bootId() : null;
    }

    private static int highestGeneration(List<String> files) {
        int highest = 0;
        for (String file : files) {
            highest = Math.max(
                    highest,
                    SegmentName.parse(file).map(SegmentName::generation).orElse(0));
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
                    try (DiskFile file =
                            disk.open(key.folder().resolve(names.get(i).logFile()))) {
                        file.sync();
                    }
                }
            }
            disk.syncFolder(key.folder());
        }
        return new Result(start, end, facts);
    }
}
