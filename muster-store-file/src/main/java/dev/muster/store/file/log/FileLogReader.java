package dev.muster.store.file.log;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.FileSource;
import dev.muster.store.DamagedLogException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.file.log.recovery.Checkpoint;
import dev.muster.store.file.log.recovery.SegmentList;
import dev.muster.store.file.log.segment.HeaderScan;
import dev.muster.store.file.log.segment.SegmentName;
import dev.muster.store.file.log.segment.SegmentScan;
import dev.muster.store.read.BatchRegion;
import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Reads one partition for one thread, with a file of its own. In the common case a read is one system call and a
 * checksum per batch. Everything below the visible end exists. If an entry there does not look valid,
 * {@link SegmentScan} finds out what it is.
 */
final class FileLogReader implements LogReader {
    private static final int FIRST_BUFFER_BYTES = 64 << 10;
    private static final int BUFFER_BYTES_MAX = 1 << 20;
    /** Up to this size, a copy costs less than opening a file. */
    private static final int PASSED_IN_MEMORY_MAX = 32 << 10;
    /** Up to this distance, reading on costs less than a search. */
    private static final int NEAR_RECORDS = 256;

    private final PartitionState log;
    private long position;
    // Two buffers are used in turns, so that the last slice stays valid while the next one is read.
    private byte[] buffer = {};
    private byte[] lastBuffer = {};

    // The open segment, the position of its next entry, and the offset of the first record there.
    private SegmentName segment;
    private Path path;
    private DiskFile file;
    private long filePosition;
    private long fileOffset;
    private boolean closed;

