package dev.muster.cli.bench;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Random;

/**
 * Makes records that do not compress. The first 8 bytes are the record's number, the next 8 the moment of sending. For
 * many threads.
 */
final class RecordMaker {
    static final int BYTES_MIN = 16;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int POOL_BYTES = 1 << 20;
    /** A prime, so that neighbouring records are different pieces of the pool. */
    private static final long STRIDE = 7919;

    private final byte[] pool;
    private final int size;

    RecordMaker(long seed, int size) {
        this.pool = new byte[POOL_BYTES + size];
        this.size = size;
        new Random(seed).nextBytes(pool);
    }

    byte[] make(long number, long sentAt) {
        byte[] record = new byte[size];
        System.arraycopy(pool, (int) (number * STRIDE % POOL_BYTES), record, 0, size);
        LONG.set(record, 0, number);
        LONG.set(record, Long.BYTES, sentAt);
        return record;
    }

    static long number(byte[] record) {
        return (long) LONG.get(record, 0);
    }

    static long sentAt(byte[] record) {
        return (long) LONG.get(record, Long.BYTES);
    }
}
