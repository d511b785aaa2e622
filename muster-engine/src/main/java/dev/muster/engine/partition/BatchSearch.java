package dev.muster.engine.partition;

import dev.muster.store.AppendPlace;
import dev.muster.store.DamagedLogException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Looks for one batch in a log by its producer id and its first sequence. A sender does so after an append whose
 * outcome is not known.
 */
public final class BatchSearch {
    private static final int READ_BYTES = 1 << 20;

    private BatchSearch() {}

    /**
     * The place of the batch; empty if it is not between these offsets.
     *
     * @param from an offset at or below the batch
     * @param end an offset above the batch, at most the visible end of the log
     */
    public static Optional<AppendPlace> find(PartitionLog log, long from, long end, long producerId, int sequence) {
        try (LogReader reader = log.reader(Math.max(from, log.startOffset()))) {
            while (reader.position() < end) {
                try {
                    LogSlice slice = reader.read(READ_BYTES);
                    if (slice.isEmpty()) {
                        break;
                    }
                    Optional<AppendPlace> found = find(slice.bytes(), producerId, sequence);
                    if (found.isPresent()) {
                        return found;
                    }
                } catch (DamagedLogException e) {
                    reader.seek(e.nextOffset());
                } catch (OffsetOutOfRangeException e) {
                    // Retention has removed the records in between.
                    reader.seek(Math.max(reader.position() + 1, log.startOffset()));
                }
            }
            return Optional.empty();
        }
    }

    private static Optional<AppendPlace> find(ByteBuffer batches, long producerId, int sequence) {
        byte[] array = batches.array();
        int end = batches.arrayOffset() + batches.limit();
        for (int at = batches.arrayOffset() + batches.position(); at < end; at += BatchHeader.sizeInBytes(array, at)) {
            if (BatchHeader.producerId(array, at) == producerId && BatchHeader.baseSequence(array, at) == sequence) {
                return Optional.of(
                        new AppendPlace(BatchHeader.baseOffset(array, at), BatchHeader.endOffset(array, at)));
            }
        }
        return Optional.empty();
    }
}
