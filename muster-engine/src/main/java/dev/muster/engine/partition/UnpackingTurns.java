package dev.muster.engine.partition;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Schedules the unpacking of batches, which costs processor time. The number of slots bounds the batches that are
 * unpacked at one moment. A batch keeps its slot for a slice of unpacked bytes. Then the slot goes to the waiting batch
 * that has unpacked least, the oldest first. So a small batch waits for a slice or two, however many large batches
 * arrived earlier. Safe for many threads.
 */
final class UnpackingTurns {
    /** A few milliseconds of work. */
    static final int SLICE_BYTES = 1 << 20;

    private final ReentrantLock lock = new ReentrantLock();
    private final PriorityQueue<Turn> waiting = new PriorityQueue<>(
            Comparator.comparingLong((Turn turn) -> turn.unpacked).thenComparingLong(turn -> turn.number));
    private int free;
    private long numbers;

    UnpackingTurns(int slots) {
        free = slots;
    }

    /** The slices of one batch, for one thread. The thread must call {@link #end}. */
    final class Turn {
        private final long number;
        private final Condition granted = lock.newCondition();
        private boolean hasSlot;
        private long unpacked;
        private long sliceEnd = SLICE_BYTES;

        private Turn(long number) {
            this.number = number;
        }

        /**
         * At the end of a slice, gives the slot to a waiting batch that has unpacked less.
         *
         * @param bytes the number of bytes that this batch has unpacked
         */
        void unpacked(long bytes) {
            if (bytes < sliceEnd) {
                return;
            }
            lock.lock();
            try {
                unpacked = bytes;
                sliceEnd = bytes + SLICE_BYTES;
                Turn next = waiting.peek();
                if (next != null && next.unpacked < unpacked) {
                    release();
                    waiting.add(this);
                    while (!hasSlot) {
                        granted.awaitUninterruptibly();
                    }
                }
            } finally {
                lock.unlock();
            }
        }

        void end() {
            lock.lock();
            try {
                release();
            } finally {
                lock.unlock();
            }
        }

        private void release() {
            hasSlot = false;
            Turn next = waiting.poll();
            if (next == null) {
                free++;
            } else {
                next.hasSlot = true;
                next.granted.signal();
            }
        }
    }

    /** Waits for a slot. */
    Turn begin() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            Turn turn = new Turn(numbers++);
            if (free > 0) {
                free--;
                turn.hasSlot = true;
                return turn;
            }
            waiting.add(turn);
            while (!turn.hasSlot) {
                try {
                    turn.granted.await();
                } catch (InterruptedException e) {
                    if (!waiting.remove(turn)) {
                        // The slot was granted at the same moment: it goes to the next batch.
                        turn.release();
                    }
                    throw e;
                }
            }
            return turn;
        } finally {
            lock.unlock();
        }
    }

    /** The number of batches that wait for a slot. */
    int waiting() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }
}
