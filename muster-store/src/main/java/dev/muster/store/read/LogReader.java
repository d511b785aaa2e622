package dev.muster.store.read;

import dev.muster.store.DamagedLogException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionLog;
import java.util.Optional;

/** A cursor over one partition for one thread. It holds no lock and delays no other reader or writer. */
public interface LogReader extends AutoCloseable {
    /** The offset at which {@link #read} goes on. */
    long position();

    /** Goes to an offset. If the offset is out of range, the next read throws. */
    void seek(long offset);

    /**
     * Reads whole, valid batches, beginning with the one that holds {@link #position}, and moves the position behind
     * them. If there is a batch, at least one is returned, however small {@code bytesMax} is. The first batch may begin
     * below the position: the caller skips its records below the position.
     *
     * @return the batches, valid until the call after the next; empty at the visible end
     * @throws OffsetOutOfRangeException if the position is below the start or above the end of the log, by a fresh
     *     look: a position that {@link PartitionLog#endOffset} does not count yet is not out of range
     * @throws DamagedLogException if bytes at the position cannot be trusted; {@link #seek} to its
     *     {@link DamagedLogException#nextOffset()} goes on behind the damage
     * @throws dev.muster.store.StoreUnavailableException if the store cannot be reached; the position is as it was
     */
    LogSlice read(int bytesMax);

    /**
     * Reads as {@link #read} does, for a caller that forwards the batches without decoding them. A large region stays
     * in its file.
     *
     * @return the batches, of length 0 at the visible end
     * @throws OffsetOutOfRangeException as {@link #read} throws it
     * @throws DamagedLogException if no batch stands at the position. The checksums of batches in a file are not
     *     checked
     */
    default BatchRegion readRegion(int bytesMax) {
        return new BatchRegion.InMemory(read(bytesMax).bytes(), Optional.empty());
    }

    /** The approximate memory that this reader keeps for its batches, in bytes; 0 if it is too small to count. */
    default long memoryBytes() {
        return 0;
    }

    @Override
    void close();
}
