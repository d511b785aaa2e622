package dev.muster.store.batch;

/**
 * Zigzag varints of records: seven bits per byte, lowest bits first; the top bit says that more bytes follow. The
 * bounds are not checked here: callers compute sizes first.
 */
final class Varint {
    static final int INT_SIZE_MAX = 5;
    static final int LONG_SIZE_MAX = 10;

    private Varint() {}

    /** The number of bytes that the int takes. */
    static int size(int value) {
        int zigzag = (value << 1) ^ (value >> 31);
        return (31 - Integer.numberOfLeadingZeros(zigzag | 1)) / 7 + 1;
    }

    /** The number of bytes that the long takes. */
    static int size(long value) {
        long zigzag = (value << 1) ^ (value >> 63);
        return (63 - Long.numberOfLeadingZeros(zigzag | 1)) / 7 + 1;
    }

    /**
     * Writes an int.
     *
     * @return the position behind it
     */
    static int put(byte[] bytes, int at, int value) {
        int zigzag = (value << 1) ^ (value >> 31);
        int next = at;
        while ((zigzag & ~0x7F) != 0) {
            bytes[next++] = (byte) (zigzag | 0x80);
            zigzag >>>= 7;
        }
        bytes[next++] = (byte) zigzag;
        return next;
    }

    /**
     * Writes a long.
     *
     * @return the position behind it
     */
    static int put(byte[] bytes, int at, long value) {
        long zigzag = (value << 1) ^ (value >> 63);
        int next = at;
        while ((zigzag & ~0x7FL) != 0) {
            bytes[next++] = (byte) (zigzag | 0x80);
            zigzag >>>= 7;
        }
        bytes[next++] = (byte) zigzag;
        return next;
    }
}
