package dev.muster.store.file.log.segment;

import dev.muster.disk.DiskFile;
import dev.muster.store.batch.BatchHeader;
import java.io.IOException;
import java.util.zip.CRC32C;

/**
 * A moving view of a file's bytes, up to the size the file had at the last look. Memory grows only by bytes that are
 * there.
 */
final class FileWindow {
    private static final int BYTES = 64 << 10;
    /** Read for the sake of a head: heads of small batches behind it come along, a large batch's content does not. */
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

    /** For somebody who looks at heads only. */
    static FileWindow ofHeads(DiskFile file) throws IOException {
        return new FileWindow(file, HEAD_BYTES);
    }

    /** Takes the file's present size as the limit. */
    void look() throws IOException {
        limit = file.size();
    }

    long limit() {
        return limit;
    }

    byte[] bytes() {
        return bytes;
    }

    /** Where in {@link #bytes} the {@code count} bytes at this position are; -1 when the file ends before. */
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
                // The file is shorter than it was: someone cut it. Treat it as it is now.
                limit = Math.min(limit, position + length);
                return -1;
            }
        }
        return (int) (position - start);
    }

    /** Whether an entry with a sensible head stands here from first to last byte. */
    boolean complete(long position) throws IOException {
        int head = at(position, BatchHeader.SIZE);
        return head >= 0
                && BatchHeader.isPlausible(bytes, head)
                && position + BatchHeader.sizeInBytes(bytes, head) <= limit;
    }

    /** Whether a complete entry stands here and its checksum holds. */
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

    /** True if the checksum in the head at this position holds for so many bytes, whatever length the head tells. */
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
