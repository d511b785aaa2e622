package dev.muster.cli.consume;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.ProgressLine;
import dev.muster.cli.command.StopSignal;
import dev.muster.cli.command.TimeLimit;
import dev.muster.core.TopicPartition;
import dev.muster.embedded.Consumer;
import dev.muster.embedded.RebalanceListener;
import dev.muster.embedded.Received;
import java.time.Duration;
import java.util.Set;

/**
 * A member of a group at work: polls, hands records over, and ends when the count, the end, the time, the signal or the
 * far end says so. What has arrived at the far end is acknowledged by the {@link Delivery}; nothing else is. For one
 * thread, which is also the one that hears of partitions that come and go.
 */
final class MemberRun implements RebalanceListener {
    private final AssignmentNotes notes;
    private final StopSignal stop;
    private final ProgressLine progress;
    /** Null: goes on at the end. */
    private final EndOfOwned end;

    private final Duration lookEvery;
    private final TimeLimit limit;
    private long remaining;
    private Delivery delivery;
    private boolean ended;

    /**
     * @param countMax how many records at most
     * @param lookEvery how long to wait at most before looking what has arrived
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

    /** Works until there is a reason to end. Neither the consumer nor the far end is closed here. */
    void work(Consumer<byte[], byte[]> consumer, Delivery to) {
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

    /** False when the time was over before anything else. */
    private boolean deliver(Consumer<byte[], byte[]> consumer) {
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

    /** An interrupted thread never waits in a poll again: going on would be a loop without rest. */
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

    /** What was handed over shall count before these partitions go to somebody else. */
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
