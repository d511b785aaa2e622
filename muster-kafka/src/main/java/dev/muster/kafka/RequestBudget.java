package dev.muster.kafka;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The memory for large requests that are arriving, bounded for all connections together. A request that needs more than
 * is left waits for others to end. Arrays are used again, so a steady stream of requests makes no garbage.
 */
final class RequestBudget {
    private static final int UNIT = 64 << 10;
    private static final int WAIT_SECONDS_MAX = 10;

    /** How many free arrays are kept of each size; sizes are powers of two. */
    private static final int FREE_MAX = 4;

    /** Arrays larger than this are not kept. */
    private static final int KEPT_MAX = 4 << 20;

    private final int units;
    private final Semaphore left;
    private final ArrayDeque<byte[]>[] free;

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of generic queues
    RequestBudget(long bytesMax) {
        this.units = Math.clamp(bytesMax / UNIT, 1, Integer.MAX_VALUE);
        this.left = new Semaphore(units, true);
        this.free = new ArrayDeque[Integer.SIZE];
        for (int i = 0; i < free.length; i++) {
            free[i] = new ArrayDeque<>();
        }
    }

    /**
     * An array of at least this size, with any content; it must be given back. Empty if there was no room for
     * {@value #WAIT_SECONDS_MAX} s: requests that hold memory may wait for more, and must not wait for each other for
     * ever.
     */
    Optional<byte[]> take(int size) throws InterruptedException {
        int weight = weight(size);
        return acquire(weight) ? Optional.of(arrayFor(weight, size)) : Optional.empty();
    }

    /**
     * A larger array with the same content, in place of a smaller one. Empty if there was no room for long; the caller
     * then keeps the smaller one.
     *
     * @param size the size that the smaller one was asked for with
     */
    Optional<byte[]> grow(byte[] old, int size, int largerSize) throws InterruptedException {
        int weight = weight(largerSize) - weight(size);
        if (!acquire(weight)) {
            return Optional.empty();
        }
        byte[] larger = arrayFor(weight, largerSize);
        System.arraycopy(old, 0, larger, 0, size);
        keep(old, size);
        return Optional.of(larger);
    }

    /** @param size the size that the array was asked for with */
    void giveBack(byte[] array, int size) {
        keep(array, size);
        left.release(weight(size));
    }

    /** True if more than half of the memory is in use. */
    boolean isScarce() {
        return left.availablePermits() < units / 2;
    }

    /** True if a request waits for memory. */
    boolean isWanted() {
        return left.hasQueuedThreads();
    }

    private boolean acquire(int weight) throws InterruptedException {
        return left.tryAcquire(weight, WAIT_SECONDS_MAX, TimeUnit.SECONDS);
    }

    /** @param weight the units acquired for the array; released if the heap has no room */
    private byte[] arrayFor(int weight, int size) {
        try {
            return array(size);
        } catch (Throwable e) {
            left.release(weight);
            throw e;
        }
    }

    private byte[] array(int size) {
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

    private void keep(byte[] array, int size) {
        int log = logOf(size);
        if (log < 0) {
            return;
        }
        synchronized (free[log]) {
            if (free[log].size() < FREE_MAX) {
                free[log].addLast(array);
            }
        }
    }

    private static int logOf(int size) {
        return size > KEPT_MAX ? -1 : Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(size, UNIT) - 1);
    }

    /**
     * The units of a size. A request larger than the whole budget takes all units, so it passes when no other holds
     * any.
     */
    private int weight(int size) {
        return (int) Math.min(units, ((long) size + UNIT - 1) / UNIT);
    }
}
