package dev.muster.disk;

import java.io.IOException;

/**
 * An open file. It is read at positions and written at the end. It cannot be overwritten or cut. Safe for use by many
 * threads except {@link #append}.
 */
public interface DiskFile extends AutoCloseable {
    /**
     * Reads bytes at a position.
     *
     * @return the number of bytes read: fewer than {@code length} at the end of the file, 0 behind it
     */
    int read(long position, byte[] into, int offset, int length) throws IOException;

    /**
     * Appends with one {@code write} on an {@code O_APPEND} descriptor. Only one thread may call this at a time. A
     * write that is too short is an error; then a part of the bytes may be in the file.
     *
     * @return the position right behind these bytes, as far as it can be known. If it is not the old end plus the
     *     length, another process wrote too, and the caller must read the bytes before it
     */
    long append(byte[] bytes, int offset, int length) throws IOException;

    long size() throws IOException;

    /** The identity of this open file, even if its name is now that of another file; see {@link Disk#identity}. */
    FileIdentity identity() throws IOException;

    /** Makes the whole content durable (fdatasync), with the bytes that other processes wrote. */
    void sync() throws IOException;

    /**
     * Takes the lock on this file if it is free. The file must be open for appending. The lock belongs to this open
     * file: a second open file does not get it, not even in the same process. The kernel frees the lock when the
     * process dies.
     *
     * @return false at once if the lock is not free
     */
    boolean tryLock() throws IOException;

    void unlock() throws IOException;

    @Override
    void close();
}
