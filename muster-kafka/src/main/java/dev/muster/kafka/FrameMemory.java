package dev.muster.kafka;

import java.util.ArrayDeque;
import java.util.concurrent.Semaphore;

/**
 * The memory in which large requests arrive, bounded for all connections together: who asks for more than is left waits
 * until others are done. Arrays are used again, so a steady stream of requests makes no garbage.
 */
final class FrameMemory {
    private static final int UNIT = 64 << 10;

    /** How many free arrays are kept of each size; sizes are powers of two. */
    private static final int FREE_MAX = 4;

    /** Arrays larger than this are not kept. */
    private static final int KEPT_MAX = 4 << 20;

    private final int units;
    private final Semaphore left;
    private final ArrayDeque<byte[]>[] free;

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of generic queues
    FrameMemory(long bytesMax) {
        this.units = Math.clamp(bytesMax / UNIT, 1, Integer.MAX_VALUE);
        this.left = new Semaphore(units, true);
        this.free = new ArrayDeque[Integer.SIZE];
        for (int i = 0; i < free.length; i++) {
            free[i] = new ArrayDeque<>();
        }
    }

    /** An array that holds at least so many bytes, with any content. To be given back. */
    byte[] take(int size) throws InterruptedException {
        left.acquire(weight(size));
        int log = logOf(size);
        if (log < 0) {
            return new byte[size];
        }
        byte[] known;
        synchronized (free[log]) {
            known = free[log].pollLast();
        }
        return known != null ? known : new byte[1 << log];
    }

    /** @param size what was asked for */
    void giveBack(byte[] array, int size) {
        int log = logOf(size);
        if (log >= 0) {
            synchronized (free[log]) {
                if (free[log].size() < FREE_MAX) {
                    free[log].addLast(array);
                }
            }
        }
        left.release(weight(size));
    }

    private static int logOf(int size) {
        return size > KEPT_MAX ? -1 : Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(size, UNIT) - 1);
    }

    /** A request larger than all there is may pass when nobody else has anything. */
    private int weight(int size) {
        return (int) Math.min(units, ((long) size + UNIT - 1) / UNIT);
    }
}
