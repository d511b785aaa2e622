package dev.muster.disk;

/**
 * Words in memory that several processes share. Offsets are in bytes, 8-byte aligned for longs and 4-byte aligned for
 * ints; all accesses are atomic and ordered. The words are hints or counts, and are void after a power cut.
 */
public interface Page extends AutoCloseable {
    /** The size of the page in bytes. */
    int size();

    long get(int offset);

    void set(int offset, long value);

    boolean compareAndSet(int offset, long expected, long value);

    int getInt(int offset);

    int getAndAddInt(int offset, int delta);

    int getAndSetInt(int offset, int value);

    /**
     * Raises a word to at least the value, and never lowers it.
     *
     * @return true if this call raised it
     */
    default boolean raise(int offset, long value) {
        for (long seen = get(offset); seen < value; seen = get(offset)) {
            if (compareAndSet(offset, seen, value)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Parks the calling thread, a platform thread, until one of the int words differs from its expected value,
     * {@link #wakeAll} is called for one of them by any process, or the time has passed. It may also return early
     * without a reason.
     */
    void awaitChange(int[] offsets, int[] expected, long timeoutNanos);

    /** Wakes all threads of all processes that wait for the word. */
    void wakeAll(int offset);

    /**
     * The identity of the file that this page was mapped from; null for a page without a file. See
     * {@link Disk#identity}.
     */
    FileIdentity identity();

    /** True if the page may be written. */
    boolean writable();

    @Override
    void close();
}
