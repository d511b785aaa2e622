package dev.muster.cli.consume;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.ProgressLine;
import dev.muster.cli.command.StopSignal;
import dev.muster.cli.command.TimeLimit;
import dev.muster.core.TopicPartition;
import dev.muster.embedded.GroupConsumer;
import dev.muster.embedded.RebalanceListener;
import dev.muster.embedded.Received;
import java.time.Duration;
import java.util.Set;

/**
 * The main loop of a group member: polls, hands records to the {@link Delivery}, and ends at the count, the end, the
 * time or the signal, or when the destination is over. Only the delivery acknowledges records. For one thread, which
 * also gets the callbacks about partitions.
 */
final class MemberRun implements RebalanceListener {
    private final AssignmentNotes notes;
    private final StopSignal stop;
    private final ProgressLine progress;
    /** The end of {@code --exit}; null to continue at the end of the log. */
    private final EndOfOwned end;

    private final Duration lookEvery;
    private final TimeLimit limit;
    private long remaining;
    private Delivery delivery;
    private boolean ended;

    /**
     * @param countMax the most records
     * @param lookEvery the longest wait between two looks for arrived records
     */
    MemberRun(
            AssignmentNotes notes,
            StopSignal stop,
            ProgressLine progress,
            EndOfOwned end,
            long countMax,
            Duration lookEvery,
            TimeLimit limit) {
        this.notes = notes;
        this.stop = stop;
        this.progress = progress;
        this.end = end;
        this.remaining = countMax;
        this.lookEvery = lookEvery;
        this.limit = limit;
    }

    /** Works until there is a reason to end. Closes neither the consumer nor the delivery. */
    void work(GroupConsumer<byte[], byte[]> consumer, Delivery to) {
        delivery = to;
        stop.onRaise(consumer::wakeup);
        boolean inTime;
        try {
            inTime = deliver(consumer);
            if (!delivery.isOver()) {
                delivery.finish();
            }
        } finally {
            ended = true;
        }
        if (!inTime) {
            throw limit.passed("no more records", "a longer --timeout, or --exit");
        }
    }

    /** False if the time was over first. */
    private boolean deliver(GroupConsumer<byte[], byte[]> consumer) {
        while (remaining > 0 && !isStopped() && !delivery.isOver()) {
            long leftNanos = limit.leftNanos();
            if (leftNanos <= 0) {
                return false;
            }
            Duration patience = Duration.ofNanos(Math.min(leftNanos, lookEvery.toNanos()));
            for (Received<byte[], byte[]> record : consumer.poll(patience)) {
                if (remaining > 0 && !delivery.isOver()) {
                    delivery.hand(record);
                    remaining--;
                    progress.advance();
                }
            }
            delivery.look();
            if (end != null && end.isReached(consumer)) {
                return true;
            }
        }
        return true;
    }

    /**
     * True if the signal was raised or the thread was interrupted. An interrupted thread never waits in poll again, so
     * continuing would be a busy loop.
     */
    private boolean isStopped() {
        if (Thread.currentThread().isInterrupted()) {
            throw new CommandException(ExitCode.INTERRUPTED, "interrupted", null);
        }
        return stop.isRaised();
    }

    @Override
    public void assigned(long generation, Set<TopicPartition> partitions) {
        notes.assigned(generation, partitions);
        if (end != null) {
            end.assigned(partitions);
        }
    }

    /** Records that were handed over are committed before these partitions go to another member. */
    @Override
    public void revoked(long generation, Set<TopicPartition> partitions) {
        if (!ended) {
            delivery.settle();
        }
        notes.revoked(generation, partitions);
    }

    @Override
    public void lost(long generation, Set<TopicPartition> partitions) {
        notes.lost(generation, partitions);
    }
}
