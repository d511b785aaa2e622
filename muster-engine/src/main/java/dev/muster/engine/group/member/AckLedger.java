package dev.muster.engine.group.member;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The records of one partition that were handed out, in order, and their acknowledgements. Drops a record when it and
 * all earlier records are acknowledged. Callers synchronize.
 */
final class AckLedger {
    private static final int SIZE_MIN = 64;

    private long[] offsets = new long[SIZE_MIN];
    /** The index of the first record that is kept. */
    private int first;

    private int count;
    /** The acknowledged records, by index relative to {@link #first}. */
    private BitSet acknowledged = new BitSet();

    /** Adds a record. Records are handed out in the order of their offsets. */
    void handedOut(long offset) {
        if (first + count == offsets.length) {
            long[] roomier = count > offsets.length / 2 ? new long[offsets.length * 2] : offsets;
            System.arraycopy(offsets, first, roomier, 0, count);
            offsets = roomier;
            first = 0;
        }
        offsets[first + count] = offset;
        count++;
    }

    /** Acknowledges a record. Ignores an unknown record: it was acknowledged before, or its partition was released. */
    void acknowledge(long offset) {
        int place = Arrays.binarySearch(offsets, first, first + count, offset);
        if (place < 0) {
            return;
        }
        acknowledged.set(place - first);
        if (place == first) {
            int done = acknowledged.nextClearBit(0);
            acknowledged = done >= acknowledged.length() ? new BitSet() : acknowledged.get(done, acknowledged.length());
            first += done;
            count -= done;
        }
    }

    /** The offset of the first record that is not acknowledged; {@code behindAll} if all are. */
    long firstOpen(long behindAll) {
        return count == 0 ? behindAll : offsets[first];
    }

    int open() {
        return count;
    }

    void clear() {
        first = 0;
        count = 0;
        acknowledged = new BitSet();
    }
}
