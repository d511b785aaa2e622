package dev.muster.engine.group.member;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.store.PartitionLog;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * The progress of a member in one partition: handed out, processed, committed. All three are offsets of the next
 * record. Safe for many threads.
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
    /** The newest offset that was committed or sent in a commit. */
    private long sent;

    /** The offset from which records have this leader epoch. */
    private record EpochStart(long offset, int epoch) {}

    /**
     * @param since the generation in which the member got the partition
     * @param start the first offset to read
     * @param committed the group's commit; empty if there is none
     * @param withAcks True if records count as processed when they are acknowledged
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
        // An unchanged commit keeps its leader epoch and metadata.
        committed
                .filter(commit -> commit.offset() == start && commit.leaderEpoch() >= 0)
                .ifPresent(commit -> epochs.add(new EpochStart(start - 1, commit.leaderEpoch())));
    }

    TopicPartition partition() {
        return partition;
    }

    /** The end offset of the log at this moment. */
    long logEnd() {
        return log.endOffset();
    }

    long since() {
        return since;
    }

    /** Notes a record that is handed out; {@link #handedOutUpTo} follows. */
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

    /** Notes that all records below this offset were handed out. */
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

    /** Counts handed-out records as processed, unless records must be acknowledged. */
    synchronized void countHandedOut() {
        if (acks == null) {
            processed = handedOut;
        }
    }

    /** Counts handed-out records below this offset as processed. */
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

    /** The processed offset, if it is not committed. */
    synchronized Optional<CommittedOffset> due() {
        return processed == committed ? Optional.empty() : Optional.of(commitOf(processed));
    }

    /** The processed offset, if it is neither committed nor in a commit in flight. */
    synchronized Optional<CommittedOffset> unsent() {
        return processed == sent ? Optional.empty() : due();
    }

    synchronized void sent(long next) {
        sent = next;
    }

    /** Notes that the last commit failed: its offset must be sent again. */
    synchronized void refused() {
        sent = committed;
    }

    /** The commit of this offset, with the leader epoch of the record before it. */
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

    /** The number of records that are handed out and not acknowledged. */
    synchronized int open() {
        return acks == null ? 0 : acks.open();
    }
}
