package dev.muster.engine.partition;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;

/**
 * The states of one partition's idempotent producers: the epoch and the last five batches of each. They can be rebuilt
 * from the log at any time. Has no thread and no clock; not safe for several threads.
 *
 * <p>The silence of a producer is not in the log: a record's timestamp is set by the producer and may be old. So each
 * batch is noted with the time of the monotonic clock, in nanoseconds. A jump of the wall clock then makes no producer
 * silent. So the time of our monotonic clock comes with each batch, in nanoseconds: a wall clock that jumps makes no
 * producer silent.
 */
final class ProducerStates {
    private static final int BATCHES_KEPT = 5;

    private static final class Entry {
        private short epoch;
        private long lastBatchNanos;
        private final Deque<Batch> batches = new ArrayDeque<>(BATCHES_KEPT);
    }

    /** A batch of a producer. */
    record Batch(long producerId, short epoch, int firstSequence, int count, AppendResult placed) {
        /** The sequence after the largest int is 0. */
        int lastSequence() {
            return (int) ((firstSequence + (long) count - 1) & Integer.MAX_VALUE);
        }
    }

    /** The decision about a batch. */
    sealed interface Verdict {
        /** Append the batch: it is the next of its producer, or the first known one. */
        record Fresh() implements Verdict {}

        /** The batch is in the log already. */
        record Duplicate(AppendResult placed) implements Verdict {}

        record OutOfOrder(String why) implements Verdict {}

        record OldEpoch(String why) implements Verdict {}
    }

    private final Map<Long, Entry> entries = new HashMap<>();

    /** Judges a batch that is not appended yet. */
    Verdict judge(Batch batch) {
        Entry known = entries.get(batch.producerId());
        if (known == null) {
            // Retention may have deleted the producer's earlier batches: any sequence is accepted.
            return new Verdict.Fresh();
        }
        if (batch.epoch() < known.epoch) {
            return new Verdict.OldEpoch("epoch " + batch.epoch() + " of producer " + batch.producerId()
                    + " is older than the last one, " + known.epoch);
        }
        if (batch.epoch() > known.epoch) {
            return batch.firstSequence() == 0
                    ? new Verdict.Fresh()
                    : new Verdict.OutOfOrder("producer " + batch.producerId() + " begins its epoch " + batch.epoch()
                            + " with sequence " + batch.firstSequence() + ", not 0");
        }
        Optional<Batch> same = known.batches.stream()
                .filter(b -> b.firstSequence() == batch.firstSequence() && b.lastSequence() == batch.lastSequence())
                .findFirst();
        if (same.isPresent()) {
            return new Verdict.Duplicate(same.get().placed());
        }
        int next = known.batches.getLast().lastSequence() == Integer.MAX_VALUE
                ? 0
                : known.batches.getLast().lastSequence() + 1;
        return batch.firstSequence() == next
                ? new Verdict.Fresh()
                : new Verdict.OutOfOrder("producer " + batch.producerId() + " sent sequence " + batch.firstSequence()
                        + ", " + next + " is the next");
    }

    /**
     * Adds a batch that is in the log.
     *
     * @param now the time at which this process read or appended it
     */
    void add(Batch batch, long now) {
        Entry entry = entries.computeIfAbsent(batch.producerId(), id -> new Entry());
        entry.lastBatchNanos = now;
        if (entry.epoch != batch.epoch()) {
            entry.epoch = batch.epoch();
            entry.batches.clear();
        }
        if (entry.batches.size() == BATCHES_KEPT) {
            entry.batches.removeFirst();
        }
        entry.batches.addLast(batch);
    }

    int producers() {
        return entries.size();
    }

    /** Forgets producers whose newest batch was noted before this time or stands below this offset. */
    void forget(long before, long belowOffset) {
        for (Iterator<Entry> each = entries.values().iterator(); each.hasNext(); ) {
            Entry entry = each.next();
            if (entry.lastBatchNanos - before < 0
                    || entry.batches.getLast().placed().endOffset() <= belowOffset) {
                each.remove();
            }
        }
    }

    // ---- as bytes: per batch its six numbers, 42 bytes; order within a producer is kept

    private static final int BATCH_BYTES = 8 + 2 + 4 + 4 + 8 + 8 + 8;

    int sizeInBytes() {
        return Integer.BYTES
                + BATCH_BYTES
                        * entries.values().stream()
                                .mapToInt(e -> e.batches.size())
                                .sum();
    }

    void write(ByteBuffer out) {
        out.putInt((sizeInBytes() - Integer.BYTES) / BATCH_BYTES);
        for (Entry entry : entries.values()) {
            for (Batch batch : entry.batches) {
                out.putLong(batch.producerId()).putShort(batch.epoch());
                out.putInt(batch.firstSequence()).putInt(batch.count());
                AppendResult placed = batch.placed();
                out.putLong(placed.baseOffset()).putLong(placed.endOffset()).putLong(placed.timestamp());
            }
        }
    }

    /** @param now the time from which the silence of these producers is measured */
    static ProducerStates read(ByteBuffer in, long now) {
        ProducerStates states = new ProducerStates();
        int batches = in.getInt();
        for (int i = 0; i < batches; i++) {
            Batch batch = new Batch(
                    in.getLong(),
                    in.getShort(),
                    in.getInt(),
                    in.getInt(),
                    new AppendResult(in.getLong(), in.getLong(), in.getLong()));
            states.add(batch, now);
        }
        return states;
    }
}
