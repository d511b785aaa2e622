package dev.muster.store.file.log;

import dev.muster.store.file.log.recovery.Checkpoint;
import dev.muster.store.file.log.recovery.ControlPage;
import dev.muster.store.file.log.recovery.SegmentList;
import dev.muster.store.file.log.segment.SegmentName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The segments of an open partition, as they were listed last. They are listed again after any process began or deleted
 * a segment. Safe for many threads.
 */
final class LogSegments {
    private final PartitionState log;
    private volatile Listing listing;

    /** The segments as they were when the page had these numbers. */
    private record Listing(List<SegmentName> names, long rolls, long start) {}

    LogSegments(PartitionState log) throws IOException {
        this.log = log;
        this.listing = read();
    }

    /** The segments in their order, from the one with the start on. */
    List<SegmentName> names() {
        Listing known = listing;
        ControlPage control = log.control();
        if (known.rolls() != control.rolls() || known.start() != control.start()) {
            return refresh();
        }
        return known.names();
    }

    /** Lists the segments again. */
    List<SegmentName> refresh() {
        try {
            listing = read();
            return listing.names();
        } catch (IOException e) {
            throw log.failed("list", e);
        }
    }

    private Listing read() throws IOException {
        long rolls = log.control().rolls();
        long start = log.control().start();
        List<SegmentName> names = SegmentList.read(log.env().disk(), folder(), log.facts());
        int first = Math.max(0, SegmentList.floor(names, start));
        return new Listing(names.subList(Math.min(first, names.size()), names.size()), rolls, start);
    }

    /** The offset below which all records of this segment are. These records exist for certain. */
    long knownEnd(List<SegmentName> names, int i) {
        return i + 1 < names.size() ? names.get(i + 1).base() : log.control().writtenEnd();
    }

    long sizeBytes() {
        long bytes = 0;
        for (SegmentName name : names()) {
            try {
                bytes += log.env().disk().size(log.file(name));
            } catch (IOException e) {
                // Retention deleted the segment after it was listed.
                continue;
            }
        }
        return bytes;
    }

    /** Deletes segments whose records are all below the offset. The last segment stays. */
    void deleteBelow(long offset) throws IOException {
        List<SegmentName> names = SegmentList.read(log.env().disk(), folder(), Checkpoint.Facts.NONE);
        for (int i = 0; i + 1 < names.size() && names.get(i + 1).base() <= offset; i++) {
            log.env().disk().delete(log.file(names.get(i)));
            log.env().disk().delete(log.indexFile(names.get(i)));
        }
        refresh();
    }

    /**
     * True if all records of this segment were trimmed away, as far as this process knows. It mostly makes no disk
     * call. The room of such a file is free once no process has it open.
     */
    boolean isTrimmed(SegmentName name) {
        List<SegmentName> names = names();
        return !names.isEmpty()
                && names.getFirst().compareTo(name) > 0
                && names.getFirst().base() <= log.control().start();
    }

    private Path folder() {
        return log.key().folder();
    }
}
