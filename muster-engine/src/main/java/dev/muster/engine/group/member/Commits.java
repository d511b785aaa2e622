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
 * How far one member came in the partitions it holds, and what of that is committed: by hand, by time, and when
 * partitions leave. For the thread of its {@link GroupReader}, but for what says otherwise.
 */
public final class Commits {
    private static final System.Logger LOG = System.getLogger(Commits.class.getName());
    /** Where commits take longer than polls, this many wait for their answer and no more are made. */
    private static final int ON_THEIR_WAY_MAX = 8;

    private static final long WAIT_NANOS_MIN = 1_000_000;

    private final GroupRuntime runtime;
    private final GroupMember member;
    private final Optional<Duration> every;
    private final Map<TopicPartition, PartitionProgress> progress = new ConcurrentHashMap<>();
    /** Of what the last poll handed out. */
    private final List<PartitionProgress> inHand = new ArrayList<>();

    private final AtomicInteger onTheirWay = new AtomicInteger();
    private long next;
    private volatile boolean ending;

    /** @param every how often what is processed is committed; empty: by hand only */
    Commits(GroupRuntime runtime, GroupMember member, Optional<Duration> every) {
        this.runtime = runtime;
        this.member = member;
        this.every = every;
        this.next = runtime.nanoTime();
    }

    // What is held

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

    /** The partitions that the member holds, as far as the hooks were told. From any thread. */
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

    // What is processed

    /** A record was processed. From any thread. */
    public void acknowledge(TopicPartition partition, long offset) {
        of(partition).ifPresent(one -> one.acknowledge(offset));
    }

    /** Records of this partition go to the user with this poll. */
    void handsOut(PartitionProgress one) {
        inHand.add(one);
    }

    /** The user is back: what he got counts as processed, unless he commits by hand. */
    void userIsBack() {
        if (every.isPresent()) {
            inHand.forEach(PartitionProgress::countHandedOut);
            inHand.clear();
        }
    }

    /** Everything that was handed out counts as processed, unless it has to be acknowledged for that. */
    public void countHandedOut() {
        progress.values().forEach(PartitionProgress::countHandedOut);
    }

    /** As {@link #countHandedOut}, but for what is still in hand: from these offsets on. */
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

    /** What is processed and not committed; without what was set by hand meanwhile, where it does not count. */
    public SortedMap<TopicPartition, CommittedOffset> due() {
        SortedMap<TopicPartition, CommittedOffset> offsets = gather(progress.keySet(), PartitionProgress::due);
        offsets.keySet().removeAll(member.recalled());
        return offsets;
    }

    /** What is to be committed of partitions that leave: nothing where that is done by hand. */
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

    // By time

    void commitIfDue() {
        if (every.isEmpty() || member.id() == null || onTheirWay.get() >= ON_THEIR_WAY_MAX) {
            return;
        }
        long now = runtime.nanoTime();
        if (Deadline.reached(next, now)) {
            SortedMap<TopicPartition, CommittedOffset> offsets = gather(progress.keySet(), PartitionProgress::unsent);
            // A commit is taken whole or not at all; one partition that cannot be released at once must not hold up the
            // others.
            offsets.keySet().removeAll(member.recalled());
            if (!offsets.isEmpty()) {
                send(offsets);
                next = now + Deadline.nanos(every.get());
            }
        }
    }

    /** The part of a wait for records after which processed records are due to be committed. */
    long waitAtMost(long left) {
        long untilCommit = next - runtime.nanoTime();
        boolean commits = every.isPresent() && untilCommit < left;
        boolean unsent =
                commits && !gather(progress.keySet(), PartitionProgress::unsent).isEmpty();
        return Math.max(0, unsent ? Math.max(untilCommit, WAIT_NANOS_MIN) : left);
    }

    // By hand

    /** Commits these offsets of the next records, whole or not at all. Returns when it is durable. */
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

    /** Commits what {@link #due} says. */
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
        // Those that left us meanwhile are refused.
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
                // Leaving commits what is due once more, so a commit that was overtaken by that lost nothing.
                LOG.log(
                        ending || failure instanceof StoreClosedException ? Level.DEBUG : Level.WARNING,
                        "group {0}: a commit failed and will be repeated: {1}",
                        member.options().group(),
                        failure.getMessage());
            }
        });
    }

    /** What the group has committed for these; a partition without a commit is missing. */
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
