package dev.muster.store.file.log.recovery;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.store.file.log.segment.SegmentName;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The facts about a partition beside its records: an append-only journal of fixed-size entries, each with its own
 * checksum. Entries with a wrong checksum are skipped. No entry is ever changed, so a process that was stopped during a
 * write does no harm when it continues.
 *
 * <pre>
 *   0  kind         1   'S' start, 'D' durable, 'C' cut, 'L' lost
 *   1  version      1   1
 *   2  (zero)       2
 *   4  generation   4   D: of the segment; C: the first generation that is not cut
 *   8  offset       8   S: first readable; D: records below are durable; C: end of older generations; L: first lost
 *  16  base         8   D: base offset of the segment; L: first offset behind the lost ones; C: the least leader epoch
 *  24  position     8   D: position of the offset in that segment
 *  32  crc          4   CRC-32C of bytes 0 to 31
 * </pre>
 */
public final class Checkpoint {
    public static final String FILE = "checkpoint";
    private static final int ENTRY = 36;
    private static final byte VERSION = 1;

    /** A place where recovery may begin: everything below it is durable. */
    public record Durable(long offset, SegmentName segment, long position) {}

    /**
     * A cut: segments of older generations end at this offset. A part of the later records was lost in a power cut, or
     * an older copy of the directory was restored.
     *
     * @param epoch the leader epoch of the batches behind the cut
     */
    public record Cut(int generation, long offset, int epoch) {}

    /** Offsets of records whose sync failed: they were never acknowledged and are never delivered. */
    public record Lost(long firstOffset, long nextOffset) {}

    /** The content of the journal at one moment. Of several cuts of one generation the first counts. */
    public record Facts(long start, Durable durable, List<Cut> cuts, List<Lost> lost, long size) {
        public static final Facts NONE = new Facts(0, null, List.of(), List.of(), 0);

        /** The leader epoch of new batches. Each cut raises it. */
        public int leaderEpoch() {
            return cuts.isEmpty() ? 0 : cuts.getLast().epoch();
        }

        /** The offset at which a cut ends a segment; {@code Long.MAX_VALUE} if no cut concerns it. */
        public long cutOf(SegmentName segment) {
            long end = Long.MAX_VALUE;
            for (Cut cut : cuts) {
                if (segment.generation() < cut.generation()) {
                    end = Math.min(end, cut.offset());
                }
            }
            return end;
        }

        boolean exists(SegmentName segment) {
            return segment.base() < cutOf(segment);
        }

        /** True if all of these offsets are lost. */
        public boolean isLost(long firstOffset, long nextOffset) {
            long offset = firstOffset;
            while (offset < nextOffset) {
                Lost range = lostAt(offset);
                if (range == null) {
                    return false;
                }
                offset = range.nextOffset();
            }
            return true;
        }

        /** The begin of the next lost range behind this offset; {@code Long.MAX_VALUE} if there is none. */
        public long nextLost(long offset) {
            long next = Long.MAX_VALUE;
            for (Lost range : lost) {
                if (range.firstOffset() > offset) {
                    next = Math.min(next, range.firstOffset());
                }
            }
            return next;
        }

        /** The lost range that holds this offset; null if there is none. */
        public Lost lostAt(long offset) {
            for (Lost range : lost) {
                if (offset >= range.firstOffset() && offset < range.nextOffset()) {
                    return range;
                }
            }
            return null;
        }
    }

    private final Disk disk;
    private final Path file;

    public Checkpoint(Disk disk, Path folder) {
        this.disk = disk;
        this.file = folder.resolve(FILE);
    }

    public Facts read() throws IOException {
        byte[] bytes;
        try {
            bytes = disk.readAll(file);
        } catch (NoSuchFileException e) {
            return Facts.NONE;
        }
        long start = 0;
        Durable durable = null;
        List<Cut> cuts = new ArrayList<>();
        List<Lost> lost = new ArrayList<>();
        for (int at = 0; at + ENTRY <= bytes.length; at = next(bytes, at)) {
            if (!valid(bytes, at)) {
                continue;
            }
            ByteBuffer entry = ByteBuffer.wrap(bytes, at, ENTRY);
            char kind = (char) entry.get();
            int generation = entry.position(at + 4).getInt();
            long offset = entry.getLong();
            long base = entry.getLong();
            long position = entry.getLong();
            switch (kind) {
                case 'S' -> start = Math.max(start, offset);
                case 'D' -> {
                    if (durable == null || offset >= durable.offset()) {
                        durable = new Durable(offset, new SegmentName(base, generation), position);
                    }
                }
                case 'C' -> {
                    if (cuts.isEmpty() || cuts.getLast().generation() < generation) {
                        cuts.add(new Cut(generation, offset, epoch(cuts, base)));
                        // Records beyond the cut are not durable any more.
                        durable = durable != null && durable.offset() > offset ? null : durable;
                    }
                }
                case 'L' -> lost.add(new Lost(offset, base));
                default -> {
                    // A kind of entry of a later version, which this version need not know.
                }
            }
        }
        return new Facts(start, durable, cuts, lost, bytes.length);
    }

