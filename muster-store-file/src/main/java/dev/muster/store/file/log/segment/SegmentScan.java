package dev.muster.store.file.log.segment;

import dev.muster.disk.DiskFile;
import dev.muster.store.batch.BatchHeader;
import java.io.IOException;

/**
 * Walks the entries of one segment and says of each what it is. Used by everyone who must know exactly: appenders that
 * catch up, recovery, index building, check, and readers that met something odd. For one thread.
 *
 * <p>An entry counts when it is whole, valid, and its base offset is the next one at its place. The walk goes on behind
 * damage where anything valid can be found there, and ends at the first seal.
 */
public final class SegmentScan {
    /** What stands at a place of a segment. */
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

        /** A whole entry that does not count: an impolite writer lost a race and repeated itself behind. */
        record Dead(long position, int size, long baseOffset) implements Entry {}

        /**
         * Bytes that are not what was written. Records from {@code firstOffset} to before {@code nextOffset} are gone.
         */
        record Damage(long position, long until, long firstOffset, long nextOffset, String problem) implements Entry {}

        /** The end of what is there; torn when bytes follow that are no entry: a write that never came to its end. */
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
    /** No batch in front of this place is where the log goes on: the search has been there. */
    private long searchedTo;

    /**
     * @param position where to begin, a place where an entry starts
     * @param nextOffset the offset of the next record at that place
     * @param knownEnd records below this offset exist for certain: what is missing of them is damage, not a torn write
     * @param verify check every checksum; without it whole batches below the known end are believed by their heads
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

    /** From the first byte, every checksum checked. */
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

    /** Batches whose records all lie below this offset are believed without their checksum: their writers said so. */
    void trustUpTo(long offset) {
        trustedEnd = offset;
    }

    /** Takes in what was appended since the last look. */
    void look() throws IOException {
        window.look();
    }

    /**
     * Whatever is valid behind something that is not counts, as far as so many records can stand in so few bytes. For
     * recovery, which does not know where the log ended.
     */
    public void searchFurther() {
        searchEnd = nextOffset + (window.limit() - position) / RECORD_BYTES_MIN;
    }

    /**
     * Says that the segment belongs to the running boot: no power cut took any of its bytes, and all of it counts that
     * the kernel was given. Valid batches behind invalid bytes then count above the known end too.
     *
     * <p>The search must not take a batch that a user sent as the value of a record. Three things bound it:
     *
     * <ul>
     *   <li>The found batch has a checksum that holds, and an offset that the bytes between can explain.
     *   <li>A killed writer leaves the beginning of one batch, and behind it only a seal. So where the invalid bytes
     *       begin like the next batch, what is found in them counts only if the checksum of that batch proves that no
     *       more than its length is wrong, or if the batches follow one another from there to the seal or to the end of
     *       the file. Behind a value stands the rest of its record.
     *   <li>The search never goes beyond the seal.
     * </ul>
     */
    public void searchWritten() {
        allWritten = true;
    }

    /** Moves behind an entry that the caller has just appended itself. */
    void skip(int size, int records) {
        position += size;
        nextOffset += records;
    }

