package dev.muster.bench.measure;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;

/**
 * Records that cannot be compressed and can be checked: their bytes follow from the seed, the writer and the record's
 * number alone. The first 16 bytes are the writer (4), zeros (4) and the number (8), big endian. The rest is a piece of
 * one block of random bytes, another piece for each number.
 */
public final class Payload {
    public static final int BYTES_MIN = 24;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int NUMBER_AT = 8;
    private static final int TIME_AT = 16;
    private static final int POOL_BYTES = 1 << 20;
    /** A prime, so that neighbours share no bytes and pieces do not repeat soon. */
    private static final long STRIDE = 7919;

    private final byte[] pool = new byte[POOL_BYTES];
    private final byte[] scratch;
    private final int size;

    public Payload(long seed, int size) {
        if (size < BYTES_MIN || size > POOL_BYTES / 2) {
            throw new IllegalArgumentException(
                    "a record must have " + BYTES_MIN + " to " + POOL_BYTES / 2 + " bytes: " + size);
        }
        new Random(seed).nextBytes(pool);
        this.size = size;
        this.scratch = new byte[size];
    }

    public int size() {
        return size;
    }

    /** Fills {@code record} with this record of the writer. */
    public void fill(byte[] record, int writer, long number) {
        System.arraycopy(pool, (int) (number * STRIDE % (POOL_BYTES - size)), record, 0, size);
        INT.set(record, 0, writer);
        INT.set(record, 4, 0);
        LONG.set(record, NUMBER_AT, number);
    }

    /** True if the bytes are exactly this record of the writer. For one thread. */
    public boolean matches(byte[] record, int writer, long number) {
        fill(scratch, writer, number);
        return Arrays.equals(scratch, record);
    }

    public static int writer(byte[] record) {
        return (int) INT.get(record, 0);
    }

    public static long number(byte[] record) {
        return (long) LONG.get(record, NUMBER_AT);
    }

    /** Writes the time of sending into a record, in place of 8 random bytes. */
    public static void stamp(byte[] record, long nanoTime) {
        LONG.set(record, TIME_AT, nanoTime);
    }

    public static long stamp(byte[] record) {
        return (long) LONG.get(record, TIME_AT);
    }
}
