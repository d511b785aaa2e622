package dev.muster.store.file.log.segment;

import dev.muster.disk.DiskFile;
import dev.muster.disk.FileIdentity;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.batch.EncodedBatch;
import java.io.IOException;

/**
 * The segment that this process appends to, and the place up to which it has read the segment. All calls are made under
 * the partition's append lock. Those that say so are also made under the lock on the file. Other processes append to
 * the same file: a process that takes the lock first reads the entries that were added since.
 */
public final class ActiveSegment implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ActiveSegment.class.getName());

    private final PartitionKey key;
    private final SegmentName name;
    private final DiskFile file;
    private final FileIdentity identity;
    private final SegmentScan scan;
    private Mark openMark;
    private boolean sealed;
    private boolean torn;
    private boolean damaged;
    private boolean empty;
    private long maxTimestamp = Long.MIN_VALUE;
    private long indexedPosition;

    /** @param from the place to begin reading: an index entry that was checked, or null for the first byte */
    public ActiveSegment(PartitionKey key, SegmentName name, DiskFile file, SparseIndex.Entry from, long knownEnd)
            throws IOException {
        this.key = key;
        this.name = name;
        this.file = file;
        this.identity = file.identity();
        this.scan = from == null
                ? new SegmentScan(key, name, file, 0, name.base(), knownEnd, false)
                : new SegmentScan(key, name, file, from.position(), from.offset(), knownEnd, false);
        if (from != null) {
            maxTimestamp = from.maxTimestampBefore();
            indexedPosition = from.position();
            SegmentScan.Entry first = new SegmentScan(key, name, file, 0, name.base(), 0, true).next();
            openMark = first instanceof SegmentScan.Entry.Open open ? open.mark() : null;
        }
    }

    public SegmentName name() {
        return name;
    }

    public DiskFile file() {
        return file;
    }

    /** The identity of the open file, even if its name is now that of another file. */
    public FileIdentity identity() {
        return identity;
    }

    /** The position of the next entry. */
    public long position() {
        return scan.position();
    }

    public long nextOffset() {
        return scan.nextOffset();
    }

    public long maxTimestamp() {
        return maxTimestamp;
    }

    public Mark openMark() {
        return openMark;
    }

    /** True if the segment has a seal: nothing can be appended to it any more. */
    public boolean sealed() {
        return sealed;
    }

    /** True if the segment is damaged. No batch may be appended behind the damage. */
    public boolean damaged() {
        return damaged;
    }

    /**
     * True if the bytes at the end are no entry, because a writer died during a write. The segment then needs a seal.
     */
    public boolean torn() {
        return torn;
    }

    public boolean hasRecords() {
        return nextOffset() > name.base();
    }

    /** True if not even the opening mark is there. */
    public boolean empty() {
        return empty;
    }

    /**
     * Reads the entries that were appended since the last call.
     *
     * @param writtenEnd the offset below which records are in this segment for certain
     */
    public void catchUp(long writtenEnd) throws IOException {
        scan.trustUpTo(writtenEnd);
        catchUp(null);
    }

    /**
     * Reads on.
     *
     * @return true if this very batch was found and counts
     */
    boolean catchUp(EncodedBatch wanted) throws IOException {
        boolean met = false;
        scan.look();
        torn = false;
        while (!sealed) {
            switch (scan.next()) {
                case SegmentScan.Entry.Batch batch -> {
                    maxTimestamp = Math.max(maxTimestamp, batch.maxTimestamp());
                    met |= wanted != null && isSame(batch, wanted);
                }
                case SegmentScan.Entry.Open open -> openMark = open.mark();
                case SegmentScan.Entry.Seal _ -> sealed = true;
                case SegmentScan.Entry.Dead dead ->
                    LOG.log(System.Logger.Level.DEBUG, "an entry does not count: {0} at {1}", file, dead.position());
                case SegmentScan.Entry.Damage damage -> {
                    damaged = true;
                    LOG.log(
                            System.Logger.Level.WARNING,
                            "damaged log: {0} at byte {1}: {2}; offsets {3} to {4} cannot be read",
                            file,
                            damage.position(),
                            damage.problem(),
                            damage.firstOffset(),
                            damage.nextOffset() - 1);
                }
                case SegmentScan.Entry.End end -> {
                    torn = end.torn();
                    empty = end.position() == 0 && !torn;
                    return met;
                }
            }
        }
        return met;
    }

    private boolean isSame(SegmentScan.Entry.Batch met, EncodedBatch wanted) throws IOException {
        if (met.size() != wanted.size() || met.baseOffset() != wanted.baseOffset()) {
            return false;
        }
        byte[] head = new byte[BatchHeader.SIZE];
        return file.read(met.position(), head, 0, head.length) == head.length
                && BatchHeader.crc(head, 0) == wanted.crc()
                && new FileWindow(file).valid(met.position());
    }

    /**
     * Appends a batch whose base offset is {@link #nextOffset}. Under the lock on the file, after {@link #catchUp}.
     *
     * @return true if the batch counts; false if the segment was sealed before it
     */
    public boolean append(EncodedBatch batch) throws IOException {
        long expectedEnd = position() + batch.size();
        long end;
        try {
            end = file.append(batch.array(), batch.at(), batch.size());
        } catch (IOException e) {
            // Read the file first: the batch may be there in spite of the error.
            if (catchUp(batch)) {
                return true;
            }
            throw e;
        }
        if (end != expectedEnd) {
            return catchUp(batch);
        }
        scan.skip(batch.size(), batch.offsetCount());
        maxTimestamp = Math.max(maxTimestamp, batch.maxTimestamp());
        return true;
    }

    /** Appends a mark, with or without the lock on the file. The first seal counts, at whatever place it is. */
    public void append(Mark mark) throws IOException {
        byte[] bytes = mark.encode();
        file.append(bytes, 0, bytes.length);
        catchUp(null);
    }

    /** The entry that the index should get now; null if the last one is near enough. */
    public SparseIndex.Entry dueIndexEntry(
            long batchPosition, long batchOffset, long maxTimestampBefore, int interval) {
        if (batchPosition - indexedPosition < interval) {
            return null;
        }
        indexedPosition = batchPosition;
        return new SparseIndex.Entry(batchOffset, batchPosition, maxTimestampBefore, false);
    }

    @Override
    public void close() {
        file.close();
    }

    @Override
    public String toString() {
        return key.folder().resolve(name.logFile()).toString();
    }
}
