package dev.muster.store.file.log;

import dev.muster.core.TopicSettings;
import dev.muster.disk.DiskFile;
import dev.muster.store.file.log.segment.SegmentName;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/**
 * Takes whole segments from the front of a log when they are too old or the log is too large. First the new start is
 * made durable and visible, then files go; so two processes doing this at once, or one that was stopped in between, do
 * no harm.
 *
 * <p>A segment is as old as its newest record, but not older than its last write as the file system tells it: records
 * that a process with a wrong clock wrote, or whose times are long ago, are kept for as long as all others.
 */
public final class Retention {
    private static final long UNKNOWN = Long.MIN_VALUE;

    private final PartitionState log;
    private final OptionalLong now;

    /** @param now the time that retention goes by; empty if nothing may go because of its age */
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
        List<SegmentName> names = log.refreshSegments();
        long size = log.sizeBytes();
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
        // Never beyond what readers may see: a segment that is not durable yet can wait.
        log.raiseStart(Math.min(start, log.endOffset()));
        log.deleteBelowStart();
    }

    /** Whether something may have to go now; told without any change on disk. */
    boolean isDue() throws IOException {
        TopicSettings settings = log.settings();
        boolean tooLarge = settings.retentionBytes() != TopicSettings.UNLIMITED
                && log.segments().size() > 1
                && log.sizeBytes() > settings.retentionBytes();
        return tooLarge || now.isPresent() && nextDueMs() <= now.getAsLong();
    }

    /**
     * The segment that was the last one before this round. To close it is a write.
     *
     * @param end offset of the next record when the segment was looked at
     * @param writtenMs when it had been written last
     */
    private record Closed(SegmentName name, long end, long writtenMs) {}

    private Closed closeIfOlderThan(long oldest) throws IOException {
        List<SegmentName> names = log.refreshSegments();
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

    /** When a segment was written last; {@code Long.MIN_VALUE} where the file system does not tell. */
    private long writtenMs(SegmentName name) throws IOException {
        return log.env().disk().lastModifiedMs(log.file(name)).orElse(UNKNOWN);
    }

    /** When the oldest segment becomes too old; {@code Long.MAX_VALUE} when none ever does as things are. */
    long nextDueMs() throws IOException {
        TopicSettings settings = log.settings();
        List<SegmentName> names = log.segments();
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

    /** Times of records may be anything. */
    private static long saturatedSum(long time, Duration more) {
        long millis = more.toMillis();
        return time > Long.MAX_VALUE - millis ? Long.MAX_VALUE : time + millis;
    }

    private long maxTimestamp(List<SegmentName> names, int i) throws IOException {
        try (DiskFile file = log.env().disk().open(log.file(names.get(i)))) {
            boolean sealed = i + 1 < names.size();
            return new IndexedSegment(log, names.get(i), file, log.knownEnd(names, i), sealed).maxTimestamp();
        }
    }
}
