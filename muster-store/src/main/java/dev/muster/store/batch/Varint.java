package dev.muster.store.batch;

/**
 * Zigzag varints as records use them: seven bits to a byte, lowest first, the top bit says that more follow. Written
 * where they belong, without a bounds check of their own: callers compute sizes first.
 */
final class Varint {
    static final int INT_SIZE_MAX = 5;
    static final int LONG_SIZE_MAX = 10;

    private Varint() {}

    static int size(int value) {
        int zigzag = (value << 1) ^ (value >> 31);
        return (31 - Integer.numberOfLeadingZeros(zigzag | 1)) / 7 + 1;
    }

    static int size(long value) {
        long zigzag = (value << 1) ^ (value >> 63);
        return (63 - Long.numberOfLeadingZeros(zigzag | 1)) / 7 + 1;
    }

    /** Writes an int and tells the position behind it. */
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

    /** Writes a long and tells the position behind it. */
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
