package dev.muster.store.file.log.segment;

import dev.muster.disk.DiskFile;
import dev.muster.store.batch.BatchHeader;
import java.io.IOException;

/**
 * Scans the entries of one segment and classifies each. It is used where the exact state matters: by writers that catch
 * up, recovery, index building, the check, and readers that found an invalid entry. For one thread.
 *
 * <p>An entry counts if it is whole and valid, and its base offset is the next one at its place. The scan continues
 * behind damage if a valid entry can be found there, and ends at the first seal.
 */
public final class SegmentScan {
    /** The entry at a place of a segment. */
    public sealed interface Entry {
        long position();

        /** Records that count. */
        record Batch(long position, int size, long baseOffset, int records, long maxTimestamp, int leaderEpoch)
                implements Entry {
            long end() {
                return position + size;
            }

            public long nextOffset() {
                return baseOffset + records;
            }
        }

        /** The mark that opens the segment. */
        record Open(long position, Mark mark) implements Entry {}

        /** The first seal: nothing behind it exists. */
        record Seal(long position, Mark mark) implements Entry {}

        /**
         * A whole entry that does not count: its writer wrote without the lock, lost a race, and appended the batch
         * again.
         */
        record Dead(long position, int size, long baseOffset) implements Entry {}

        /** Damaged bytes. Records from {@code firstOffset} to before {@code nextOffset} are lost. */
        record Damage(long position, long until, long firstOffset, long nextOffset, String problem) implements Entry {}

        /**
         * The end of the entries. It is torn if bytes follow that are no entry, because a write never came to its end.
         */
        record End(long position, boolean torn) implements Entry {}
    }

    /** Length, attributes, two deltas, key length, value length, header count. */
    private static final int RECORD_BYTES_MIN = 7;

    private final PartitionKey key;
    private final SegmentName name;
    private final FileWindow window;
    private long trustedEnd;
    private final long knownEnd;
    private long position;
    private long nextOffset;
    private long searchEnd;
    private boolean allWritten;
    /** The position up to which the search has found that the log does not continue. */
    private long searchedTo;

    /**
     * @param position the start of the scan, the position of an entry
     * @param nextOffset the offset of the next record at that position
     * @param knownEnd the offset below which records exist for certain: if one of them is missing, that is damage and
     *     not a torn write
     * @param verify true to check every checksum; false to accept whole batches below the known end by their headers
     */
    public SegmentScan(
            PartitionKey key,
            SegmentName name,
            DiskFile file,
            long position,
            long nextOffset,
            long knownEnd,
            boolean verify)
            throws IOException {
        this.key = key;
        this.name = name;
        this.window = new FileWindow(file);
        this.position = position;
        this.nextOffset = nextOffset;
        this.knownEnd = knownEnd;
        this.searchEnd = knownEnd;
        this.trustedEnd = verify ? 0 : knownEnd;
    }

    /** A scan from the first byte on that checks every checksum. */
    public static SegmentScan whole(PartitionKey key, SegmentName name, DiskFile file, long knownEnd)
            throws IOException {
        return new SegmentScan(key, name, file, 0, name.base(), knownEnd, true);
    }

    public long position() {
        return position;
    }

    public long nextOffset() {
        return nextOffset;
    }

    /**
     * Accepts batches without their checksum if all their records are below this offset, because their writers have
     * announced them.
     */
    void trustUpTo(long offset) {
        trustedEnd = offset;
    }

    /** Extends the scan to the entries that were appended since the last look. */
    void look() throws IOException {
        window.look();
    }

    /**
     * Lets valid entries behind invalid bytes count, if the records up to them can fit into these bytes. For recovery,
     * which does not know where the log ended.
     */
    public void searchFurther() {
        searchEnd = nextOffset + (window.limit() - position) / RECORD_BYTES_MIN;
    }

    /**
     * Declares that the segment belongs to the running boot: none of its bytes were lost in a power cut, and everything
     * that was written counts. Valid batches behind invalid bytes then count above the known end too.
     *
     * <p>The search must not accept a batch that a user sent as the value of a record. Three rules limit it:
     *
     * <ul>
     *   <li>The found batch has a checksum that holds, and an offset that the bytes between can explain.
     *   <li>A killed writer leaves the beginning of one batch, and behind it only a seal. So invalid bytes that begin
     *       like the next batch need more proof. A batch found in them counts only if the checksum of the invalid batch
     *       proves that only its length is wrong, or if batches follow one another from there to the seal or to the end
     *       of the file. Behind a value there is always the rest of its record.
     *   <li>The search never goes beyond the seal.
     * </ul>
     */
    public void searchWritten() {
        allWritten = true;
    }

