package dev.muster.store.file.log.check;

import dev.muster.core.CompressionUnavailableException;
import dev.muster.core.TopicSettings;
import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.store.batch.BatchDecoder;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.batch.BatchTooLargeException;
import dev.muster.store.batch.InvalidBatchException;
import dev.muster.store.file.finding.Finding;
import dev.muster.store.file.finding.Finding.Severity;
import dev.muster.store.file.finding.Findings;
import dev.muster.store.file.log.recovery.Checkpoint;
import dev.muster.store.file.log.recovery.ControlPage;
import dev.muster.store.file.log.recovery.SegmentList;
import dev.muster.store.file.log.segment.Mark;
import dev.muster.store.file.log.segment.PartitionKey;
import dev.muster.store.file.log.segment.SegmentName;
import dev.muster.store.file.log.segment.SegmentScan;
import dev.muster.store.file.log.segment.SparseIndex;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongConsumer;

/** Verifies one partition from its first byte to its last, without opening it. */
public final class PartitionCheck {
    /** Sums over all partitions. */
    public static final class Totals {
        private long batches;
        private long records;
        private long bytes;
        private long highestProducerId = -1;

        /** The highest id of a producer of records, -1 if there is none. Lines of journals do not count. */
        public long highestProducerId() {
            return highestProducerId;
        }

        public long batches() {
            return batches;
        }

        public long records() {
            return records;
        }

        public long bytes() {
            return bytes;
        }
    }

    /** What makes the journal of a group right, in front of its name. */
    public static final String REBUILT_BY = "not by this command: muster group repair ";

    private static final int DECODED_BYTES_MAX = 64 << 20;

    private final Disk disk;
    private final PartitionKey key;
    private final String name;
    private final TopicSettings settings;
    private final UUID bootId;
    private final Findings all;
    private final Function<byte[], String> recordProblem;
    private final List<Finding> findings = new ArrayList<>();
    private long end;
    private long pageStart;

    /**
     * @param name such as {@code orders-3}
     * @param recordProblem what is wrong with the value of a record, null when nothing is
     */
    public PartitionCheck(
            Disk disk,
            PartitionKey key,
            String name,
            TopicSettings settings,
            UUID bootId,
            Findings findings,
            Function<byte[], String> recordProblem) {
        this.disk = disk;
        this.key = key;
        this.name = name;
        this.settings = settings;
        this.bootId = bootId;
        this.all = findings;
        this.recordProblem = recordProblem;
    }

    /** The offset behind the last record, once it ran. */
    public long end() {
        return end;
    }

    public void run(Totals totals, LongConsumer progress) throws IOException {
        if (!disk.exists(key.folder())) {
            note(
                    Severity.DAMAGE,
                    key.folder(),
                    -1,
                    -1,
                    "the folder of the " + (key.isJournal() ? "journal" : "partition") + " is missing");
            return;
        }
        Checkpoint checkpoint = new Checkpoint(disk, key.folder());
        if (!checkpoint.intact()) {
            note(
                    Severity.NOTE,
                    key.folder().resolve(Checkpoint.FILE),
                    -1,
                    -1,
                    "an entry has a wrong checksum; it is skipped");
        }
        Checkpoint.Facts facts = checkpoint.read();
        for (Checkpoint.Lost lost : facts.lost()) {
            note(
                    Severity.NOTE,
                    key.folder().resolve(Checkpoint.FILE),
                    -1,
                    lost.firstOffset(),
                    "offsets up to " + (lost.nextOffset() - 1) + " could not be synced and were never acknowledged");
        }
        // The end is read before the segments: what is appended meanwhile is more than this, never less.
        long known = knownEnd(facts);
        List<SegmentName> names = SegmentList.read(disk, key.folder(), facts);
        if (names.isEmpty()) {
            if (known > facts.start()) {
                note(
                        Severity.DAMAGE,
                        key.folder(),
                        -1,
                        facts.start(),
                        "no segment exists; the last record had offset " + (known - 1));
            }
        } else if (facts.size() == 0 && (names.size() > 1 || names.getFirst().base() > 0)) {
            noCheckpoint(checkpoint, names.getFirst());
        } else if (names.getFirst().base() > checkpoint.read().start()) {
            // The start was read again: retention may have raised it before it deleted what is missing in the list.
            note(
                    Severity.DAMAGE,
                    key.folder(),
                    -1,
                    facts.start(),
                    "the first segment begins at offset " + names.getFirst().base() + ", the log at " + facts.start());
        }
        for (int i = 0; i < names.size(); i++) {
            boolean sealed = i + 1 < names.size();
            long end = sealed ? names.get(i + 1).base() : known;
            try {
                checkSegment(names.get(i), Math.min(end, facts.cutOf(names.get(i))), facts, sealed, totals, progress);
            } catch (NoSuchFileException e) {
                // Retention took it while we looked.
                continue;
            }
        }
        checkEnd(names, facts, known);
    }

