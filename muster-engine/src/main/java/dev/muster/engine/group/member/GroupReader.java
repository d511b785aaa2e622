package dev.muster.engine.group.member;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.MemberId;
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
 * Reads the partitions that a group gives to one member. Partitions come and go in {@link #poll} only; the others are
 * not touched meanwhile. For one thread at a time, except for methods that say otherwise.
 *
 * <p>{@link AssignmentFollower} takes part in what the group does, {@link Commits} knows what is processed and commits
 * it, {@link HeldPartitions} knows where each partition begins and ends.
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
     * @param acks True if a record counts as processed when it is acknowledged; otherwise it does when {@link #poll} is
     *     called again
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
        // The system's clock: it bounds waits only, and polls in simulated time do not wait.
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

    /** What is processed and committed of the partitions that this member holds. */
    public Commits commits() {
        return commits;
    }

    /** Asks the policy for the next offset. A commit must not lead beyond it. */
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
     * Hands out records as soon as there are any that certainly belong to this member. Before that it takes part in
     * what the group does.
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
            // Looked at after fetching: a partition of this member may have another owner by now.
            mine = count > 0 && member.mayHandOut();
            return mine ? count : 0;
        } catch (TopicDeletedException | TopicNotFoundException e) {
            if (!held.stopReadingDeleted()) {
                throw e;
            }
            return 0;
        } finally {
            // After any failure: records that did not reach the user are fetched again.
            if (mine) {
                handover.done();
            } else {
                handover.takeBack();
            }
        }
    }

    // Places

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

    /** Lets a waiting {@link #poll}, or the next one that would wait, return early. From any thread. */
    public void wakeup() {
        woken = true;
        reader.wakeup();
    }

    /** Lets a waiting {@link #poll} look again at everything, without returning. From any thread. */
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

    /** Tells the hooks, commits what is processed, leaves the group and lets go of everything. */
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
