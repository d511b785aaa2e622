package dev.muster.store.file.log;

import dev.muster.disk.DiskFile;
import dev.muster.store.file.log.segment.ActiveSegment;
import dev.muster.store.file.log.segment.SegmentName;
import dev.muster.store.file.log.segment.SparseIndex;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Appends to the index of the segment that this process appends to. An append does not fail because its index could not
 * be written: a missing index is built again. All calls are made under the append lock of the partition.
 */
final class IndexWriter implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(IndexWriter.class.getName());

    private final PartitionState log;
    private DiskFile index;

    IndexWriter(PartitionState log) {
        this.log = log;
    }

    /** @param entry the entry; null if none is due */
    void write(SegmentName segment, SparseIndex.Entry entry) {
        if (entry == null) {
            return;
        }
        Path file = log.indexFile(segment);
        try {
            if (index == null) {
                index = log.env().disk().openForAppend(file);
            }
            byte[] bytes = SparseIndex.encode(entry);
            index.append(bytes, 0, bytes.length);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "cannot write {0}: {1}; it will be rebuilt", file, e.getMessage());
        }
    }

    /** Writes the last entry of a sealed segment and closes its index. */
    void finish(ActiveSegment sealed, long nextOffset) {
        write(sealed.name(), new SparseIndex.Entry(nextOffset, sealed.position(), sealed.maxTimestamp(), true));
        close();
    }

    @Override
    public void close() {
        if (index != null) {
            index.close();
            index = null;
        }
    }
}
