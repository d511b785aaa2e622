package dev.muster.store.file.log;

import dev.muster.disk.DiskFile;
import dev.muster.store.file.log.segment.SegmentName;
import dev.muster.store.file.log.segment.SegmentScan;
import dev.muster.store.file.log.segment.SparseIndex;
import java.io.IOException;

/** A segment and its index. It finds places in the segment, and builds the index again if it cannot be trusted. */
final class IndexedSegment {
    private static final System.Logger LOG = System.getLogger(IndexedSegment.class.getName());

    private final PartitionState log;
    private final SegmentName name;
    private final DiskFile file;
    private final long knownEnd;
    private final boolean sealed;
    private SparseIndex index;

    /** @param sealed true if another segment follows, so that this one does not grow any more */
    IndexedSegment(PartitionState log, SegmentName name, DiskFile file, long knownEnd, boolean sealed)
            throws IOException {
        this.log = log;
        this.name = name;
        this.file = file;
        this.knownEnd = knownEnd;
        this.sealed = sealed;
        this.index = SparseIndex.load(log.env().disk(), log.indexFile(name));
        boolean usable = index.orderly() && (!sealed || index.closing() != null);
        if (!usable) {
            rebuild();
        }
    }

    /** A scan that begins at or before the batch that holds the offset. */
    SegmentScan scanTo(long offset) throws IOException {
        return from(index.floor(offset), () -> index.floor(offset));
    }

    /** A scan that begins before the first record at or after the timestamp. */
    SegmentScan scanToTime(long timestamp) throws IOException {
        return from(index.beforeTime(timestamp), () -> index.beforeTime(timestamp));
    }

    private SegmentScan from(SparseIndex.Entry entry, java.util.function.Supplier<SparseIndex.Entry> again)
            throws IOException {
        SparseIndex.Entry trusted = entry;
        if (trusted != null && !SparseIndex.agrees(file, trusted)) {
            rebuild();
            trusted = again.get();
            if (trusted != null && !SparseIndex.agrees(file, trusted)) {
                trusted = null;
            }
        }
        // With checksums, which are few: a damaged length between two index entries would make the scan skip good
        // batches.
        return trusted == null
                ? new SegmentScan(log.key(), name, file, 0, name.base(), knownEnd, true)
                : new SegmentScan(log.key(), name, file, trusted.position(), trusted.offset(), knownEnd, true);
    }

    /** The largest timestamp in the segment; {@code Long.MIN_VALUE} if it has no records. */
    long maxTimestamp() throws IOException {
        if (index.closing() != null) {
            return index.closing().maxTimestampBefore();
        }
        SparseIndex.Entry last = index.size() == 0 ? null : index.get(index.size() - 1);
        long max = last == null ? Long.MIN_VALUE : last.maxTimestampBefore();
        SegmentScan scan = from(last, () -> null);
        while (true) {
            switch (scan.next()) {
                case SegmentScan.Entry.Batch batch -> max = Math.max(max, batch.maxTimestamp());
                case SegmentScan.Entry.Seal _, SegmentScan.Entry.End _ -> {
                    return max;
                }
                case SegmentScan.Entry.Open _, SegmentScan.Entry.Dead _, SegmentScan.Entry.Damage _ -> {}
            }
        }
    }

    private void rebuild() throws IOException {
        index = SparseIndex.build(
                new SegmentScan(log.key(), name, file, 0, name.base(), knownEnd, true),
                log.settings().indexInterval());
        if (sealed && !log.env().readOnly()) {
            try {
                index.closed().write(log.env().disk(), log.indexFile(name));
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "cannot write {0}: {1}", log.indexFile(name), e.getMessage());
            }
        }
    }
}