    FileLogReader(PartitionState log, long position) {
        this.log = log;
        this.position = position;
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public void seek(long offset) {
        if (offset == position) {
            return;
        }
        position = offset;
        if (file != null && (offset < fileOffset || offset - fileOffset > NEAR_RECORDS)) {
            closeFile();
        }
    }

    @Override
    public long memoryBytes() {
        return (long) buffer.length + lastBuffer.length;
    }

    @Override
    public LogSlice read(int bytesMax) {
        useOtherBuffer();
        return readAtPosition(limit -> readHere(bytesMax, limit))
                .map(read -> new LogSlice(bytesOf(read), position))
                .orElseGet(() -> new LogSlice(ByteBuffer.wrap(buffer, 0, 0), position));
    }

    @Override
    public BatchRegion readRegion(int bytesMax) {
        useOtherBuffer();
        Optional<Region> passed = readAtPosition(limit -> {
            HeaderScan scan = new HeaderScan(file, filePosition, fileOffset, limit);
            boolean much = Math.min(bytesMax, scan.left()) > PASSED_IN_MEMORY_MAX;
            Region scanned = much ? scan(scan, bytesMax) : null;
            if (scanned == null && much && !scan.isAtBatch()) {
                stepOver();
                return null;
            }
            return scanned != null ? scanned : readHere((int) Math.min(bytesMax, scan.left()), limit);
        });
        if (passed.isEmpty()) {
            return new BatchRegion.InMemory(ByteBuffer.wrap(buffer, 0, 0), Optional.empty());
        }
        Region region = passed.get();
        boolean little = region.inBuffer() >= 0 && region.length() <= PASSED_IN_MEMORY_MAX;
        return little ? new BatchRegion.InMemory(bytesOf(region), Optional.of(region)) : region;
    }

    private void useOtherBuffer() {
        byte[] reused = lastBuffer;
        lastBuffer = buffer;
        buffer = reused;
    }

    private ByteBuffer bytesOf(Region read) {
        return ByteBuffer.wrap(buffer, read.inBuffer(), read.length()).slice();
    }

    /** A way to take batches from the open segment. */
    private interface SegmentRead {
        /**
         * Takes batches below the limit.
         *
         * @return null if the segment or the position changed, and the caller must try again
         */
        Region below(long offsetLimit) throws IOException;
    }

    /** Finds the place of the position and takes batches from there; empty at the visible end. */
    private Optional<Region> readAtPosition(SegmentRead read) {
        if (closed) {
            throw new IllegalStateException("this reader is closed");
        }
        log.checkUsable();
        try {
            while (true) {
                long end = log.endOffset();
                long start = log.startOffset();
                if (position > end && position <= log.control().writtenEnd()) {
                    // The position was visible before, when the topic had another sync level.
                    return Optional.empty();
                }
                if (position < start || position > end) {
                    throw new OffsetOutOfRangeException(log.name(), position, start, end);
                }
                if (position == end) {
                    closeTrimmed();
                    return Optional.empty();
                }
                Checkpoint.Lost lost = log.hiddenAt(position);
                if (lost != null) {
                    seek(Math.min(lost.nextOffset(), end));
                    continue;
                }
                if (file == null) {
                    locate();
                }
                // Read after the end of the log: if that end includes records of a later segment, the list has that
                // segment.
                long segmentEnd = segmentEnd();
                if (fileOffset >= segmentEnd) {
                    closeFile();
                    continue;
                }
                Region taken = read.below(Math.min(Math.min(end, segmentEnd), log.nextHidden(position)));
                if (taken != null) {
                    return Optional.of(taken);
                }
            }
        } catch (NoSuchFileException e) {
            log.checkUsable();
            throw missing(e);
        } catch (DamagedLogException e) {
            // A deletion of the topic removes files during a read. Then the caller must get the error for the deletion.
            log.checkUsable();
            throw e;
        } catch (IOException e) {
            log.checkUsable();
            throw log.failed("read", e);
        }
    }

    /**
     * Closes a trimmed segment. At the end of the log nothing is read from it, and the open file would keep its room
     * from being freed.
     */
    private void closeTrimmed() {
        if (file != null && log.segments().isTrimmed(segment)) {
            closeFile();
        }
    }

    /** The offset behind the last record of the open segment. */
    private long segmentEnd() {
        List<SegmentName> names = log.segments().names();
        int i = names.indexOf(segment);
        if (i < 0) {
            // The segment is not listed any more: retention removed it, and the position is behind it.
            return fileOffset;
        }
        return i + 1 < names.size() ? names.get(i + 1).base() : Long.MAX_VALUE;
    }

    /**
     * The batches from the one that holds the position on, as far as their headers are confirmed; null if there are
     * none.
     */
    private Region scan(HeaderScan scan, int bytesMax) throws IOException {
        while (scan.nextOffset() <= position) {
            filePosition = scan.position();
            fileOffset = scan.nextOffset();
            // The batch that holds the position is taken however large it is.
            if (!scan.take(Integer.MAX_VALUE)) {
                return null;
            }
        }
        long from = filePosition;
        while (scan.take(from + bytesMax - scan.position())) {
            // Take as many as fit.
        }
        filePosition = scan.position();
        fileOffset = scan.nextOffset();
        position = fileOffset;
        return new Region(log.env().disk(), path, from, (int) (filePosition - from), -1);
    }

    /** Reads one piece of the open segment; null if the segment or the position changed. */
    private Region readHere(int bytesMax, long offsetLimit) throws IOException {
        int wanted = Math.max(bytesMax, BatchHeader.SIZE);
        ensure(Math.clamp(wanted, FIRST_BUFFER_BYTES, BUFFER_BYTES_MAX));
        int length = file.read(filePosition, buffer, 0, Math.min(buffer.length, wanted));
        if (length >= BatchHeader.SIZE) {
            long size = BatchHeader.sizeInBytes(buffer, 0);
            if (size > length && BatchHeader.isPlausible(buffer, 0) && size <= file.size() - filePosition) {
                // The first batch is larger than requested, and at least one batch is always returned.
                ensure((int) size);
                length = file.read(filePosition, buffer, 0, (int) size);
            }
        }
        return collect(length, offsetLimit);
    }

    private void ensure(int bytes) {
        if (buffer.length < bytes) {
            buffer = new byte[bytes];
        }
    }

    /** The whole, valid batches at the start of the bytes that were read, from the batch that holds the position on. */
    private Region collect(int length, long endOffset) throws IOException {
        long readAt = filePosition;
        int from = -1;
        int at = 0;
        while (length - at >= BatchHeader.SIZE && fileOffset < endOffset) {
            int size = BatchHeader.sizeInBytes(buffer, at);
            if (size < BatchHeader.SIZE || size > length - at) {
                break;
            }
            boolean regular = BatchHeader.isPlausible(buffer, at)
                    && BatchHeader.baseOffset(buffer, at) == fileOffset
                    && BatchHeader.lastOffsetDelta(buffer, at) >= 0
                    && BatchHeader.crcHolds(buffer, at);
            if (!regular) {
                break;
            }
            fileOffset += BatchHeader.lastOffsetDelta(buffer, at) + 1;
            if (from < 0 && fileOffset > position) {
                from = at;
            }
            at += size;
            filePosition = readAt + at;
        }
        if (from >= 0) {
            position = fileOffset;
            return new Region(log.env().disk(), path, readAt + from, at - from, from);
        }
        if (at == 0) {
            stepOver();
        }
        return null;
    }

    /**
     * Steps over an entry that has no records to deliver: a mark, a batch that its writer appended again after it lost
     * a race, or damage.
     */
    private void stepOver() throws IOException {
        List<SegmentName> names = log.segments().refresh();
        int i = names.indexOf(segment);
        if (i < 0) {
            closeFile();
            return;
        }
        long knownEnd = Math.min(log.segments().knownEnd(names, i), Math.max(log.endOffset(), position));
        SegmentScan scan = new SegmentScan(log.key(), segment, file, filePosition, fileOffset, knownEnd, true);
        switch (scan.next()) {
            case SegmentScan.Entry.Batch batch -> {
                // It is a whole batch after all: it was not complete when it was read, or a seek went to a place before
                // it.
                filePosition = batch.position();
                fileOffset = batch.baseOffset();
                ensure(batch.size());
            }
            case SegmentScan.Entry.Open _, SegmentScan.Entry.Dead _ -> {
                filePosition = scan.position();
                fileOffset = scan.nextOffset();
            }
            case SegmentScan.Entry.Damage damage -> {
                filePosition = scan.position();
                fileOffset = scan.nextOffset();
                if (damage.nextOffset() > position) {
                    String damagedFile = path.toString();
                    closeFile();
                    throw new DamagedLogException(
                            damagedFile,
                            damage.position(),
                            Math.max(damage.firstOffset(), position),
                            damage.nextOffset(),
                            damage.problem());
                }
            }
            case SegmentScan.Entry.Seal _, SegmentScan.Entry.End _ -> {
                // This is behind the last record of the segment; the next segment holds the position.
                closeFile();
            }
        }
    }

    /** Opens the segment that holds the position and goes to the batch that holds it. */
    private void locate() throws IOException {
        List<SegmentName> names = log.segments().names();
        int i = SegmentList.floor(names, position);
        if (i < 0) {
            names = log.segments().refresh();
            i = SegmentList.floor(names, position);
        }
        if (i < 0) {
            // The start is raised before files are deleted: another process may have trimmed since the start was read.
            long start = log.startOffset();
            if (position < start) {
                throw new OffsetOutOfRangeException(log.name(), position, start, log.endOffset());
            }
            long next = names.isEmpty()
                    ? log.endOffset()
                    : Math.min(names.getFirst().base(), log.endOffset());
            throw new DamagedLogException(
                    log.key().folder().toString(), 0, position, next, "the segment file is missing");
        }
        segment = names.get(i);
        path = log.file(segment);
        file = log.env().disk().open(path);
        if (position == segment.base()) {
            filePosition = 0;
            fileOffset = segment.base();
            return;
        }
        IndexedSegment indexed =
                new IndexedSegment(log, segment, file, log.segments().knownEnd(names, i), i + 1 < names.size());
        SegmentScan scan = indexed.scanTo(position);
        filePosition = scan.position();
        fileOffset = scan.nextOffset();
        while (true) {
            switch (scan.next()) {
                case SegmentScan.Entry.Batch batch
                when batch.nextOffset() > position -> {
                    return;
                }
                case SegmentScan.Entry.Damage damage
                when damage.nextOffset() > position -> {
                    return;
                }
                case SegmentScan.Entry.Seal _, SegmentScan.Entry.End _ -> {
                    return;
                }
                case SegmentScan.Entry.Batch _,
                        SegmentScan.Entry.Open _,
                        SegmentScan.Entry.Dead _,
                        SegmentScan.Entry.Damage _ -> {
                    filePosition = scan.position();
                    fileOffset = scan.nextOffset();
                }
            }
        }
    }

    /** The error for a missing segment file, which retention or another program removed. */
    private RuntimeException missing(NoSuchFileException e) {
        closeFile();
        List<SegmentName> names = log.segments().refresh();
        long start = log.startOffset();
        if (position < start) {
            return new OffsetOutOfRangeException(log.name(), position, start, log.endOffset());
        }
        int next = SegmentList.floor(names, position) + 1;
        long resume = next < names.size() ? names.get(next).base() : log.endOffset();
        return new DamagedLogException(e.getFile(), 0, position, Math.max(resume, position + 1), "the file is missing");
    }

    private void closeFile() {
        if (file != null) {
            file.close();
            file = null;
            segment = null;
        }
    }

    @Override
    public void close() {
        closed = true;
        closeFile();
    }

    /**
     * Batches of a segment.
     *
     * @param inBuffer the position of the same batches in the buffer; -1 if they were not read
     */
    private record Region(Disk disk, Path file, long position, int length, int inBuffer) implements BatchRegion.InFile {
        @Override
        public BatchRegion.Source open() throws IOException {
            FileSource source = disk.source(file);
            return new BatchRegion.Source() {
                @Override
                public long transferTo(int from, WritableByteChannel target) throws IOException {
                    return source.transferTo(position + from, length - from, target);
                }

                @Override
                public void close() {
                    source.close();
                }
            };
        }
    }
}
