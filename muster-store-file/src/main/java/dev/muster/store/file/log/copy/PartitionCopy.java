package dev.muster.store.file.log.copy;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.store.file.finding.Finding;
import dev.muster.store.file.finding.Finding.Severity;
import dev.muster.store.file.log.recovery.Checkpoint;
import dev.muster.store.file.log.recovery.ControlPage;
import dev.muster.store.file.log.recovery.Recovery;
import dev.muster.store.file.log.recovery.SegmentList;
import dev.muster.store.file.log.segment.Mark;
import dev.muster.store.file.log.segment.PartitionKey;
import dev.muster.store.file.log.segment.SegmentName;
import dev.muster.store.file.log.segment.SegmentScan;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongConsumer;

/**
 * Copies one partition up to the end that it has at the beginning of the copy, while other processes append to it. It
 * reads the source without opening it as a store and never writes there. It verifies the checksums of all records that
 * count. Damage is reported and copied as it is. The copy gets segments and a checkpoint; everything else is derived.
 */
public final class PartitionCopy {
    /** The number of attempts, because retention may delete a segment during the copy. */
    private static final int ATTEMPTS = 20;

    /**
     * A file of the copy.
     *
     * @param name the name of the file in the partition's folder
     * @param closed true if the segment never changes any more, and all of it could be read
     */
    public record CopiedFile(String name, long bytes, int crc, boolean closed, boolean reused) {}

    /**
     * The result of a copy: the records from {@code start} to before {@code end}.
     *
     * @param findings the damage in the source
     */
    public record Result(long start, long end, List<CopiedFile> files, List<Finding> findings) {}

    /** An earlier copy of the same partition. Its closed segments need not be read again. */
    public interface Earlier {
        /** The closed segment of this name; empty if the earlier copy lacks it, or has only a part of it. */
        Optional<CopiedFile> closed(String name) throws IOException;

        /** Opens the file of the earlier copy. */
        DiskFile open(CopiedFile file) throws IOException;

        /**
         * Gives the file of the earlier copy a second name.
         *
         * @return false if the file system cannot do that
         */
        boolean link(CopiedFile file, Path to) throws IOException;
    }

    private final Disk disk;
    private final PartitionKey key;
    private final String name;
    private final UUID bootId;
    private final boolean showsUnsynced;
    private final Earlier earlier;
    private final FileCopy copy;

    /**
     * @param name the name for findings, such as {@code orders-3}
     * @param showsUnsynced true if readers see records before they are durable: then those records are copied too
     * @param copied the consumer of the number of bytes of each piece that was copied
     */
    public PartitionCopy(
            Disk disk,
            PartitionKey key,
            String name,
            UUID bootId,
            boolean showsUnsynced,
            Earlier earlier,
            LongConsumer copied) {
        this.disk = disk;
        this.key = key;
        this.name = name;
        this.bootId = bootId;
        this.showsUnsynced = showsUnsynced;
        this.earlier = earlier;
        this.copy = new FileCopy(disk, copied);
    }

    /**
     * Copies into a folder that does not exist yet. The copy is durable when this returns, except for the folder's own
     * name.
     */
    public Result into(Path folder) throws IOException {
        for (int attempt = 1; ; attempt++) {
            disk.deleteTree(folder);
            disk.createFolders(folder);
            try {
                return once(folder);
            } catch (NoSuchFileException e) {
                // Retention or a trim deleted a segment after it was listed: the start is higher now.
                if (attempt == ATTEMPTS || !disk.exists(key.folder())) {
                    throw e;
                }
            }
        }
    }

    /** The offsets at which the log begins and ends for its readers. */
    private record Ends(long start, long end) {}

    /**
     * The end of a log for its readers, read without opening the log.
     *
     * @param showsUnsynced true if readers see records before they are durable
     */
    public static long endOffset(Disk disk, PartitionKey key, UUID bootId, boolean showsUnsynced) throws IOException {
        return ends(disk, key, bootId, showsUnsynced).end();
    }

    private static Ends ends(Disk disk, PartitionKey key, UUID bootId, boolean showsUnsynced) throws IOException {
        ControlPage page = ControlPage.openExisting(disk, ControlPage.file(key.folder(), bootId), true);
        if (page == null) {
            Recovery.Result found = new Recovery(disk, key, bootId, true, showsUnsynced).run();
            return new Ends(found.start(), found.end());
        }
        // The start never passes the end. It is read before the end, so it cannot be ahead of it.
        long start = page.start();
        long end = showsUnsynced ? page.writtenEnd() : page.durableEnd();
        return new Ends(start, Math.max(start, end));
    }

