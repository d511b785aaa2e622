package dev.muster.engine.group.member;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.store.PartitionLog;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * How far one partition came in our hands: handed out, processed, committed. All three are offsets of the next record.
 * For all threads.
 */
final class PartitionProgress {
    private static final long NEVER = -1;
    private static final int EPOCHS_MAX = 8;

    private final TopicPartition partition;
    private final PartitionLog log;
    private final long since;
    private final AckLedger acks;
    private final Deque<EpochStart> epochs = new ArrayDeque<>();
    private long handedOut;
    private long processed;
    private long committed;
    /** Committed, or on its way. */
    private long sent;

    /** From this record on, records have this leader epoch. */
    private record EpochStart(long offset, int epoch) {}

    /**
     * @param since the generation in which the partition was given to us
     * @param start where work begins
     * @param committed what the group has committed
     * @param withAcks True if records count as processed by being acknowledged
     */
    PartitionProgress(PartitionLog log, long since, long start, Optional<CommittedOffset> committed, boolean withAcks) {
        this.partition = new TopicPartition(log.topic().name(), log.partition());
        this.log = log;
        this.since = since;
        this.acks = withAcks ? new AckLedger() : null;
        this.handedOut = start;
        this.processed = start;
        this.committed = committed.map(CommittedOffset::offset).orElse(NEVER);
        this.sent = this.committed;
        // A commit that is kept as it is keeps what was known about it.
        committed
                .filter(commit -> commit.offset() == start && commit.leaderEpoch() >= 0)
                .ifPresent(commit -> epochs.add(new EpochStart(start - 1, commit.leaderEpoch())));
    }

    TopicPartition partition() {
        return partition;
    }

    /** Where the log ends at this moment. */
    long logEnd() {
        return log.endOffset();
    }

    long since() {
        return since;
    }

    /** A record goes to the user; {@link #handedOutUpTo} follows. */
    synchronized void handsOut(long offset, int epoch) {
        if (acks != null) {
            acks.handedOut(offset);
        }
        if (epochs.isEmpty() || epochs.getLast().epoch() != epoch) {
            epochs.add(new EpochStart(offset, epoch));
            if (epochs.size() > EPOCHS_MAX) {
                epochs.removeFirst();
            }
        }
    }

    /** Everything below is handed out. */
    synchronized void handedOutUpTo(long next) {
        handedOut = next;
        if (acks != null) {
            processed = acks.firstOpen(handedOut);
        }
    }

    synchronized void acknowledge(long offset) {
        if (acks != null) {
            acks.acknowledge(offset);
            processed = acks.firstOpen(handedOut);
        }
    }

    /** What was handed out counts as processed, unless it has to be acknowledged for that. */
    synchronized void countHandedOut() {
        if (acks == null) {
            processed = handedOut;
        }
    }

    /** What was handed out below this offset counts as processed. */
    synchronized void countUpTo(long next) {
        if (acks == null) {
            processed = Math.min(next, handedOut);
        }
    }

    synchronized void seek(long offset) {
        handedOut = offset;
        processed = offset;
        epochs.clear();
        if (acks != null) {
            acks.clear();
        }
    }

    /** What there is to commit. */
    synchronized Optional<CommittedOffset> due() {
        return processed == committed ? Optional.empty() : Optional.of(commitOf(processed));
    }

    /** What there is to commit and is not on its way already. */
    synchronized Optional<CommittedOffset> unsent() {
        return processed == sent ? Optional.empty() : due();
    }

    synchronized void sent(long next) {
        sent = next;
    }

    /** What was sent is not committed: it is to be sent again. */
    synchronized void refused() {
        sent = committed;
    }

    /** This place, with what is known about the record before it. */
    synchronized CommittedOffset commitOf(long next) {
        int epoch = -1;
        for (EpochStart start : epochs) {
            if (start.offset() < next) {
                epoch = start.epoch();
            }
        }
        return new CommittedOffset(next, epoch, "");
    }

    synchronized void committed(long next) {
        committed = next;
        if (sent == NEVER) {
            sent = next;
        }
    }

    /** How many records are handed out and not acknowledged. */
    synchronized int open() {
        return acks == null ? 0 : acks.open();
    }
}