    /** Moves behind an entry that the caller has just appended. */
    void skip(int size, int records) {
        position += size;
        nextOffset += records;
    }

    public Entry next() throws IOException {
        if (position >= window.limit()) {
            return end(false, "the file ends here");
        }
        if (!acceptable()) {
            return behindInvalid(position, window.complete(position) ? "the checksum does not hold" : "no whole entry");
        }
        int head = window.at(position, BatchHeader.SIZE);
        byte[] bytes = window.bytes();
        int size = BatchHeader.sizeInBytes(bytes, head);
        if (Mark.isMark(bytes, head)) {
            return mark(size);
        }
        long base = BatchHeader.baseOffset(bytes, head);
        int records = BatchHeader.lastOffsetDelta(bytes, head) + 1;
        if (base != nextOffset || records < 1) {
            return outOfPlace(size, base, records);
        }
        Entry.Batch batch = new Entry.Batch(
                position,
                size,
                base,
                records,
                BatchHeader.maxTimestamp(bytes, head),
                BatchHeader.leaderEpoch(bytes, head));
        position = batch.end();
        nextOffset = batch.nextOffset();
        return batch;
    }

    /**
     * True if the entry at the position is accepted. The header alone is not enough: a seal behind a torn write can
     * fill up the length that the header claims.
     */
    private boolean acceptable() throws IOException {
        if (!window.complete(position)) {
            return false;
        }
        int head = window.at(position, BatchHeader.SIZE);
        long end = BatchHeader.baseOffset(window.bytes(), head) + BatchHeader.lastOffsetDelta(window.bytes(), head) + 1;
        return end <= trustedEnd || window.valid(position);
    }

    private Entry mark(int size) throws IOException {
        long at = position;
        Mark mark = window.valid(at) ? Mark.decode(window.bytes(), window.at(at, size)) : null;
        if (mark == null) {
            return behindInvalid(at, "a mark whose checksum does not hold");
        }
        position = at + size;
        if (!mark.belongsTo(key.topic().value(), key.partition(), name)) {
            return new Entry.Dead(at, size, nextOffset);
        }
        if (mark.kind() == Mark.Kind.SEAL) {
            if (nextOffset < knownEnd) {
                // The position stays before the seal, so the caller gets the damage first and then the seal.
                position = at;
                return damage(at, at, knownEnd, "records are missing before the seal");
            }
            return new Entry.Seal(at, mark);
        }
        return at == 0 ? new Entry.Open(at, mark) : new Entry.Dead(at, size, nextOffset);
    }

    /**
     * Classifies a whole entry whose base offset is not the next one: it lost a race, or a bit flipped in the part
     * without checksum.
     */
    private Entry outOfPlace(int size, long base, int records) throws IOException {
        long at = position;
        if (!window.valid(at)) {
            return behindInvalid(at, "the checksum does not hold");
        }
        long behind = at + size;
        boolean followed = window.valid(behind) && !isMarkAt(behind);
        long following = followed ? BatchHeader.baseOffset(window.bytes(), window.at(behind, BatchHeader.SIZE)) : -1;
        boolean baseIsRight =
                base > nextOffset && (followed ? following == base + records : base + records == knownEnd);
        if (baseIsRight) {
            // The batches before it are missing or claim too few records. The position stays here, because this batch
            // counts.
            return damage(at, at, base, "the records before offset " + base + " are missing");
        }
        boolean lostRace = base < nextOffset && (followed ? following == nextOffset : nextOffset + records > knownEnd);
        if (lostRace || records < 1) {
            position = behind;
            return new Entry.Dead(at, size, base);
        }
        return damage(
                at, behind, following > nextOffset ? following : nextOffset + records, "the base offset is " + base);
    }

