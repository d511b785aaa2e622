package dev.muster.store.file.log;

import dev.muster.core.TopicSettings;
import dev.muster.disk.DiskFile;
import dev.muster.store.file.log.segment.SegmentName;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/**
 * Removes whole segments from the front of a log if they are too old or the log is too large. First the new start is
 * made durable and visible, and then the files are deleted. So it does no harm if two processes do this at once, or one
 * is stopped in between.
 *
 * <p>A segment is as old as its newest record, but not older than its last write by the clock of the file system. So
 * records with old times, or from a process with a wrong clock, are kept as long as all others.
 */
public final class Retention {
    private static final long UNKNOWN = Long.MIN_VALUE;

    private final PartitionState log;
    private final OptionalLong now;

    /** @param now the current time for retention; empty if no segment may be removed because of its age */
    Retention(PartitionState log, OptionalLong now) {
        this.log = log;
        this.now = now;
    }

    void run() throws IOException {
        TopicSettings settings = log.settings();
        boolean byTime = now.isPresent() && !settings.retentionTime().isZero();
        boolean bySize = settings.retentionBytes() != TopicSettings.UNLIMITED;
        if (log.env().readOnly() || !byTime && !bySize) {
            return;
        }
        long oldest = byTime ? saturatedDifference(now.getAsLong(), settings.retentionTime()) : Long.MIN_VALUE;
        Closed closed = byTime ? closeIfOlderThan(oldest) : new Closed(null, 0, 0);
        List<SegmentName> names = log.segments().refresh();
        long size = log.segments().sizeBytes();
        long start = log.startOffset();
        for (int i = 0; i + 1 < names.size(); i++) {
            long bytes = log.env().disk().size(log.file(names.get(i)));
            boolean tooLarge = bySize && size - bytes >= settings.retentionBytes();
            if (!tooLarge && !(byTime && newestTime(names, i, closed) < oldest)) {
                break;
            }
            size -= bytes;
            start = names.get(i + 1).base();
        }
        // Never beyond the visible end: a segment that is not durable yet can wait.
        log.raiseStart(Math.min(start, log.endOffset()));
        log.segments().deleteBelow(log.control().start());
    }

    /** True if segments may have to be removed now. Changes nothing on disk. */
    boolean isDue() throws IOException {
        TopicSettings settings = log.settings();
        boolean tooLarge = settings.retentionBytes() != TopicSettings.UNLIMITED
                && log.segments().names().size() > 1
                && log.segments().sizeBytes() > settings.retentionBytes();
        return tooLarge || now.isPresent() && nextDueMs() <= now.getAsLong();
    }

    /**
     * The segment that was the last one before this round. Closing it writes to it, so its last write before that is
     * kept here.
     *
     * @param end the offset of the next record at that time
     * @param writtenMs the time of its last write before it was closed
     */
    private record Closed(SegmentName name, long end, long writtenMs) {}

    private Closed closeIfOlderThan(long oldest) throws IOException {
        List<SegmentName> names = log.segments().refresh();
        long end = log.endOffset();
        if (names.isEmpty() || end <= log.startOffset()) {
            return new Closed(null, 0, 0);
        }
        SegmentName last = names.getLast();
        long writtenMs = writtenMs(last);
        if (writtenMs < oldest) {
            log.writer().rollIfOlderThan(oldest);
        }
        return new Closed(last, end, writtenMs);
    }

    private long newestTime(List<SegmentName> names, int i, Closed closed) throws IOException {
        SegmentName name = names.get(i);
        boolean untouched = name.equals(closed.name()) && names.get(i + 1).base() == closed.end();
        return Math.max(maxTimestamp(names, i), untouched ? closed.writtenMs() : writtenMs(name));
    }

    /** The time of the last write to a segment; {@code Long.MIN_VALUE} if the file system does not know it. */
    private long writtenMs(SegmentName name) throws IOException {
        return log.env().disk().lastModifiedMs(log.file(name)).orElse(UNKNOWN);
    }

    /**
     * The time at which the oldest segment becomes too old; {@code Long.MAX_VALUE} if none does with these settings and
     * records.
     */
    long nextDueMs() throws IOException {
        TopicSettings settings = log.settings();
        List<SegmentName> names = log.segments().names();
        if (settings.retentionTime().isZero() || names.isEmpty() || log.endOffset() <= log.startOffset()) {
            return Long.MAX_VALUE;
        }
        if (now.isEmpty()) {
            return Long.MIN_VALUE;
        }
        long newest = Math.max(maxTimestamp(names, 0), writtenMs(names.getFirst()));
        return newest == Long.MIN_VALUE ? Long.MIN_VALUE : saturatedSum(newest, settings.retentionTime());
    }

    private static long saturatedDifference(long time, Duration less) {
        long millis = less.toMillis();
        return time < Long.MIN_VALUE + millis ? Long.MIN_VALUE : time - millis;
    }

    /** The sum, limited to the largest long, because the time of a record may be any number. */
    private static long saturatedSum(long time, Duration more) {
        long millis = more.toMillis();
        return time > Long.MAX_VALUE - millis ? Long.MAX_VALUE : time + millis;
    }

    private long maxTimestamp(List<SegmentName> names, int i) throws IOException {
        try (DiskFile file = log.env().disk().open(log.file(names.get(i)))) {
            boolean sealed = i + 1 < names.size();
            return new IndexedSegment(log, names.get(i), file, log.segments().knownEnd(names, i), sealed)
                    .maxTimestamp();
        }
    }
}
