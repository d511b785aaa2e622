package dev.muster.engine.group.member;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.Commit;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.engine.runtime.Deadline;
import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.StoreClosedException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The progress of one member in its partitions, and its commits: by hand, periodic, and on revocation. For the thread
 * of its {@link GroupReader}, except where a method says otherwise.
 */
public final class Commits {
    private static final System.Logger LOG = System.getLogger(Commits.class.getName());
    /** The largest number of commits in flight. It bounds them when a commit takes longer than a poll. */
    private static final int ON_THEIR_WAY_MAX = 8;

    private static final long WAIT_NANOS_MIN = 1_000_000;

    private final GroupRuntime runtime;
    private final GroupMember member;
    private final Optional<Duration> every;
    private final Map<TopicPartition, PartitionProgress> progress = new ConcurrentHashMap<>();
    /** The partitions with records of the last poll. */
    private final List<PartitionProgress> inHand = new ArrayList<>();

    private final AtomicInteger onTheirWay = new AtomicInteger();
    private long next;
    private volatile boolean ending;

    /** @param every the interval of periodic commits; empty if commits are made by hand only */
    Commits(GroupRuntime runtime, GroupMember member, Optional<Duration> every) {
        this.runtime = runtime;
        this.member = member;
        this.every = every;
        this.next = runtime.nanoTime();
    }

    // Partitions of the member

    void begin(PartitionProgress one) {
        progress.put(one.partition(), one);
    }

    void end(TopicPartition partition) {
        progress.remove(partition);
    }

    void endAll() {
        progress.clear();
    }

    /** From any thread. */
    boolean holds(TopicPartition partition) {
        return progress.containsKey(partition);
    }

    /** From any thread. */
    Optional<PartitionProgress> of(TopicPartition partition) {
        return Optional.ofNullable(progress.get(partition));
    }

    /** The partitions that the member holds and that the hooks know. From any thread. */
    public SortedSet<TopicPartition> partitions() {
        return new TreeSet<>(progress.keySet());
    }

    /** The generation in which the member got a partition; negative if it does not hold it. From any thread. */
    public long heldSince(TopicPartition partition) {
        return of(partition).map(PartitionProgress::since).orElse(-1L);
    }

    /** Number of records of a partition that are handed out and not acknowledged. From any thread. */
    public int open(TopicPartition partition) {
        return of(partition).map(PartitionProgress::open).orElse(0);
    }

    // Processed records

    /** Notes that a record was processed. From any thread. */
    public void acknowledge(TopicPartition partition, long offset) {
        of(partition).ifPresent(one -> one.acknowledge(offset));
    }

    /** Notes that this poll hands out records of a partition. */
    void handsOut(PartitionProgress one) {
        inHand.add(one);
    }

    /** Notes that the user polls again: the handed-out records count as processed, unless commits are made by hand. */
    void userIsBack() {
        if (every.isPresent()) {
            inHand.forEach(PartitionProgress::countHandedOut);
            inHand.clear();
        }
    }

    /** Counts all handed-out records as processed, unless records must be acknowledged. */
    public void countHandedOut() {
        progress.values().forEach(PartitionProgress::countHandedOut);
    }

    /** As {@link #countHandedOut}, except for records from these offsets on, which are still in hand. */
    public void countHandedOutBut(Map<TopicPartition, Long> stillOpen) {
        progress.forEach((partition, one) -> {
            Long open = stillOpen.get(partition);
            if (open == null) {
                one.countHandedOut();
            } else {
                one.countUpTo(open);
            }
        });
    }

    /**
     * The processed offsets that are not committed. Omits partitions whose offset was set by hand meanwhile: their
     * commits would be refused.
     */
    public SortedMap<TopicPartition, CommittedOffset> due() {
        SortedMap<TopicPartition, CommittedOffset> offsets = gather(progress.keySet(), PartitionProgress::due);
        offsets.keySet().removeAll(member.recalled());
        return offsets;
    }

    /** The offsets to commit for revoked partitions; empty if commits are made by hand. */
    SortedMap<TopicPartition, CommittedOffset> dueOf(Collection<TopicPartition> leaving) {
        return every.isPresent() ? gather(leaving, PartitionProgress::due) : new TreeMap<>();
    }

    private SortedMap<TopicPartition, CommittedOffset> gather(
            Collection<TopicPartition> among, Function<PartitionProgress, Optional<CommittedOffset>> what) {
        SortedMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        for (TopicPartition partition : among) {
            of(partition).flatMap(what).ifPresent(offset -> offsets.put(partition, offset));
        }
        return offsets;
    }