    private Result once(Path folder) throws IOException {
        Ends ends = ends(disk, key, bootId, showsUnsynced);
        Checkpoint checkpoint = new Checkpoint(disk, key.folder());
        Checkpoint.Facts facts = checkpoint.read();
        List<SegmentName> names = SegmentList.read(disk, key.folder(), facts);
        List<Finding> findings = new ArrayList<>();
        List<CopiedFile> files = new ArrayList<>();
        int first = Math.max(0, SegmentList.floor(names, ends.start()));
        boolean lacksFirst = names.isEmpty()
                ? ends.end() > ends.start()
                : names.get(first).base() > ends.start() && ends.end() > ends.start();
        if (lacksFirst && checkpoint.read().start() > ends.start()) {
            throw new NoSuchFileException(key.folder().toString());
        }
        if (lacksFirst) {
            findings.add(new Finding(
                    Severity.DAMAGE,
                    key.folder(),
                    -1,
                    name,
                    ends.start(),
                    "the segment that holds offset " + ends.start() + " is missing"));
        }
        Checkpoint.Durable durable = null;
        for (int i = first; i < names.size() && names.get(i).base() < ends.end(); i++) {
            boolean last = i + 1 == names.size() || names.get(i + 1).base() >= ends.end();
            long known = last ? ends.end() : names.get(i + 1).base();
            Segment segment = new Segment(names.get(i), Math.min(known, facts.cutOf(names.get(i))), last);
            files.add(segment(segment, facts, folder, findings));
            if (last) {
                durable = new Checkpoint.Durable(ends.end(), names.get(i), segment.endPosition);
            }
        }
        // Cuts and losses that were recorded meanwhile also concern copied records.
        Checkpoint.Facts now = checkpoint.read();
        List<Checkpoint.Lost> lost = now.lost().stream()
                .filter(range -> range.firstOffset() < ends.end())
                .toList();
        byte[] journal = Checkpoint.encode(new Checkpoint.Facts(ends.start(), durable, now.cuts(), lost, 0));
        if (journal.length > 0) {
            files.add(copy.write(journal, folder.resolve(Checkpoint.FILE)));
        }
        disk.syncFolder(folder);
        return new Result(ends.start(), ends.end(), List.copyOf(files), List.copyOf(findings));
    }

    /** A segment during its copy. */
    private static final class Segment {
        private final SegmentName name;
        /** All records of the segment that count are below this offset. */
        private final long knownEnd;

        private final boolean last;
        private boolean damaged;
        private boolean sealed;
        /** The position of the next record. */
        private long endPosition;
        /** The number of bytes of the file that count. */
        private long bytes;

        private Segment(SegmentName name, long knownEnd, boolean last) {
            this.name = name;
            this.knownEnd = knownEnd;
            this.last = last;
        }
    }

    private CopiedFile segment(Segment segment, Checkpoint.Facts facts, Path folder, List<Finding> findings)
            throws IOException {
        Path source = key.folder().resolve(segment.name.logFile());
        Path target = folder.resolve(segment.name.logFile());
        Optional<CopiedFile> known = segment.last ? Optional.empty() : earlier.closed(segment.name.logFile());
        try (DiskFile file = disk.open(source)) {
            if (known.isPresent() && isSameSegment(file, known.get()) && earlier.link(known.get(), target)) {
                return known.get();
            }
            verify(segment, source, file, facts, findings);
            CopiedFile copied = copy.copy(file, segment.bytes, target);
            boolean closed = !segment.damaged && (segment.sealed || !segment.last);
            return new CopiedFile(copied.name(), copied.bytes(), copied.crc(), closed, false);
        }
    }

    /**
     * True if a segment of the source is the one that was copied before. Two directories that were restored from one
     * backup give their next segments the same names. The mark that opens a segment differs: it has the boot, the time
     * and the leader epoch of its writer.
     */
    private boolean isSameSegment(DiskFile source, CopiedFile known) throws IOException {
        if (source.size() < known.bytes()) {
            return false;
        }
        try (DiskFile copied = earlier.open(known)) {
            int length = (int) Math.min(Mark.SIZE, known.bytes());
            return Arrays.equals(head(source, length), head(copied, length));
        }
    }

    private static byte[] head(DiskFile file, int length) throws IOException {
        byte[] head = new byte[length];
        return Arrays.copyOf(head, file.read(0, head, 0, length));
    }

    /** Scans all entries that count. */
    private void verify(Segment segment, Path path, DiskFile file, Checkpoint.Facts facts, List<Finding> findings)
            throws IOException {
        SegmentScan scan = SegmentScan.whole(key, segment.name, file, segment.knownEnd);
        boolean cut = facts.cutOf(segment.name) <= segment.knownEnd;
        boolean ended = false;
        while (!ended && (scan.nextOffset() < segment.knownEnd || !segment.last && !cut)) {
            segment.endPosition = scan.position();
            switch (scan.next()) {
                case SegmentScan.Entry.Damage damage -> {
                    note(segment, path, damage, facts, findings);
                    ended = scan.nextOffset() >= segment.knownEnd && damage.until() > damage.position();
                }
                case SegmentScan.Entry.Seal _ -> {
                    segment.sealed = true;
                    ended = true;
                }
                case SegmentScan.Entry.End _ -> ended = true;
                case SegmentScan.Entry.Batch _, SegmentScan.Entry.Open _, SegmentScan.Entry.Dead _ -> {}
            }
            segment.bytes = scan.position();
        }
        if (!segment.sealed) {
            segment.endPosition = segment.bytes;
        }
    }

    private void note(
            Segment segment,
            Path path,
            SegmentScan.Entry.Damage damage,
            Checkpoint.Facts facts,
            List<Finding> findings) {
        long first = Math.max(damage.firstOffset(), facts.start());
        long next = Math.min(damage.nextOffset(), segment.knownEnd);
        if (damage.nextOffset() > damage.firstOffset() && facts.isLost(first, next)) {
            // Trimmed, cut off, or given up when their sync failed: no reader can read these records.
            return;
        }
        segment.damaged = true;
        String concerned = damage.nextOffset() > damage.firstOffset()
                ? "offsets " + damage.firstOffset() + " to " + (damage.nextOffset() - 1) + " cannot be read"
                : "no record is concerned";
        findings.add(new Finding(
                Severity.DAMAGE,
                path,
                damage.position(),
                name,
                damage.firstOffset(),
                damage.problem() + "; " + concerned));
    }
}