    /** Searches for the next entry behind bytes at {@code at} that are no entry. */
    private Entry behindInvalid(long at, String problem) throws IOException {
        long found = findValid(at);
        if (found < 0) {
            return allWritten && nextOffset >= knownEnd && isWholeLast(at)
                    ? damage(at, window.limit(), offsetBehind(at), problem)
                    : end(true, problem);
        }
        if (isMarkAt(found)) {
            if (nextOffset < knownEnd) {
                return damage(at, found, knownEnd, problem);
            }
            // A torn write that a seal closed.
            position = found;
            return next();
        }
        return damage(at, found, BatchHeader.baseOffset(window.bytes(), window.at(found, BatchHeader.SIZE)), problem);
    }

    private Entry end(boolean torn, String problem) {
        if (nextOffset < knownEnd) {
            return damage(position, window.limit(), knownEnd, problem);
        }
        return new Entry.End(position, torn);
    }

    private Entry.Damage damage(long from, long until, long resumeAt, String problem) {
        // Not beyond the records of this segment: later records are in the next one.
        long resume = nextOffset < knownEnd ? Math.min(resumeAt, knownEnd) : resumeAt;
        Entry.Damage damage = new Entry.Damage(from, until, nextOffset, resume, problem);
        position = until;
        nextOffset = resume;
        return damage;
    }

    private boolean isMarkAt(long at) throws IOException {
        return Mark.isMark(window.bytes(), window.at(at, BatchHeader.SIZE));
    }

    /** The nearest position behind {@code at} with a valid entry that can belong here; -1 if there is none. */
    private long findValid(long at) throws IOException {
        long behind = behindByItsLength(at);
        if (behind >= 0 && isNextByItsCount(at, behind)) {
            return behind;
        }
        // A search byte by byte may find a batch that a user sent as the value of a record. Below the known end the
        // offsets distinguish the two. Above it only recovery searches.
        searchedTo = at;
        for (long candidate = at + 1; candidate + BatchHeader.SIZE <= window.limit(); candidate++) {
            int head = window.at(candidate, BatchHeader.SIZE);
            if (head < 0) {
                return behind;
            }
            if (window.bytes()[head + BatchHeader.MAGIC_AT] == BatchHeader.MAGIC
                    && (belongs(candidate, searchEnd) || allWritten && wasWrittenBehind(at, candidate))) {
                return candidate;
            }
        }
        return behind;
    }

    /**
     * The position behind an invalid entry by its length, which may be right, if the entry there can belong here; -1 if
     * not.
     */
    private long behindByItsLength(long at) throws IOException {
        if (!window.complete(at)) {
            return -1;
        }
        long behind = at + BatchHeader.sizeInBytes(window.bytes(), window.at(at, BatchHeader.SIZE));
        return belongs(behind, Long.MAX_VALUE) ? behind : -1;
    }

    /**
     * True if the invalid entry's record count agrees with its length. A damaged length may lead behind other entries
     * that are good.
     */
    private boolean isNextByItsCount(long at, long behind) throws IOException {
        int head = window.at(at, BatchHeader.SIZE);
        long next = nextOffset + BatchHeader.lastOffsetDelta(window.bytes(), head) + 1;
        return isMarkAt(behind)
                ? next >= knownEnd
                : BatchHeader.baseOffset(window.bytes(), window.at(behind, BatchHeader.SIZE)) == next;
    }

    private boolean belongs(long candidate, long offsetMax) throws IOException {
        if (!window.complete(candidate)) {
            return false;
        }
        byte[] bytes = window.bytes();
        int head = window.at(candidate, BatchHeader.SIZE);
        if (Mark.isMark(bytes, head)) {
            if (!window.valid(candidate)) {
                return false;
            }
            Mark mark = Mark.decode(window.bytes(), window.at(candidate, Mark.SIZE));
            return mark != null
                    && mark.kind() == Mark.Kind.SEAL
                    && mark.belongsTo(key.topic().value(), key.partition(), name);
        }
        long base = BatchHeader.baseOffset(bytes, head);
        int records = BatchHeader.lastOffsetDelta(bytes, head) + 1;
        int size = BatchHeader.sizeInBytes(bytes, head);
        return base >= nextOffset
                && records > 0
                && base <= offsetMax - records
                && window.valid(candidate)
                && isConfirmed(candidate, candidate + size, base, base + records);
    }