    // Periodic commits

    void commitIfDue() {
        if (every.isEmpty() || member.id() == null || onTheirWay.get() >= ON_THEIR_WAY_MAX) {
            return;
        }
        long now = runtime.nanoTime();
        if (Deadline.reached(next, now)) {
            SortedMap<TopicPartition, CommittedOffset> offsets = gather(progress.keySet(), PartitionProgress::unsent);
            // A commit is accepted as a whole or refused. A recalled partition that is not released yet must not block
            // the
            // other partitions.
            offsets.keySet().removeAll(member.recalled());
            if (!offsets.isEmpty()) {
                send(offsets);
                next = now + Deadline.nanos(every.get());
            }
        }
    }

    /** The given wait for records, shortened to the time at which the next periodic commit is due. */
    long waitAtMost(long left) {
        long untilCommit = next - runtime.nanoTime();
        boolean commits = every.isPresent() && untilCommit < left;
        boolean unsent =
                commits && !gather(progress.keySet(), PartitionProgress::unsent).isEmpty();
        return Math.max(0, unsent ? Math.max(untilCommit, WAIT_NANOS_MIN) : left);
    }

    // Commits by hand

    /** Commits these offsets of the next records, all or none. Returns when the commit is durable. */
    public Reply commit(Map<TopicPartition, Long> nextRecords) {
        SortedMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        nextRecords.forEach((partition, offset) -> {
            PartitionProgress one = progress.get(partition);
            if (one != null && offset > one.logEnd()) {
                throw new IllegalArgumentException(
                        "there is no offset " + offset + " in " + partition + " yet, it ends at " + one.logEnd());
            }
            offsets.put(partition, one == null ? new CommittedOffset(offset) : one.commitOf(offset));
        });
        return commitNow(offsets);
    }

    /** Commits offsets that {@link #due} returned. */
    public Reply commitNow(SortedMap<TopicPartition, CommittedOffset> offsets) {
        if (offsets.isEmpty()) {
            return new Reply.Done();
        }
        Reply reply = member.commit(offsets);
        if (reply instanceof Reply.Done) {
            offsets.forEach((partition, offset) -> of(partition).ifPresent(one -> one.committed(offset.offset())));
        }
        return reply;
    }

    /** As {@link #commitNow}, without waiting. From any thread. */
    public CompletableFuture<Reply> commitAsync(SortedMap<TopicPartition, CommittedOffset> offsets) {
        return offsets.isEmpty() ? CompletableFuture.completedFuture(new Reply.Done()) : send(offsets);
    }

    private CompletableFuture<Reply> send(SortedMap<TopicPartition, CommittedOffset> offsets) {
        // The group refuses offsets of partitions that were released meanwhile.
        List<PartitionProgress> concerned = offsets.keySet().stream()
                .map(progress::get)
                .filter(Objects::nonNull)
                .toList();
        concerned.forEach(one -> one.sent(offsets.get(one.partition()).offset()));
        onTheirWay.incrementAndGet();
        return member.commitAsync(offsets).whenComplete((reply, failure) -> {
            onTheirWay.decrementAndGet();
            if (reply instanceof Reply.Done) {
                concerned.forEach(
                        one -> one.committed(offsets.get(one.partition()).offset()));
                return;
            }
            concerned.forEach(PartitionProgress::refused);
            if (failure != null) {
                // Leaving the group commits the due offsets again, so a failed commit before it loses nothing.
                LOG.log(
                        ending || failure instanceof StoreClosedException ? Level.DEBUG : Level.WARNING,
                        "group {0}: a commit failed and will be repeated: {1}",
                        member.options().group(),
                        failure.getMessage());
            }
        });
    }

    /** The commits of the group in these partitions. Omits partitions without a commit. */
    public Map<TopicPartition, Long> committed(Collection<TopicPartition> partitions) {
        Map<TopicPartition, Long> offsets = new TreeMap<>();
        SortedMap<TopicPartition, Commit> commits = member.group().offsets();
        for (TopicPartition partition : partitions) {
            Commit commit = commits.get(partition);
            if (commit != null) {
                offsets.put(partition, commit.offset().offset());
            }
        }
        return offsets;
    }

    /** From now on a failed commit is logged as DEBUG only. */
    void isEnding() {
        ending = true;
    }
}
