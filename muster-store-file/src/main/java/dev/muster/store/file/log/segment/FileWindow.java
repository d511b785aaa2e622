package dev.muster.store.file.log.segment;

import dev.muster.disk.DiskFile;
import dev.muster.store.batch.BatchHeader;
import java.io.IOException;
import java.util.zip.CRC32C;

/**
 * A moving view of a file's bytes, up to the size that the file had at the last look. Its memory grows only with bytes
 * that exist.
 */
final class FileWindow {
    private static final int BYTES = 64 << 10;
    /**
     * The number of bytes read for a header. The headers of small batches behind it are read with it, and the content
     * of a large batch is not.
     */
    private static final int HEAD_BYTES = 4 << 10;

    private static final int WHOLE_BATCH_MAX = 1 << 20;

    private final DiskFile file;
    private byte[] bytes;
    private long start;
    private int length;
    private long limit;

    FileWindow(DiskFile file) throws IOException {
        this(file, BYTES);
    }

    private FileWindow(DiskFile file, int bytes) throws IOException {
        this.file = file;
        this.bytes = new byte[bytes];
        look();
    }

    /** A window for a caller that reads headers only. */
    static FileWindow ofHeads(DiskFile file) throws IOException {
        return new FileWindow(file, HEAD_BYTES);
    }

    /** Takes the current size of the file as the limit. */
    void look() throws IOException {
        limit = file.size();
    }

    long limit() {
        return limit;
    }

    byte[] bytes() {
        return bytes;
    }

    /** The index in {@link #bytes} of the {@code count} bytes at this position; -1 if the file ends before. */
    int at(long position, int count) throws IOException {
        if (count < 0 || position + count > limit) {
            return -1;
        }
        if (position < start || position + count > start + length) {
            if (count > bytes.length) {
                bytes = new byte[count];
            }
            start = position;
            int wanted = count <= BatchHeader.SIZE ? HEAD_BYTES : bytes.length;
            length = file.read(position, bytes, 0, (int) Math.min(wanted, limit - position));
            if (length < count) {
                // The file is shorter than before, because another program cut it. Its current size is the limit.
                limit = Math.min(limit, position + length);
                return -1;
            }
        }
        return (int) (position - start);
    }

    /** True if an entry with a plausible header is at this position, from its first to its last byte. */
    boolean complete(long position) throws IOException {
        int head = at(position, BatchHeader.SIZE);
        return head >= 0
                && BatchHeader.isPlausible(bytes, head)
                && position + BatchHeader.sizeInBytes(bytes, head) <= limit;
    }

    /** True if a complete entry is at this position and its checksum holds. */
    boolean valid(long position) throws IOException {
        if (!complete(position)) {
            return false;
        }
        int size = BatchHeader.sizeInBytes(bytes, at(position, BatchHeader.SIZE));
        if (size <= WHOLE_BATCH_MAX) {
            int whole = at(position, size);
            return whole >= 0 && BatchHeader.crcHolds(bytes, whole);
        }
        return crcHolds(position, size);
    }

    /**
     * True if the checksum in the header at this position holds for {@code size} bytes, whatever length the header has.
     */
    boolean crcHolds(long position, long size) throws IOException {
        int wanted = BatchHeader.crc(bytes, at(position, BatchHeader.SIZE));
        CRC32C crc = new CRC32C();
        for (long done = BatchHeader.ATTRIBUTES_AT; done < size; ) {
            int part = (int) Math.min(BYTES, size - done);
            int at = at(position + done, part);
            if (at < 0) {
                return false;
            }
            crc.update(bytes, at, part);
            done += part;
        }
        return (int) crc.getValue() == wanted;
    }
}
