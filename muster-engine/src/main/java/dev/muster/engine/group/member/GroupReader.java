package dev.muster.engine.group.member;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.engine.group.service.GroupService;
import dev.muster.engine.read.PartitionsReader;
import dev.muster.engine.read.ReadErrorPolicy;
import dev.muster.engine.runtime.EngineRuntime;
import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.DamagedLogException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionLog;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.ToLongFunction;

/**
 * Reads the partitions that a group assigns to one member. Partitions are added and removed only in {@link #poll},
 * without effect on the other partitions. For one thread at a time, except for methods that say otherwise.
 *
 * <p>{@link AssignmentFollower} joins and applies assignments. {@link Commits} tracks processed records and commits
 * them. {@link HeldPartitions} starts and stops reading each partition.
 */
public final class GroupReader {
    private static final long NO_LEASE_WAIT_NANOS = 5_000_000;

    private final GroupRuntime runtime;
    private final Policy policy;
    private final GroupMember member;
    private final PartitionsReader reader;
    private final Commits commits;
    private final PollHandover handover;
    private final HeldPartitions held;
    private final AssignmentFollower follower;
    private volatile boolean woken;
    private volatile long idleSince = GroupMember.NOT_IDLE;

    /**
     * Settings of a member that reads.
     *
     * @param start the first offset to read in a partition without a commit
     * @param acks True if a record counts as processed when it is acknowledged; false if it does at the next
     *     {@link #poll}
     * @param commitEvery interval of commits; empty if they are made by hand
     */
    public record Policy(
            ToLongFunction<PartitionLog> start,
            boolean acks,
            Optional<Duration> commitEvery,
            ReadErrorPolicy trouble) {}

    public GroupReader(GroupService service, MemberOptions options, Policy policy, GroupHooks hooks) {
        this.runtime = service.runtime();
        this.policy = policy;
        // The system's clock only bounds waits, and polls in simulated time do not wait.
        this.reader = new PartitionsReader(service.store(), EngineRuntime.system(), new SeekingErrorPolicy());
        this.member = new GroupMember(service, options, reader::wakeup);
        member.idleSince(() -> idleSince);
        this.commits = new Commits(runtime, member, policy.commitEvery());
        this.handover = new PollHandover(reader, commits);
        this.held = new HeldPartitions(service.store(), member, reader, commits, policy);
        this.follower = new AssignmentFollower(runtime, member, hooks, commits, held);
    }

    public GroupMember member() {
        return member;
    }

    /** The progress and the commits of this member. */
    public Commits commits() {
        return commits;
    }

    /** Asks the policy for the next offset, and lowers the progress to it, so that no commit is beyond it. */
    private final class SeekingErrorPolicy implements ReadErrorPolicy {
        @Override
        public long outOfRange(PartitionLog log, OffsetOutOfRangeException problem) {
            long next = policy.trouble().outOfRange(log, problem);
            if (next < problem.offset()) {
                commits.of(new TopicPartition(log.topic().name(), log.partition()))
                        .ifPresent(one -> one.seek(next));
            }
            return next;
        }

        @Override
        public long damaged(PartitionLog log, DamagedLogException problem) {
            return policy.trouble().damaged(log, problem);
        }
    }

    // Reading

    /**
     * Joins if necessary, applies assignments, and hands out records as soon as there are any that this member
     * certainly owns.
     *
     * @return number of records; 0 after the timeout, a {@link #wakeup} or an interrupt
     */
    public int poll(int recordsMax, long timeoutNanos, GroupSink sink) {
        idleSince = GroupMember.NOT_IDLE;
        try {
            long end = runtime.nanoTime() + timeoutNanos;
            commits.userIsBack();
            while (true) {
                boolean in = follower.follow();
                commits.commitIfDue();
                long left = end - runtime.nanoTime();
                int count = in
                        ? fetch(recordsMax, commits.waitAtMost(follower.waitAtMost(left)), sink)
                        : hold(left, AssignmentFollower.REFUSED_WAIT_NANOS);
                if (count > 0 || takeWakeup()) {
                    return count;
                }
                if (end - runtime.nanoTime() <= 0 || Thread.currentThread().isInterrupted()) {
                    return 0;
                }
            }
        } finally {
            idleSince = runtime.nanoTime();
        }
    }

    private int hold(long left, long nanosMax) {
        reader.await(Math.min(left, nanosMax));
        return 0;
    }

    private int fetch(int recordsMax, long waitNanos, GroupSink sink) {
        if (!member.holdsLease()) {
            return hold(waitNanos, NO_LEASE_WAIT_NANOS);
        }
        handover.begin(sink);
        boolean mine = false;
        try {
            int count = reader.poll(recordsMax, waitNanos, handover);
            // Checked after the fetch: a partition of this member may have another owner by now.
            mine = count > 0 && member.mayHandOut();
            return mine ? count : 0;
        } catch (TopicDeletedException | TopicNotFoundException e) {
            if (!held.stopReadingDeleted()) {
                throw e;
            }
            return 0;
        } finally {
            // After any failure, records that did not reach the user are fetched again.
            if (mine) {
                handover.done();
            } else {
                handover.takeBack();
            }
        }
    }

    // Positions

    public void seek(TopicPartition partition, long offset) {
        held.seek(partition, offset);
    }

    public void pause(Collection<TopicPartition> partitions, boolean on) {
        held.pause(partitions, on);
    }

    public SortedSet<TopicPartition> paused() {
        return held.paused();
    }

    public Map<TopicPartition, Long> positions() {
        return reader.positions();
    }

    public MemberId id() {
        return member.id();
    }

    /** Ends the wait of the present {@link #poll}, or of the next one that would wait. From any thread. */
    public void wakeup() {
        woken = true;
        reader.wakeup();
    }

    /** Makes a waiting {@link #poll} check its group and partitions again, without returning. From any thread. */
    public void nudge() {
        reader.wakeup();
    }

    private boolean takeWakeup() {
        boolean was = woken;
        if (was) {
            woken = false;
        }
        return was;
    }

    /** Calls the hooks, commits processed offsets, leaves the group, and releases all resources. */
    public void close() {
        commits.isEnding();
        Failures failures = new Failures();
        try {
            if (member.id() != null) {
                failures.during(follower::revokeAll);
                SortedMap<TopicPartition, CommittedOffset> processed = commits.dueOf(commits.partitions());
                failures.during(() -> member.leave(processed));
            }
        } finally {
            commits.endAll();
            reader.close();
        }
        failures.throwIfAny();
    }
}
