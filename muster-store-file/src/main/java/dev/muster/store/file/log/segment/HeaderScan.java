package dev.muster.store.file.log.segment;

import dev.muster.disk.DiskFile;
import dev.muster.store.batch.BatchHeader;
import java.io.IOException;

/**
 * Scans the batches of a segment by their headers: reads 61 bytes of each batch and no record. For one thread and one
 * pass over the segment.
 *
 * <p>No checksum covers the position and the length of a batch. So the header of the next batch must confirm them: it
 * stands at the end of this batch, and its base offset follows this batch's last one. A batch that is not confirmed is
 * not taken; {@link SegmentScan} checks it.
 */
public final class HeaderScan {
    private final FileWindow window;
    private final long offsetLimit;
    private long position;
    private long nextOffset;
    private int size;
    private int records;

    /**
     * @param position the position of the first batch
     * @param nextOffset the offset of its first record
     * @param offsetLimit the end of the scan: no batch with a record at or above this offset is taken
     */
    public HeaderScan(DiskFile file, long position, long nextOffset, long offsetLimit) throws IOException {
        this.window = FileWindow.ofHeads(file);
        this.position = position;
        this.nextOffset = nextOffset;
        this.offsetLimit = offsetLimit;
    }

    /** The position behind the last batch that was taken. */
    public long position() {
        return position;
    }

    /** The offset behind the last batch that was taken. */
    public long nextOffset() {
        return nextOffset;
    }

    /** The number of bytes in the file behind {@link #position}. */
    public long left() {
        return window.limit() - position;
    }

    /** True if the header of the next batch stands at {@link #position}. */
    public boolean isAtBatch() throws IOException {
        return isHeaderOf(position, nextOffset);
    }

    /**
     * Takes the next batch.
     *
     * @param bytesMax the largest size of a batch to take
     * @return true if the batch was taken
     */
    public boolean take(long bytesMax) throws IOException {
        if (!isAtBatch()) {
            return false;
        }
        long end = position + size;
        long next = nextOffset + records;
        if (size > bytesMax || next > offsetLimit || !isConfirmed(end, next)) {
            return false;
        }
        position = end;
        nextOffset = next;
        return true;
    }

    private boolean isHeaderOf(long at, long baseOffset) throws IOException {
        if (!window.complete(at)) {
            return false;
        }
        byte[] bytes = window.bytes();
        int head = window.at(at, BatchHeader.SIZE);
        size = BatchHeader.sizeInBytes(bytes, head);
        records = BatchHeader.lastOffsetDelta(bytes, head) + 1;
        return records > 0 && BatchHeader.baseOffset(bytes, head) == baseOffset;
    }

    private boolean isConfirmed(long at, long baseOffset) throws IOException {
        return at == window.limit() || isHeaderOf(at, baseOffset);
    }
}