    /**
     * True if the entry behind a batch confirms its base offset. No checksum covers the base offset, and the place of a
     * found batch does not prove it either. The last batch must end where the segment ends. A batch with more damage
     * behind it is accepted if its base offset is above the next offset, so that it cannot be one of the lost batches.
     * It is also accepted right behind the opening mark, where no records can be lost.
     */
    private boolean isConfirmed(long at, long behind, long base, long next) throws IOException {
        boolean followed = window.valid(behind);
        if (followed && !isMarkAt(behind)) {
            return BatchHeader.baseOffset(window.bytes(), window.at(behind, BatchHeader.SIZE)) == next;
        }
        boolean last = followed || behind >= window.limit();
        if (last && nextOffset < knownEnd) {
            return next == knownEnd;
        }
        return base > nextOffset || position == 0 && at == Mark.SIZE;
    }

    /**
     * True if the log continues at the candidate, behind the invalid bytes at {@code at}; see {@link #searchWritten}.
     */
    private boolean wasWrittenBehind(long at, long candidate) throws IOException {
        if (candidate < searchedTo || !belongs(candidate, Long.MAX_VALUE) || !isExplained(at, candidate)) {
            return false;
        }
        if (!mayBeUnfinished(at) || window.crcHolds(at, candidate - at)) {
            return true;
        }
        long end = endOfBatches(candidate);
        // The batches up to this end do not count either, and are not scanned again.
        searchedTo = end;
        return end >= window.limit() || isMarkAt(end) && belongs(end, Long.MAX_VALUE);
    }

    /**
     * True if the lost records fit into the bytes before the candidate. No checksum covers the candidate's base offset:
     * if no batch follows to confirm it, it may be any number.
     */
    private boolean isExplained(long at, long candidate) throws IOException {
        int head = window.at(candidate, BatchHeader.SIZE);
        long base = BatchHeader.baseOffset(window.bytes(), head);
        long behind = candidate + BatchHeader.sizeInBytes(window.bytes(), head);
        if (base <= nextOffset + (candidate - at) / RECORD_BYTES_MIN || base == offsetBehind(at)) {
            return true;
        }
        // Compressed records take less room. Then the batch that follows must confirm the offset: see isConfirmed.
        return window.valid(behind) && !isMarkAt(behind);
    }

    /** The offset behind the batch at this position, if its header is right. */
    private long offsetBehind(long at) throws IOException {
        int head = window.at(at, BatchHeader.SIZE);
        return head < 0 ? nextOffset : nextOffset + BatchHeader.lastOffsetDelta(window.bytes(), head) + 1;
    }

    /** True if the bytes begin as the next batch would. Then they may be an incomplete write. */
    private boolean mayBeUnfinished(long at) throws IOException {
        int head = window.at(at, BatchHeader.SIZE);
        return head < 0
                || BatchHeader.magic(window.bytes(), head) == BatchHeader.MAGIC
                        && BatchHeader.baseOffset(window.bytes(), head) == nextOffset;
    }

    /** The end of the batches that follow one another from here on, including those that lost a race. */
    private long endOfBatches(long from) throws IOException {
        long at = from;
        long next = BatchHeader.baseOffset(window.bytes(), window.at(from, BatchHeader.SIZE));
        while (window.valid(at) && !isMarkAt(at)) {
            int head = window.at(at, BatchHeader.SIZE);
            long base = BatchHeader.baseOffset(window.bytes(), head);
            if (base > next) {
                break;
            }
            next = base == next ? base + BatchHeader.lastOffsetDelta(window.bytes(), head) + 1 : next;
            at += BatchHeader.sizeInBytes(window.bytes(), head);
        }
        return at;
    }

    /**
     * True if the last batch was written to its end, and damaged afterwards: it ends at the end of the file, or would
     * be valid with a length up to there. Its writer may have acknowledged it.
     */
    private boolean isWholeLast(long at) throws IOException {
        int head = window.at(at, BatchHeader.SIZE);
        if (head < 0 || !mayBeUnfinished(at) || Mark.isMark(window.bytes(), head)) {
            return false;
        }
        int records = BatchHeader.recordCount(window.bytes(), head);
        // A damaged last offset delta must not become the end of the log. So a batch with unused offsets, which the
        // count
        // does not confirm, is treated as torn.
        boolean countIsRight = records > 0 && records == BatchHeader.lastOffsetDelta(window.bytes(), head) + 1;
        boolean endsHere = at + BatchHeader.sizeInBytes(window.bytes(), head) == window.limit();
        return countIsRight && (endsHere || window.crcHolds(at, window.limit() - at));
    }
}
