package dev.muster.store.file.log;

import dev.muster.store.batch.BatchHeader;
import dev.muster.store.file.disk.DiskFile;
import java.io.IOException;

/**
 * Goes along the batches of a segment by their heads: reads 61 bytes of each and no record. For one thread, and one
 * walk.
 *
 * <p>No checksum covers where a batch begins and how long it is, so the next one must vouch for it: it stands where
 * this one ends, and its base offset is the next one. Whatever has no such witness is not taken, and is for
 * {@link SegmentScan} to judge.
 */
final class HeadWalk {
    private final FileWindow window;
    private final long offsetLimit;
    private long position;
    private long nextOffset;
    private int size;
    private int records;

    /**
     * @param position where the first batch stands
     * @param nextOffset the offset of its first record
     * @param offsetLimit records below this offset count and were written to their end; no batch that leads beyond is
     *     taken
     */
    HeadWalk(DiskFile file, long position, long nextOffset, long offsetLimit) throws IOException {
        this.window = FileWindow.ofHeads(file);
        this.position = position;
        this.nextOffset = nextOffset;
        this.offsetLimit = offsetLimit;
    }

    /** Where the walk stands: behind the last batch that was taken. */
    long position() {
        return position;
    }

    long nextOffset() {
        return nextOffset;
    }

    /** What there is of the file behind the walk. */
    long left() {
        return window.limit() - position;
    }

    /** Whether a batch seems to stand here that can be the next one. */
    boolean isAtBatch() throws IOException {
        return isHeadOf(position, nextOffset);
    }

    /**
     * Takes the next batch.
     *
     * @param bytesMax no batch that is larger
     */
    boolean take(long bytesMax) throws IOException {
        if (!isAtBatch()) {
            return false;
        }
        long end = position + size;
        long next = nextOffset + records;
        if (size > bytesMax || next > offsetLimit || !isWitness(end, next)) {
            return false;
        }
        position = end;
        nextOffset = next;
        return true;
    }

    private boolean isHeadOf(long at, long baseOffset) throws IOException {
        if (!window.complete(at)) {
            return false;
        }
        byte[] bytes = window.bytes();
        int head = window.at(at, BatchHeader.SIZE);
        size = BatchHeader.sizeInBytes(bytes, head);
        records = BatchHeader.lastOffsetDelta(bytes, head) + 1;
        return records > 0 && BatchHeader.baseOffset(bytes, head) == baseOffset;
    }

    private boolean isWitness(long at, long baseOffset) throws IOException {
        return at == window.limit() || isHeadOf(at, baseOffset);
    }
}
