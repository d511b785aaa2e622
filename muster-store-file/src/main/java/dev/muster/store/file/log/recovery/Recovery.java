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
 * Finds the end of a partition if there is no control page of this boot: after a reboot, or after the page was deleted
 * or damaged. It reads from the checkpoint on and checks every checksum. Two processes that recover at once find the
 * same, and a second recovery does no harm.
 */
public final class Recovery {
    private static final System.Logger LOG = System.getLogger(Recovery.class.getName());

    /** The start and the end that were found. */
    public record Result(long start, long end, Checkpoint.Facts facts) {}

    private final Disk disk;
    private final PartitionKey key;
    private final UUID bootId;
    private final boolean readOnly;
    private final int headRunMin;
    private final Checkpoint checkpoint;

    /** @param showsUnsynced true if readers saw records before they were synced */
    public Recovery(Disk disk, PartitionKey key, UUID bootId, boolean readOnly, boolean showsUnsynced) {
        this.disk = disk;
        this.key = key;
        this.bootId = bootId;
        this.readOnly = readOnly;
        // At sync=commit the records behind invalid bytes may be acknowledged, so only a strong sign may cut them off.
        // In a journal they may be acknowledged too. But most of a journal's tail never was, and a group with a hole in
        // its journal could not continue.
        this.headRunMin = showsUnsynced ? 1 : UnwrittenBlocks.RUN_MIN;
        this.checkpoint = new Checkpoint(disk, key.folder());
    }

    public Result run() throws IOException {
        // The names are read first, then the checkpoint: a segment behind a cut is begun only after the cut is durable.
        // So all processes that recover at once find the same cut and give it the same generation.
        List<String> files = disk.list(key.folder());
        Checkpoint.Facts facts = checkpoint.read();
        List<SegmentName> names = SegmentList.of(files, facts);
        if (names.isEmpty()) {
            long end = Math.max(
                    facts.start(), facts.durable() == null ? 0 : facts.durable().offset());
            return new Result(facts.start(), end, facts);
        }
        // Segments are deleted only below a durable start. So without a checkpoint the first segment has the start.
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
                    "damaged log: {0} ends at offset {1}; the last record had offset {2}",
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

    /**
     * The end of a segment.
     *
     * @param tailLost true if records behind that end were lost in a power cut
     */
    private record Found(long end, boolean tailLost) {}

    private Found scan(SegmentName name, long nextBase, Checkpoint.Facts facts, UUID lastBoot) throws IOException {
        Checkpoint.Durable durable = facts.durable();
        // Nothing counts here behind this offset. The records of the next segment may be acknowledged, even if the seal
        // of this one is torn.
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
            // Older boots ended in a recovery, which made all records durable.
            UUID boot = bootOf(name, file);
            boolean mayLackATail = boot == null || boot.equals(lastBoot) && !boot.equals(bootId);
            if (mayLackATail) {
                scan.searchFurther();
            } else if (bootId.equals(boot)) {
                // The page of this boot was deleted or damaged, and the segment was not. Only a killed writer leaves a
                // torn tail, and nothing valid is behind it.
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

    /**
     * True if the bytes never reached the disk. A sync covers all earlier bytes, so no record behind such bytes was
     * acknowledged.
     */
    private boolean wasNeverWritten(DiskFile file, SegmentScan.Entry.Damage damage) throws IOException {
        return damage.until() >= file.size() || UnwrittenBlocks.in(file, damage.position(), damage.until(), headRunMin);
    }

    /** The boot in which this log was written last; null if it is not known. */
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

    /** The boot in which a segment was written; null if its first entry is missing. */
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

    /** Fsyncs everything below the recovered end before the end is published. */
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
