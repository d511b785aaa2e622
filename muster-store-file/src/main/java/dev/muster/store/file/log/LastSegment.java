package dev.muster.store.file.log;

import dev.muster.disk.DiskFile;
import dev.muster.store.file.log.recovery.Checkpoint;
import dev.muster.store.file.log.segment.ActiveSegment;
import dev.muster.store.file.log.segment.Mark;
import dev.muster.store.file.log.segment.SegmentName;
import dev.muster.store.file.log.segment.SparseIndex;
import java.io.IOException;
import java.util.List;

/**
 * The last segment of the log, which this process appends to. Opens the segment, seals it, and continues to the next
 * one, which any process may have begun. All calls are made under the append lock of the partition.
 */
final class LastSegment implements AutoCloseable {
    private final PartitionState log;
    private final IndexWriter index;
    private ActiveSegment active;

    LastSegment(PartitionState log) {
        this.log = log;
        this.index = new IndexWriter(log);
    }

    /**
     * The segment; null if the segment that was the last one is not the last one any more. Then the caller asks again.
     */
    ActiveSegment open() throws IOException {
        if (active == null) {
            // Read before the listing: the listed segments contain the records below this offset.
            long knownEnd = log.control().writtenEnd();
            List<SegmentName> names = log.segments().refresh();
            SegmentName last = names.isEmpty() ? null : names.getLast();
            if (last != null && log.facts().cutOf(last) == Long.MAX_VALUE) {
                open(last, knownEnd);
            } else {
                // A segment that was cut needs no seal: the cut says where it ends.
                open(last == null ? first(knownEnd) : successor(last, last.base()), knownEnd);
            }
        }
        return active;
    }

    boolean isOpen() {
        return active != null;
    }

    /** True if a segment is open and all its records were trimmed away. */
    boolean isTrimmed() {
        return active != null && log.segments().isTrimmed(active.name());
    }

    /** Reads the entries that other processes appended since the last call. */
    void catchUp(ActiveSegment segment) throws IOException {
        segment.catchUp(writtenEnd(segment.name()));
    }

    void begin(ActiveSegment empty) throws IOException {
        empty.append(mark(empty.name(), Mark.Kind.OPEN));
    }

    void sealIfOpen(ActiveSegment segment) throws IOException {
        if (!segment.sealed()) {
            segment.append(mark(segment.name(), Mark.Kind.SEAL));
        }
    }

    /** @param entry the entry; null if none is due */
    void writeIndex(ActiveSegment segment, SparseIndex.Entry entry) {
        index.write(segment.name(), entry);
    }

    /** Continues from a sealed segment to the next one, which any process may have begun already. */
    void advance(ActiveSegment sealed) throws IOException {
        if (!sealed.sealed()) {
            catchUp(sealed);
        }
        long nextOffset = sealed.nextOffset();
        log.control().raiseWrittenEnd(nextOffset);
        giveUpIfSyncFailed(sealed, nextOffset);
        long knownEnd = log.control().writtenEnd();
        SegmentName next = null;
        for (SegmentName name : log.segments().refresh()) {
            if (next != null) {
                // Other processes are further ahead already: the next segment ends where this one begins.
                knownEnd = Math.min(knownEnd, name.base());
                break;
            }
            if (name.compareTo(sealed.name()) > 0) {
                next = name;
            }
        }
        if (next == null) {
            // A power cut may take the last name, and must not take one before it: else the log would have a hole.
            log.env().disk().syncFolder(log.key().folder());
            next = successor(sealed.name(), nextOffset);
        }
        index.finish(sealed, nextOffset);
        try {
            open(next, knownEnd);
        } finally {
            if (active != sealed) {
                sealed.close();
            }
        }
    }

    /** The offset below which all records of a segment were written to their end, as their writers published it. */
    private long writtenEnd(SegmentName name) {
        // The end is read first: if it includes records of a later segment, the list has that segment.
        long written = log.control().writtenEnd();
        List<SegmentName> names = log.segments().names();
        if (names.isEmpty() || names.getLast().equals(name)) {
            return written;
        }
        int next = names.indexOf(name) + 1;
        return Math.min(written, names.get(next).base());
    }

    private SegmentName successor(SegmentName sealed, long nextOffset) throws IOException {
        Checkpoint.Facts facts = log.facts();
        if (facts.cutOf(sealed) == Long.MAX_VALUE) {
            return sealed.successor(nextOffset);
        }
        Checkpoint.Cut cut = facts.cuts().getLast();
        return new SegmentName(cut.offset(), cut.generation());
    }

    /**
     * Gives up the records that could not be synced. They were never acknowledged. At {@code sync=commit} they were
     * never visible either.
     */
    private void giveUpIfSyncFailed(ActiveSegment sealed, long nextOffset) throws IOException {
        if (log.control().failed(sealed.name())) {
            log.giveUp(nextOffset);
        }
    }

    /**
     * The name of the first segment of a log without one.
     *
     * @param knownEnd the written end, read before the listing that had no segment. Another process may have begun a
     *     segment since and written to it. A segment that began behind its records would cut it in two
     */
    private SegmentName first(long knownEnd) throws IOException {
        List<Checkpoint.Cut> cuts = log.facts().cuts();
        return new SegmentName(knownEnd, cuts.isEmpty() ? 0 : cuts.getLast().generation());
    }

    private void open(SegmentName name, long knownEnd) throws IOException {
        DiskFile file = log.env().disk().openForAppend(log.file(name));
        // Before the first write: every process that syncs must list the segment. The writer that began it may have
        // died before it published it.
        log.control().countRoll();
        try {
            SparseIndex.Entry from = lastCheckedEntry(name, file, knownEnd);
            active = new ActiveSegment(log.key(), name, file, from, knownEnd);
        } catch (IOException e) {
            file.close();
            throw e;
        }
        index.close();
        closeIfNotLast(name);
    }

    /**
     * Closes a segment that must not be appended to. Between the listing and the opening, other processes may have gone
     * on, and retention may have deleted the file. Then the opened file is a new and empty one under an old name. A
     * segment begins only behind a seal, and the last segment is never deleted. So a segment that is neither sealed nor
     * the last one must not be appended to.
     */
    private void closeIfNotLast(SegmentName name) throws IOException {
        List<SegmentName> now;
        try {
            catchUp(active);
            now = log.segments().refresh();
        } catch (IOException | RuntimeException e) {
            closeSegment();
            throw e;
        }
        if (!active.sealed() && (now.isEmpty() || !now.getLast().equals(name))) {
            closeSegment();
        }
    }

    private SparseIndex.Entry lastCheckedEntry(SegmentName name, DiskFile file, long knownEnd) throws IOException {
        SparseIndex known = SparseIndex.load(log.env().disk(), log.indexFile(name));
        for (int i = known.size() - 1; i >= 0; i--) {
            SparseIndex.Entry entry = known.get(i);
            // A power cut may have taken records, and left an index that contains them.
            if (entry.offset() <= knownEnd && SparseIndex.agrees(file, entry)) {
                return entry;
            }
        }
        return null;
    }

    private Mark mark(SegmentName name, Mark.Kind kind) throws IOException {
        return new Mark(
                kind,
                log.key().topic().value(),
                log.key().partition(),
                name,
                log.facts().leaderEpoch(),
                log.env().bootId(),
                log.env().clock().millis());
    }

    /** Closes the file of the segment. The next call of {@link #open} looks for the last segment again. */
    void closeSegment() {
        active.close();
        active = null;
    }

    @Override
    public void close() {
        if (active != null) {
            closeSegment();
        }
        index.close();
    }
}
