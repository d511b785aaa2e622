package dev.muster.store.file.log;

import dev.muster.core.TopicSettings;
import dev.muster.store.file.disk.DiskFile;
import java.io.IOException;
import java.util.List;

/**
 * Takes whole segments from the front of a log when they are too old or the log is too large. First the new start is
 * made durable and visible, then files go; so two processes doing this at once, or one that was stopped in between, do
 * no harm.
 */
final class Retention {
    private final FilePartition log;

    Retention(FilePartition log) {
        this.log = log;
    }

    void run() throws IOException {
        TopicSettings settings = log.settings();
        boolean byTime = !settings.retentionTime().isZero();
        boolean bySize = settings.retentionBytes() != TopicSettings.UNLIMITED;
        if (log.env().readOnly() || !byTime && !bySize) {
            return;
        }
        long oldest =
                byTime ? log.env().clock().millis() - settings.retentionTime().toMillis() : Long.MIN_VALUE;
        if (byTime && log.endOffset() > log.startOffset()) {
            log.writer().rollIfOlderThan(oldest);
        }
        List<SegmentName> names = log.refreshSegments();
        long size = log.sizeBytes();
        long start = log.startOffset();
        for (int i = 0; i + 1 < names.size(); i++) {
            long bytes = log.env().disk().size(log.file(names.get(i)));
            boolean tooLarge = bySize && size - bytes >= settings.retentionBytes();
            if (!tooLarge && !(byTime && maxTimestamp(names, i) < oldest)) {
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
        return tooLarge || nextDueMs() <= log.env().clock().millis();
    }

    /** When the oldest segment becomes too old; {@code Long.MAX_VALUE} when none ever does as things are. */
    long nextDueMs() throws IOException {
        TopicSettings settings = log.settings();
        List<SegmentName> names = log.segments();
        if (settings.retentionTime().isZero() || names.isEmpty() || log.endOffset() <= log.startOffset()) {
            return Long.MAX_VALUE;
        }
        long newest = maxTimestamp(names, 0);
        return newest == Long.MIN_VALUE
                ? Long.MIN_VALUE
                : newest + settings.retentionTime().toMillis();
    }

    private long maxTimestamp(List<SegmentName> names, int i) throws IOException {
        try (DiskFile file = log.env().disk().open(log.file(names.get(i)))) {
            boolean sealed = i + 1 < names.size();
            return new IndexedSegment(log, names.get(i), file, log.knownEnd(names, i), sealed).maxTimestamp();
        }
    }
}