    /** Each cut raises the leader epoch by one, or to the epoch that its entry names. */
    private static int epoch(List<Cut> before, long named) {
        int next = before.isEmpty() ? 1 : before.getLast().epoch() + 1;
        return Math.clamp(named, next, Integer.MAX_VALUE);
    }

    /**
     * The position to try next. A torn entry shifts the entries behind it, so the search steps byte by byte until a
     * checksum holds again.
     */
    private static int next(byte[] bytes, int at) {
        return valid(bytes, at) ? at + ENTRY : at + 1;
    }

    private static boolean valid(byte[] bytes, int at) {
        return bytes[at + 1] == VERSION && ByteBuffer.wrap(bytes).getInt(at + ENTRY - 4) == crc(bytes, at);
    }

    private static int crc(byte[] bytes, int at) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, at, ENTRY - 4);
        return (int) crc.getValue();
    }

    /** Writes an entry, which is durable when this returns. */
    public long writeStart(long offset) throws IOException {
        return write('S', 0, offset, 0, 0, true);
    }

    /**
     * Writes that records below an offset are durable. The entry saves time after a reboot, and shows that a missing
     * record below it is damage and not lost in a power cut.
     */
    public void writeDurable(long offset, SegmentName segment, long position, boolean sync) throws IOException {
        write('D', segment.generation(), offset, segment.base(), position, sync);
    }

    /** Writes an entry, which is durable when this returns. */
    public long writeCut(int generation, long offset) throws IOException {
        return write('C', generation, offset, 0, 0, true);
    }

    /**
     * Writes an entry, which is durable when this returns.
     *
     * @param epoch the lowest leader epoch of batches that are appended from now on
     */
    public long writeCut(int generation, long offset, int epoch) throws IOException {
        return write('C', generation, offset, epoch, 0, true);
    }

    /** Writes an entry, which is durable when this returns. */
    public long writeLost(long firstOffset, long nextOffset) throws IOException {
        return write('L', 0, firstOffset, nextOffset, 0, true);
    }

    /** The bytes of a journal with these facts. */
    public static byte[] encode(Facts facts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        if (facts.start() > 0) {
            all.writeBytes(entry('S', 0, facts.start(), 0, 0));
        }
        facts.cuts().forEach(cut -> all.writeBytes(entry('C', cut.generation(), cut.offset(), cut.epoch(), 0)));
        facts.lost().forEach(lost -> all.writeBytes(entry('L', 0, lost.firstOffset(), lost.nextOffset(), 0)));
        if (facts.durable() != null) {
            SegmentName segment = facts.durable().segment();
            all.writeBytes(entry(
                    'D',
                    segment.generation(),
                    facts.durable().offset(),
                    segment.base(),
                    facts.durable().position()));
        }
        return all.toByteArray();
    }

    private static byte[] entry(char kind, int generation, long offset, long base, long position) {
        ByteBuffer entry = ByteBuffer.allocate(ENTRY);
        entry.put((byte) kind).put(VERSION).putShort((short) 0).putInt(generation);
        entry.putLong(offset).putLong(base).putLong(position).putInt(crc(entry.array(), 0));
        return entry.array();
    }

    private long write(char kind, int generation, long offset, long base, long position, boolean sync)
            throws IOException {
        byte[] entry = entry(kind, generation, offset, base, position);
        try (DiskFile journal = disk.openForAppend(file)) {
            long end = journal.append(entry, 0, ENTRY);
            if (sync) {
                journal.sync();
                disk.syncFolder(file.getParent());
            }
            return end;
        }
    }

    /** True if every byte of the journal belongs to an entry whose checksum holds. */
    public boolean intact() throws IOException {
        byte[] bytes;
        try {
            bytes = disk.readAll(file);
        } catch (NoSuchFileException e) {
            return true;
        }
        int at = 0;
        while (at + ENTRY <= bytes.length && valid(bytes, at)) {
            at += ENTRY;
        }
        return at == bytes.length;
    }
}
