package dev.muster.store.file.log.segment;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.store.batch.BatchHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The positions of some batches of a segment: entries of 32 bytes, each with its own checksum. The process that appends
 * to the log appends them too. The index is derived: without the file, or with a wrong one, results are the same but
 * slower.
 *
 * <pre>
 *   0  offset         8   base offset of a batch; in the closing entry the next offset at the seal
 *   8  position       8   position of that batch; in the closing entry the position of the seal
 *  16  max timestamp  8   the largest timestamp of all batches before it
 *  24  kind           4   0 entry, 1 closing entry
 *  28  crc            4   CRC-32C of bytes 0 to 27
 * </pre>
 */
public final class SparseIndex {
    static final int ENTRY = 32;
    private static final int CLOSING = 1;

    /** An entry. In the closing entry of a sealed segment the timestamp is the largest of the segment. */
    public record Entry(long offset, long position, long maxTimestampBefore, boolean closing) {}

    private long[] offsets = new long[16];
    private long[] positions = new long[16];
    private long[] timestamps = new long[16];
    private int count;
    private Entry closing;
    private boolean orderly = true;
    private Entry openEnd;

    /** The entries of the file; none if it is missing. */
    public static SparseIndex load(Disk disk, Path file) throws IOException {
        SparseIndex index = new SparseIndex();
        byte[] bytes;
        try {
            bytes = disk.readAll(file);
        } catch (NoSuchFileException e) {
            return index;
        }
        for (int at = 0; at + ENTRY <= bytes.length; at += ENTRY) {
            ByteBuffer entry = ByteBuffer.wrap(bytes, at, ENTRY);
            long offset = entry.getLong();
            long position = entry.getLong();
            long timestamp = entry.getLong();
            boolean closes = entry.getInt() == CLOSING;
            if (entry.getInt() != crc(bytes, at)) {
                index.orderly = false;
                continue;
            }
            index.add(new Entry(offset, position, timestamp, closes));
        }
        index.orderly &= bytes.length % ENTRY == 0;
        return index;
    }

    /** True if the checksums of all entries hold. If not, the index is worth rebuilding. */
    public boolean orderly() {
        return orderly;
    }

    public int size() {
        return count;
    }

    public Entry get(int i) {
        return new Entry(offsets[i], positions[i], timestamps[i], false);
    }

    /** The closing entry; null if the segment was not closed properly. */
    public Entry closing() {
        return closing;
    }

    void add(Entry entry) {
        if (entry.closing()) {
            closing = entry;
            return;
        }
        if (count > 0 && (entry.offset() <= offsets[count - 1] || entry.position() <= positions[count - 1])) {
            // Two processes may write entries in another order than they appended. An entry out of order is skipped.
            return;
        }
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, count * 2);
            positions = Arrays.copyOf(positions, count * 2);
            timestamps = Arrays.copyOf(timestamps, count * 2);
        }
        offsets[count] = entry.offset();
        positions[count] = entry.position();
        timestamps[count] = entry.maxTimestampBefore();
        count++;
    }

    /** The last entry at or before the offset; null if the search must begin at the start of the segment. */
    public Entry floor(long offset) {
        int found = Arrays.binarySearch(offsets, 0, count, offset);
        int i = found >= 0 ? found : -found - 2;
        return i < 0 ? null : get(i);
    }

    /** The last entry with only older records than the timestamp before it; null if there is none. */
    public Entry beforeTime(long timestamp) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (timestamps[middle] < timestamp) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? null : get(low - 1);
    }

    public static byte[] encode(Entry entry) {
        ByteBuffer bytes = ByteBuffer.allocate(ENTRY);
        bytes.putLong(entry.offset()).putLong(entry.position()).putLong(entry.maxTimestampBefore());
        bytes.putInt(entry.closing() ? CLOSING : 0).putInt(crc(bytes.array(), 0));
        return bytes.array();
    }

    private static int crc(byte[] bytes, int at) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, at, ENTRY - 4);
        return (int) crc.getValue();
    }

    /** Replaces the file by these entries. No reader ever sees half of it. */
    public void write(Disk disk, Path file) throws IOException {
        Path draft =
                file.resolveSibling(file.getFileName() + "." + disk.machine().newId() + ".tmp");
        try {
            try (DiskFile writing = disk.openForAppend(draft)) {
                ByteBuffer all = ByteBuffer.allocate((count + 1) * ENTRY);
                for (int i = 0; i < count; i++) {
                    all.put(encode(get(i)));
                }
                if (closing != null) {
                    all.put(encode(closing));
                }
                if (all.position() > 0) {
                    writing.append(all.array(), 0, all.position());
                }
            }
            disk.rename(draft, file);
        } finally {
            disk.delete(draft);
        }
    }

    /** An index that is built from the segment itself. */
    public static SparseIndex build(SegmentScan scan, int intervalBytes) throws IOException {
        SparseIndex index = new SparseIndex();
        long lastPosition = 0;
        long maxTimestamp = Long.MIN_VALUE;
        while (true) {
            switch (scan.next()) {
                case SegmentScan.Entry.Batch batch -> {
                    if (batch.position() - lastPosition >= intervalBytes) {
                        index.add(new Entry(batch.baseOffset(), batch.position(), maxTimestamp, false));
                        lastPosition = batch.position();
                    }
                    maxTimestamp = Math.max(maxTimestamp, batch.maxTimestamp());
                }
                case SegmentScan.Entry.Seal seal -> {
                    index.add(new Entry(scan.nextOffset(), seal.position(), maxTimestamp, true));
                    return index;
                }
                case SegmentScan.Entry.End end -> {
                    // The segment is not sealed, so this end holds for this moment only.
                    index.openEnd = new Entry(scan.nextOffset(), end.position(), maxTimestamp, true);
                    return index;
                }
                case SegmentScan.Entry.Open _, SegmentScan.Entry.Dead _, SegmentScan.Entry.Damage _ -> {}
            }
        }
    }

    /** Closes the index where the records end. For a segment that does not grow any more although its seal is gone. */
    public SparseIndex closed() {
        if (closing == null) {
            closing = openEnd;
        }
        return this;
    }

    /** True if a whole batch is at the position of an index entry. */
    public static boolean agrees(DiskFile file, Entry entry) throws IOException {
        FileWindow window = new FileWindow(file);
        return window.valid(entry.position())
                && BatchHeader.baseOffset(window.bytes(), window.at(entry.position(), BatchHeader.SIZE))
                        == entry.offset();
    }
}
