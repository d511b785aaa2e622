package dev.muster.disk;

/**
 * Words in memory that several processes share. Offsets are in bytes, 8-byte aligned for longs and 4-byte aligned for
 * ints; all accesses are atomic and ordered. What is here is a hint or a count: after a power cut it is worth nothing.
 */
public interface Page extends AutoCloseable {
    /** Bytes in the page. */
    int size();

    long get(int offset);

    void set(int offset, long value);

    boolean compareAndSet(int offset, long expected, long value);

    int getInt(int offset);

    int getAndAddInt(int offset, int delta);

    int getAndSetInt(int offset, int value);

    /** Raises a word to at least the value; it never goes back. Returns whether this call raised it. */
    default boolean raise(int offset, long value) {
        for (long seen = get(offset); seen < value; seen = get(offset)) {
            if (compareAndSet(offset, seen, value)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Parks the calling (platform) thread until one of the int words differs from what is expected, someone calls
     * {@link #wakeAll} on one, the time has passed, or by chance. Another process's wake counts.
     */
    void awaitChange(int[] offsets, int[] expected, long timeoutNanos);

    /** Wakes all threads of all processes that wait for the word. */
    void wakeAll(int offset);

    /** The file that this page was mapped from; null for a page without a file. Compare with {@link Disk#identity}. */
    FileIdentity identity();

    /** Whether writes are possible. */
    boolean writable();

    @Override
    void close();
}