    /** It is made when the first segment is closed. Its start offset is synced before a segment goes. */
    private void noCheckpoint(Checkpoint checkpoint, SegmentName first) {
        Path file = key.folder().resolve(Checkpoint.FILE);
        // A journal hides old lines by its page alone, as long as they share a segment with others.
        long start = key.isJournal() ? first.base() : Math.max(first.base(), pageStart);
        if (start == 0) {
            note(Severity.NOTE, file, -1, -1, "the checkpoint is missing or empty; recovery reads more without it");
            return;
        }
        all.repairable(
                Severity.DAMAGE,
                file,
                name,
                "the checkpoint is missing or empty, and it had the start of the log",
                "write that it starts at offset " + start,
                () -> checkpoint.writeStart(start));
    }

    /** Records that were known to be there, and are not: a last segment that is missing or was cut. */
    private void checkEnd(List<SegmentName> names, Checkpoint.Facts facts, long known) {
        boolean reported = findings.stream().anyMatch(finding -> finding.severity() == Severity.DAMAGE);
        if (!names.isEmpty() && end < known && !reported && !facts.isLost(end, known)) {
            note(
                    Severity.DAMAGE,
                    key.folder().resolve(names.getLast().logFile()),
                    -1,
                    end,
                    "the log ends here; the last record had offset " + (known - 1));
        }
    }

    private long knownEnd(Checkpoint.Facts facts) throws IOException {
        long durable = facts.durable() == null ? 0 : facts.durable().offset();
        ControlPage page;
        Path file = ControlPage.file(key.folder(), bootId);
        try {
            page = ControlPage.openExisting(disk, file, true);
        } catch (IOException e) {
            page = null;
        }
        String unusable = disk.exists(file) ? "not a control page, or a copy of one" : null;
        String problem = page != null ? page.problem() : unusable;
        if (problem != null) {
            all.repairableAtRest(
                    Severity.DAMAGE, file, name, problem, "delete it; it is rebuilt", () -> disk.delete(file));
        }
        if (page == null || problem != null) {
            return durable;
        }
        pageStart = page.start();
        return Math.max(durable, page.writtenEnd());
    }

