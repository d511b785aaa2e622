package dev.muster.store;

import java.util.Optional;

/** A cursor over one partition for one thread. It holds no lock and delays nobody. */
public interface LogReader extends AutoCloseable {
    /** Where {@link #read} goes on. */
    long position();

    /** Goes to an offset; the next read tells when it is out of range. */
    void seek(long offset);

    /**
     * Reads whole, valid batches, beginning with the one that holds {@link #position}, and moves the position behind
     * them. At least one batch is returned where one is there, however small {@code bytesMax} is. The first batch may
     * begin below the position: skip the records you did not ask for.
     *
     * @return the batches, valid until the call after the next; empty at the end of what is visible
     * @throws OffsetOutOfRangeException when the position is below the start or above the end of the log
     * @throws DamagedLogException when bytes at the position cannot be trusted; {@link #seek} to its
     *     {@link DamagedLogException#nextOffset()} to go on behind the damage
     */
    LogSlice read(int bytesMax);

    /**
     * Reads on as {@link #read} does, for a caller that forwards the batches without decoding them. A large region
     * stays in its file.
     *
     * @return the batches, of length 0 at the visible end
     * @throws OffsetOutOfRangeException as {@link #read}
     * @throws DamagedLogException if no batch stands at the position. The checksums of batches in a file are not
     *     checked
     */
    default BatchRegion readRegion(int bytesMax) {
        return new BatchRegion.InMemory(read(bytesMax).bytes(), Optional.empty());
    }

    /** The memory it keeps for what it reads, roughly; 0 where that is not worth counting. */
    default long memoryBytes() {
        return 0;
    }

    @Override
    void close();
}
