package dev.muster.store.file.log;

import dev.muster.disk.DiskFile;
import dev.muster.store.DamagedLogException;
import dev.muster.store.PartitionLog.OffsetAndTimestamp;
import dev.muster.store.batch.BatchDecoder;
import dev.muster.store.file.log.segment.SegmentName;
import dev.muster.store.file.log.segment.SegmentScan;
import dev.muster.store.read.LogSlice;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;

/** Finds records by time: first the segment by its index, then the batch by its header, then the record. */
final class TimeSearch {
    private final PartitionState log;

    TimeSearch(PartitionState log) {
        this.log = log;
    }

    Optional<OffsetAndTimestamp> firstAtOrAfter(long timestamp) throws IOException {
        List<SegmentName> names = log.segments().names();
        for (int i = 0; i < names.size(); i++) {
            boolean sealed = i + 1 < names.size();
            try (DiskFile file = log.env().disk().open(log.file(names.get(i)))) {
                IndexedSegment segment = new IndexedSegment(
                        log, names.get(i), file, log.segments().knownEnd(names, i), sealed);
                if (sealed && segment.maxTimestamp() < timestamp) {
                    continue;
                }
                Optional<OffsetAndTimestamp> found = search(
                        segment.scanToTime(timestamp), timestamp, log.segments().knownEnd(names, i));
                if (found.isPresent()) {
                    return found;
                }
            } catch (NoSuchFileException e) {
                // Retention removed the segment, so its records are not readable any more.
                log.segments().refresh();
            }
        }
        return Optional.empty();
    }

    private Optional<OffsetAndTimestamp> search(SegmentScan scan, long timestamp, long end) throws IOException {
        while (scan.nextOffset() < end) {
            switch (scan.next()) {
                case SegmentScan.Entry.Batch batch -> {
                    if (batch.maxTimestamp() >= timestamp && batch.nextOffset() > log.startOffset()) {
                        Optional<OffsetAndTimestamp> found = within(batch, timestamp);
                        if (found.isPresent()) {
                            return found;
                        }
                    }
                }
                case SegmentScan.Entry.Seal _, SegmentScan.Entry.End _ -> {
                    return Optional.empty();
                }
                case SegmentScan.Entry.Open _, SegmentScan.Entry.Dead _, SegmentScan.Entry.Damage _ -> {}
            }
        }
        return Optional.empty();
    }

    private Optional<OffsetAndTimestamp> within(SegmentScan.Entry.Batch batch, long timestamp) {
        long first = Math.max(batch.baseOffset(), log.startOffset());
        if (first >= log.endOffset()) {
            return Optional.empty();
        }
        try (FileLogReader reader = new FileLogReader(log, first)) {
            LogSlice slice = reader.read(batch.size());
            BatchDecoder records = BatchDecoder.over(slice.bytes());
            while (records.next()) {
                boolean inBatch = records.offset() >= first && records.offset() < batch.nextOffset();
                if (inBatch && records.timestamp() >= timestamp) {
                    return Optional.of(new OffsetAndTimestamp(records.offset(), records.timestamp()));
                }
            }
        } catch (DamagedLogException e) {
            // The record cannot be read, so the search continues with the next batch.
            return Optional.empty();
        }
        return Optional.empty();
    }
}