    private void checkSegment(
            SegmentName segment,
            long knownEnd,
            Checkpoint.Facts facts,
            boolean sealed,
            Totals totals,
            LongConsumer progress)
            throws IOException {
        long cut = facts.cutOf(segment);
        Path path = key.folder().resolve(segment.logFile());
        List<SparseIndex.Entry> batches = new ArrayList<>();
        long maxTimestamp = Long.MIN_VALUE;
        try (DiskFile file = disk.open(path)) {
            SegmentScan scan = SegmentScan.whole(key, segment, file, knownEnd);
            Mark open = null;
            boolean ended = false;
            long reported = 0;
            while (!ended && scan.nextOffset() < cut) {
                long from = scan.position();
                switch (scan.next()) {
                    case SegmentScan.Entry.Open entry -> {
                        open = entry.mark();
                        checkMark(path, file, entry.position(), open);
                    }
                    case SegmentScan.Entry.Batch batch -> {
                        if (open == null && from == 0) {
                            noteMissingOpen(path, segment);
                        }
                        checkBatch(path, file, batch, open, totals);
                        batches.add(new SparseIndex.Entry(batch.baseOffset(), batch.position(), maxTimestamp, false));
                        maxTimestamp = Math.max(maxTimestamp, batch.maxTimestamp());
                        totals.batches++;
                        totals.records += batch.records();
                    }
                    case SegmentScan.Entry.Dead dead ->
                        note(
                                Severity.NOTE,
                                path,
                                dead.position(),
                                dead.baseOffset(),
                                "an entry that does not count: its writer lost a race, or its head was changed");
                    case SegmentScan.Entry.Damage damage -> {
                        noteDamage(path, damage, facts, cut);
                        ended = sealed && scan.nextOffset() >= knownEnd && damage.until() > damage.position();
                    }
                    case SegmentScan.Entry.Seal seal -> {
                        if (from < seal.position()) {
                            note(Severity.NOTE, path, from, scan.nextOffset(), "an incomplete write");
                        }
                        checkMark(path, file, seal.position(), seal.mark());
                        batches.add(new SparseIndex.Entry(scan.nextOffset(), seal.position(), maxTimestamp, true));
                        ended = true;
                    }
                    case SegmentScan.Entry.End end -> {
                        boolean nothing = end.position() == 0 && segment.base() < knownEnd;
                        noteEnd(path, end, scan.nextOffset(), nothing, sealed);
                        ended = true;
                    }
                }
                if (scan.position() - reported > 1 << 20) {
                    progress.accept(totals.bytes + scan.position());
                    reported = scan.position();
                }
            }
            end = Math.max(end, scan.nextOffset());
            totals.bytes += file.size();
            checkIndex(segment, file, batches, sealed, knownEnd);
        }
    }

    private void noteMissingOpen(Path path, SegmentName segment) {
        note(Severity.DAMAGE, path, 0, segment.base(), "the mark that opens the segment is missing");
    }

    /** @param nothing True if the segment holds no whole entry although it held records */
    private void noteEnd(Path path, SegmentScan.Entry.End at, long nextOffset, boolean nothing, boolean sealed) {
        if (at.torn()) {
            Severity severity = nothing ? Severity.DAMAGE : Severity.NOTE;
            note(severity, path, at.position(), nextOffset, "an incomplete write");
        } else if (sealed) {
            // The seal is not synced: a power cut may take it and leave the segment that follows.
            note(Severity.NOTE, path, at.position(), nextOffset, "the seal is missing: an unclean stop");
        }
    }

    private void noteDamage(Path path, SegmentScan.Entry.Damage damage, Checkpoint.Facts facts, long cut) {
        String concerned = damage.nextOffset() > damage.firstOffset()
                ? "offsets " + damage.firstOffset() + " to " + (damage.nextOffset() - 1) + " cannot be read"
                : "no record is concerned";
        boolean harmless = damage.nextOffset() > damage.firstOffset() && isHarmless(damage, facts, cut);
        note(
                harmless ? Severity.NOTE : Severity.DAMAGE,
                path,
                damage.position(),
                damage.firstOffset(),
                damage.problem() + "; " + concerned);
    }

    /**
     * Checks that base offset and leader epoch in a mark's batch header are those in the mark's body. The checksum does
     * not cover these two fields of the header.
     */
    private void checkMark(Path path, DiskFile file, long position, Mark mark) throws IOException {
        byte[] head = new byte[BatchHeader.SIZE];
        boolean right = file.read(position, head, 0, head.length) == head.length
                && BatchHeader.baseOffset(head, 0) == mark.segment().base()
                && BatchHeader.leaderEpoch(head, 0) == mark.leaderEpoch();
        if (!right) {
            note(
                    Severity.NOTE,
                    path,
                    position,
                    mark.segment().base(),
                    "the head of a mark was changed; no record is concerned");
        }
    }

    /** True if no reader can ask for these records: trimmed, cut off, or given up when their sync failed. */
    private static boolean isHarmless(SegmentScan.Entry.Damage damage, Checkpoint.Facts facts, long cut) {
        long first = Math.max(damage.firstOffset(), facts.start());
        return facts.isLost(first, Math.min(damage.nextOffset(), cut));
    }

