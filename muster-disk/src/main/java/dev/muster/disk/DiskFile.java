package dev.muster.disk;

import java.io.IOException;

/**
 * An open file. Reads at positions and writes at the end; there is no way to overwrite or to cut. Thread-safe but for
 * {@link #append}.
 */
public interface DiskFile extends AutoCloseable {
    /** @return the number of bytes read, fewer than asked for at the end of the file, 0 behind it */
    int read(long position, byte[] into, int offset, int length) throws IOException;

    /**
     * Appends with one {@code write} on an {@code O_APPEND} descriptor. Callers take turns. A write that came out short
     * is an error; a part of the bytes may then be in the file.
     *
     * @return the end of the file right behind these bytes, as far as it can be known: when it is not the old end plus
     *     the length, someone else wrote too and the caller must look
     */
    long append(byte[] bytes, int offset, int length) throws IOException;

    long size() throws IOException;

    /** This open file, whatever its name stands for by now; compare with {@link Disk#identity}. */
    FileIdentity identity() throws IOException;

    /** Makes the content durable (fdatasync): everybody's bytes, not only our own. */
    void sync() throws IOException;

    /**
     * Takes the lock on this file, opened for appending, when it is free, else returns false at once. The lock belongs
     * to this open file: a second one on the same file, also in this process, does not get it. The kernel frees it when
     * the process dies.
     */
    boolean tryLock() throws IOException;

    void unlock() throws IOException;

    @Override
    void close();
}