    public Entry next() throws IOException {
        if (position >= window.limit()) {
            return atTheEnd(false, "the file ends here");
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

    /** A head alone does not do: a seal behind a torn write can fill up the length that its head tells. */
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
                // Stay before the seal: the caller sees the damage first, then the seal.
                position = at;
                return damage(at, at, knownEnd, "records are missing before the seal");
            }
            return new Entry.Seal(at, mark);
        }
        return at == 0 ? new Entry.Open(at, mark) : new Entry.Dead(at, size, nextOffset);
    }

    /**
     * A whole entry whose base offset is not the next one: a lost race, or a flipped bit in the part without checksum.
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
            // What stood before said less than it held, or is gone. Stay here: this batch counts.
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

    /** Something at {@code at} is not an entry: look for the next thing that is. */
    private Entry behindInvalid(long at, String problem) throws IOException {
        long found = findValid(at);
        if (found < 0) {
            return allWritten && nextOffset >= knownEnd && isWholeLast(at)
                    ? damage(at, window.limit(), offsetBehind(at), problem)
                    : atTheEnd(true, problem);
        }
        if (isMarkAt(found)) {
            if (nextOffset < knownEnd) {
                return damage(at, found, knownEnd, problem);
            }
            // A torn write, closed by a seal.
            position = found;
            return next();
        }
        return damage(at, found, BatchHeader.baseOffset(window.bytes(), window.at(found, BatchHeader.SIZE)), problem);
    }

    private Entry atTheEnd(boolean torn, String problem) {
        if (nextOffset < knownEnd) {
            return damage(position, window.limit(), knownEnd, problem);
        }
        return new Entry.End(position, torn);
    }

    private Entry.Damage damage(long from, long until, long resumeAt, String problem) {
        // Not beyond what this segment can hold: the records behind are in the next one.
        long resume = nextOffset < knownEnd ? Math.min(resumeAt, knownEnd) : resumeAt;
        Entry.Damage damage = new Entry.Damage(from, until, nextOffset, resume, problem);
        position = until;
        nextOffset = resume;
        return damage;
    }

    private boolean isMarkAt(long at) throws IOException {
        return Mark.isMark(window.bytes(), window.at(at, BatchHeader.SIZE));
    }

    /** The nearest place behind {@code at} where a valid entry stands that can belong here; -1 when there is none. */
    private long findValid(long at) throws IOException {
        long behind = behindByItsLength(at);
        if (behind >= 0 && isNextByItsCount(at, behind)) {
            return behind;
        }
        // Searching byte by byte may meet a batch that a user sent as the value of a record. Below the known end the
        // offsets tell the two apart. Above it only recovery searches.
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
     * What stands where a broken entry says that it ends, if that can belong here: its length may be right; else -1.
     */
    private long behindByItsLength(long at) throws IOException {
        if (!window.complete(at)) {
            return -1;
        }
        long behind = at + BatchHeader.sizeInBytes(window.bytes(), window.at(at, BatchHeader.SIZE));
        return belongs(behind, Long.MAX_VALUE) ? behind : -1;
    }

    /** A length that broke may happen to lead behind other entries, which are good: the count must say the same. */
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
     * No checksum covers the base offset, and here no place tells it: ask what follows. The last batch must end where
     * the segment does. One with more damage behind it is believed unless it could be taken for what was lost; right
     * behind the mark that opens a segment, which holds no records, nothing was.
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

    /** True if the log goes on at the candidate, behind the invalid bytes at {@code at}; see {@link #searchWritten}. */
    private boolean wasWrittenBehind(long at, long candidate) throws IOException {
        if (candidate < searchedTo || !belongs(candidate, Long.MAX_VALUE) || !isExplained(at, candidate)) {
            return false;
        }
        if (!mayBeUnfinished(at) || window.crcHolds(at, candidate - at)) {
            return true;
        }
        long end = endOfBatches(candidate);
        // Those that followed are no better, and are not walked through again.
        searchedTo = end;
        return end >= window.limit() || isMarkAt(end) && belongs(end, Long.MAX_VALUE);
    }

    /**
     * True if the lost records can have stood in the bytes in front of the candidate. No checksum covers its base
     * offset: that of a last batch, which none follows, may be any number.
     */
    private boolean isExplained(long at, long candidate) throws IOException {
        int head = window.at(candidate, BatchHeader.SIZE);
        long base = BatchHeader.baseOffset(window.bytes(), head);
        long behind = candidate + BatchHeader.sizeInBytes(window.bytes(), head);
        if (base <= nextOffset + (candidate - at) / RECORD_BYTES_MIN || base == offsetBehind(at)) {
            return true;
        }
        // Compressed records take less room. The batch that follows tells the same offset: see isConfirmed.
        return window.valid(behind) && !isMarkAt(behind);
    }

    /** The offset behind the batch at this place, if its head can be believed. */
    private long offsetBehind(long at) throws IOException {
        int head = window.at(at, BatchHeader.SIZE);
        return head < 0 ? nextOffset : nextOffset + BatchHeader.lastOffsetDelta(window.bytes(), head) + 1;
    }

    /** True if the bytes begin as the next batch would: they can be a write that never came to its end. */
    private boolean mayBeUnfinished(long at) throws IOException {
        int head = window.at(at, BatchHeader.SIZE);
        return head < 0
                || BatchHeader.magic(window.bytes(), head) == BatchHeader.MAGIC
                        && BatchHeader.baseOffset(window.bytes(), head) == nextOffset;
    }

    /** Where the batches end that follow one another from here on, those that lost a race among them. */
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
     * True if the last batch was written to its end, and damaged afterwards: it ends where the file does, or would be
     * valid if its length said so. Its writer may have acknowledged it.
     */
    private boolean isWholeLast(long at) throws IOException {
        int head = window.at(at, BatchHeader.SIZE);
        if (head < 0 || !mayBeUnfinished(at) || Mark.isMark(window.bytes(), head)) {
            return false;
        }
        int records = BatchHeader.recordCount(window.bytes(), head);
        boolean countIsRight = records > 0 && records == BatchHeader.lastOffsetDelta(window.bytes(), head) + 1;
        boolean endsHere = at + BatchHeader.sizeInBytes(window.bytes(), head) == window.limit();
        return countIsRight && (endsHere || window.crcHolds(at, window.limit() - at));
    }
}