    private void checkBatch(Path path, DiskFile file, SegmentScan.Entry.Batch batch, Mark open, Totals totals)
            throws IOException {
        if (open != null && batch.leaderEpoch() != open.leaderEpoch()) {
            note(
                    Severity.DAMAGE,
                    path,
                    batch.position(),
                    batch.baseOffset(),
                    "the leader epoch is " + batch.leaderEpoch() + ", the segment's is " + open.leaderEpoch()
                            + "; the records can be read");
        }
        if (batch.size() > DECODED_BYTES_MAX) {
            return;
        }
        byte[] bytes = new byte[batch.size()];
        file.read(batch.position(), bytes, 0, bytes.length);
        if (!key.isJournal()) {
            totals.highestProducerId = Math.max(totals.highestProducerId, BatchHeader.producerId(bytes, 0));
        }
        try {
            BatchDecoder records = BatchDecoder.over(ByteBuffer.wrap(bytes));
            while (records.next()) {
                if (records.offset() < batch.baseOffset() || records.offset() >= batch.nextOffset()) {
                    note(
                            Severity.DAMAGE,
                            path,
                            batch.position(),
                            batch.baseOffset(),
                            "a record has offset " + records.offset());
                }
                String problem = recordProblem.apply(records.value());
                if (problem != null) {
                    note(Severity.DAMAGE, path, batch.position(), records.offset(), problem);
                }
            }
        } catch (BatchTooLargeException | CompressionUnavailableException e) {
            note(Severity.NOTE, path, batch.position(), batch.baseOffset(), e.getMessage() + "; it was not verified");
        } catch (InvalidBatchException e) {
            note(Severity.DAMAGE, path, batch.position(), batch.baseOffset(), e.getMessage());
        }
    }

    /** Checks that every index entry points at a batch, and has its offset and the newest time before it. */
    private void checkIndex(
            SegmentName segment, DiskFile file, List<SparseIndex.Entry> batches, boolean sealed, long knownEnd)
            throws IOException {
        Path path = key.folder().resolve(segment.indexFile());
        SparseIndex index = SparseIndex.load(disk, path);
        String problem = index.orderly() ? null : "an entry does not check";
        int batch = 0;
        for (int i = 0; i < index.size() && problem == null; i++) {
            SparseIndex.Entry entry = index.get(i);
            // Both rise, so one walk over both finds them all.
            while (batch < batches.size() && batches.get(batch).position() < entry.position()) {
                batch++;
            }
            boolean behindScan = !sealed && batch == batches.size();
            boolean right = behindScan || batch < batches.size() && samePlace(batches.get(batch), entry);
            problem = right ? null : "the entry for offset " + entry.offset() + " is wrong";
        }
        if (problem == null && sealed && disk.exists(path) && index.closing() == null) {
            problem = "the closing entry is missing";
        }
        if (problem == null && sealed && !disk.exists(path)) {
            problem = "the index is missing";
        }
        if (problem == null) {
            return;
        }
        // Indexes are not synced: after a power cut they may hold anything, and no reader trusts them.
        String message = problem + "; it is rebuilt when needed; no record is affected";
        if (sealed) {
            all.repairable(
                    Severity.NOTE,
                    path,
                    name,
                    message,
                    "rebuild it",
                    () -> SparseIndex.build(SegmentScan.whole(key, segment, file, knownEnd), settings.indexInterval())
                            .closed()
                            .write(disk, path));
        } else {
            all.repairable(Severity.NOTE, path, name, message, "delete it; it is rebuilt", () -> disk.delete(path));
        }
    }

    private static boolean samePlace(SparseIndex.Entry batch, SparseIndex.Entry entry) {
        return !batch.closing() && batch.offset() == entry.offset() && batch.position() == entry.position();
    }

    private void note(Severity severity, Path file, long position, long offset, String problem) {
        boolean rebuilds = key.isJournal() && severity == Severity.DAMAGE;
        String repair = rebuilds ? REBUILT_BY + name.replaceFirst("group ", "") : "";
        Finding finding = new Finding(severity, file, position, name, offset, problem, repair);
        findings.add(finding);
        all.add(finding);
    }
}
