package dev.muster.engine.group.member;

import dev.muster.core.MusterException;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.MemberId;
import dev.muster.core.group.model.TopicShape;
import dev.muster.engine.group.member.Reconciliation.Standing;
import dev.muster.engine.group.service.GroupService;
import dev.muster.engine.read.PartitionsReader;
import dev.muster.engine.read.ReadErrorPolicy;
import dev.muster.engine.runtime.Deadline;
import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.DamagedLogException;
import dev.muster.store.LogStore;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionLog;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToLongFunction;

/**
 * Reads the partitions that a group gives to one member, and commits how far it came. Partitions come and go in
 * {@link #poll} and only there; those that stay are not touched. For one thread at a time; what may be called from any
 * thread says so.
 */
public final class GroupReader {
    private static final System.Logger LOG = System.getLogger(GroupReader.class.getName());
    private static final long NO_LEASE_WAIT_NANOS = 5_000_000;
    private static final long REFUSED_WAIT_NANOS = 100_000_000;
    private static final long REFUSED_GRACE_NANOS = 2_000_000_000;
    /** After so long a partition that is ours but could not be found is looked for again. */
    private static final long MISSING_WAIT_NANOS = 100_000_000;

    private final GroupRuntime world;
    private final LogStore store;
    private final Policy policy;
    private final GroupHooks hooks;
    private final GroupMember member;
    private final PartitionsReader reader;
    private final Commits commits;
    private final PollHandover handing;
    private final Set<TopicPartition> paused = new TreeSet<>();

    /** What there was of the topics before the first join: what comes later is read from its first record. */
    private SortedMap<TopicName, TopicShape> topicsAtFirst;
    /** Revoked, but not yet let go of. */
    private final SortedSet<TopicPartition> leaving = new TreeSet<>();
    /** The generation that took them away. */
    private long leavingSince;

    /** Whether a partition that is ours could not be found when it was last looked for. */
    private boolean missing;

    private long lastMissing;
    private boolean refused;
    private long firstRefused;
    private long lastRefused;
    private volatile boolean woken;
    private volatile long idleSince = GroupMember.NOT_IDLE;

    /**
     * How a member reads and commits.
     *
     * @param start where to begin in a partition without a commit
     * @param acks whether records count as processed when they are acknowledged; else when {@link #poll} is called
     *     again
     * @param commitEvery empty: commits are made by hand
     */
    public record Policy(
            ToLongFunction<PartitionLog> start,
            boolean acks,
            Optional<Duration> commitEvery,
            ReadErrorPolicy trouble) {}

    public GroupReader(GroupService service, MemberOptions options, Policy policy, GroupHooks hooks) {
        this.world = service.world();
        this.store = service.store();
        this.policy = policy;
        this.hooks = hooks;
        this.reader = new PartitionsReader(store, new MovingTrouble());
        this.member = new GroupMember(service, options, reader::wakeup);
        member.idleSince(() -> idleSince);
        this.commits = new Commits(world, member, policy.commitEvery());
        this.handing = new PollHandover(reader, commits);
    }

    public GroupMember member() {
        return member;
    }

    /** Asks the policy where to go on. What can be committed moves with the place that is read. */
    private final class MovingTrouble implements ReadErrorPolicy {
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
     * Hands out records as soon as there are any that are certainly ours; before that, takes part in what the group
     * does.
     *
     * @return how many; 0 after the timeout, a {@link #wakeup} or an interrupt
     */
    public int poll(int recordsMax, long timeoutNanos, GroupSink sink) {
        idleSince = GroupMember.NOT_IDLE;
        try {
            long end = world.nanoTime() + timeoutNanos;
            commits.userIsBack();
            while (true) {
                boolean in = follow();
                commits.commitIfDue();
                long left = end - world.nanoTime();
                int count = in ? fetch(recordsMax, waitAtMost(left), sink) : hold(left, REFUSED_WAIT_NANOS);
                if (count > 0 || takeWakeup()) {
                    return count;
                }
                if (end - world.nanoTime() <= 0 || Thread.currentThread().isInterrupted()) {
                    return 0;
                }
            }
        } finally {
            idleSince = world.nanoTime();
        }
    }

    private long waitAtMost(long left) {
        return commits.waitAtMost(missing ? Math.min(left, MISSING_WAIT_NANOS) : left);
    }

    private int hold(long left, long nanosMax) {
        reader.await(Math.min(left, nanosMax));
        return 0;
    }

    private int fetch(int recordsMax, long waitNanos, GroupSink sink) {
        if (!member.holdsLease()) {
            return hold(waitNanos, NO_LEASE_WAIT_NANOS);
        }
        handing.begin(sink);
        boolean mine = false;
        try {
            int count = reader.poll(recordsMax, waitNanos, handing);
            // Looked at after fetching: what was ours when we began may be somebody else's now.
            mine = count > 0 && member.mayHandOut();
            return mine ? count : 0;
        } catch (TopicDeletedException | TopicNotFoundException e) {
            if (!dropDeleted()) {
                throw e;
            }
            return 0;
        } finally {
            // Whatever went wrong: what did not reach the user is fetched again.
            if (mine) {
                handing.done();
            } else {
                handing.takeBack();
            }
        }
    }

    /** A topic is gone; the group will learn it, and tell us. @return whether it was so */
    private boolean dropDeleted() {
        Set<TopicPartition> gone = new TreeSet<>();
        SortedMap<TopicName, TopicShape> topics = member.group().topics();
        for (TopicPartition partition : commits.partitions()) {
            TopicShape topic = topics.get(partition.topic());
            if (reader.reads(partition) && (topic == null || isGone(topic))) {
                gone.add(partition);
            }
        }
        gone.forEach(reader::remove);
        member.topicsMoved();
        return !gone.isEmpty();
    }

    private boolean isGone(TopicShape topic) {
        try {
            store.partitions(topic.id());
            return false;
        } catch (TopicDeletedException | TopicNotFoundException e) {
            return true;
        }
    }

    // Following the group

    /** Takes part in what the group does. @return whether this member is in it */
    private boolean follow() {
        if (missing && world.nanoTime() - lastMissing >= MISSING_WAIT_NANOS) {
            missing = false;
            member.lookAgain();
        }
        boolean in = member.id() != null || join();
        while (in && member.hasNews()) {
            Reconciliation outlook = member.look();
            work(outlook);
            in = outlook.standing() == Standing.IN || join();
        }
        if (!leaving.isEmpty()) {
            letGo(leavingSince, new TreeSet<>(leaving));
        }
        return in;
    }

    private boolean join() {
        if (topicsAtFirst == null) {
            topicsAtFirst = member.topicsNow();
        }
        if (refused && world.nanoTime() - lastRefused < REFUSED_WAIT_NANOS) {
            return false;
        }
        return switch (member.join()) {
            case Reply.Joined _ -> {
                refused = false;
                yield true;
            }
            case Reply.FencedInstance refusal -> throw hooks.fenced(refusal.text());
            case Reply.InstanceInUse refusal -> {
                waitForInstance(refusal.text());
                yield false;
            }
            case Reply.GroupDeleted _ -> false;
            case Reply.Refusal refusal -> throw new MusterException(refusal.text());
            case Reply.Done _, Reply.Classic _ -> throw new IllegalStateException("a join is answered");
        };
    }

    /** Whoever has it may be about to go, or hang until its session ends; after that it is a mistake of the user. */
    private void waitForInstance(String why) {
        long now = world.nanoTime();
        if (!refused) {
            refused = true;
            firstRefused = now;
            LOG.log(Level.WARNING, "group {0}: {1}", member.options().group(), why);
        }
        lastRefused = now;
        if (now - firstRefused > Deadline.nanos(member.options().timing().session()) + REFUSED_GRACE_NANOS) {
            throw hooks.fenced(why);
        }
    }

    private void work(Reconciliation outlook) {
        Throwable trouble = null;
        long generation = outlook.seen() == null
                ? member.generation()
                : outlook.seen().group().generation();
        if (!outlook.lost().isEmpty()) {
            outlook.lost().forEach(this::drop);
            member.gone(outlook.lost());
            trouble = during(() -> hooks.lost(generation, outlook.lost()), trouble);
        }
        if (outlook.standing() != Standing.IN) {
            leaving.clear();
            member.worked(outlook);
            if (outlook.standing() == Standing.FENCED) {
                throw hooks.fenced("another process joined group \""
                        + member.options().group()
                        + "\" with instance id \"" + member.options().instance().orElseThrow()
                        + "\" and took the place of this one");
            }
        } else {
            if (!outlook.release().isEmpty()) {
                trouble = during(() -> letGo(generation, outlook.release()), trouble);
            }
            if (!outlook.take().isEmpty()) {
                trouble = during(() -> take(outlook), trouble);
            }
            if (trouble == null) {
                member.worked(outlook);
            }
        }
        throwIfAny(trouble);
    }

    /** What goes wrong in one part, an assertion in a listener too, must not keep the others from being done. */
    private static Throwable during(Runnable part, Throwable before) {
        try {
            part.run();
            return before;
        } catch (RuntimeException | Error e) {
            if (before == null) {
                return e;
            }
            before.addSuppressed(e);
            return before;
        }
    }

    private static void throwIfAny(Throwable trouble) {
        switch (trouble) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(trouble);
        }
    }

    private void drop(TopicPartition partition) {
        reader.remove(partition);
        commits.end(partition);
        paused.remove(partition);
        leaving.remove(partition);
    }

    private void letGo(long generation, SortedSet<TopicPartition> release) {
        SortedSet<TopicPartition> known = new TreeSet<>(release);
        known.retainAll(commits.partitions());
        // Given to us and taken away again before we took it: there is nobody to be told.
        SortedSet<TopicPartition> ready = new TreeSet<>(release);
        ready.removeAll(known);
        Throwable trouble = null;
        if (!known.isEmpty()) {
            try {
                ready.addAll(hooks.revoked(generation, known));
            } catch (RuntimeException | Error e) {
                // They have to go all the same: who keeps them is expelled.
                trouble = e;
                ready.addAll(known);
            }
        }
        leavingSince = generation;
        leaving.addAll(known);
        leaving.removeAll(ready);
        if (!ready.isEmpty()) {
            SortedMap<TopicPartition, CommittedOffset> processed = commits.dueOf(ready);
            ready.forEach(this::drop);
            member.release(ready, processed);
        }
        throwIfAny(trouble);
    }

    private void take(Reconciliation outlook) {
        member.awaitGeneration(outlook);
        Group group = outlook.seen().group();
        SortedSet<TopicPartition> begun = new TreeSet<>();
        boolean all = false;
        try {
            for (TopicPartition partition : outlook.take()) {
                if (begin(partition, group)) {
                    begun.add(partition);
                }
            }
            all = true;
        } finally {
            if (!all) {
                // With the next poll they are begun again, together.
                begun.forEach(this::drop);
            }
        }
        if (begun.size() < outlook.take().size()) {
            // Gone, and the group will learn it; or just made, and not seen by us yet.
            triedInVain();
        }
        if (!member.mayTake(outlook)) {
            // To begin took long, as for a process that was stopped meanwhile: perhaps nothing of it is ours any more.
            begun.forEach(this::drop);
            triedInVain();
            return;
        }
        member.took(outlook, begun);
        if (!begun.isEmpty()) {
            hooks.assigned(member.generation(), begun);
        }
    }

    private void triedInVain() {
        missing = true;
        lastMissing = world.nanoTime();
    }

    /** @return false when it is not there (any more) */
    private boolean begin(TopicPartition partition, Group group) {
        TopicShape topic = group.topics().get(partition.topic());
        try {
            PartitionLog log = store.log(topic.id(), partition.partition());
            Optional<CommittedOffset> commit =
                    Optional.ofNullable(group.offsets().get(partition)).map(one -> one.offset());
            long start = commit.map(offset -> CommittedPlace.in(log, offset)).orElseGet(() -> startIn(log, topic));
            commits.begin(
                    new PartitionProgress(log, group.owners().get(partition).since(), start, commit, policy.acks()));
            reader.add(log, start);
            return true;
        } catch (TopicDeletedException | TopicNotFoundException e) {
            // The group will learn it too.
            member.topicsMoved();
            return false;
        }
    }

    private long startIn(PartitionLog log, TopicShape topic) {
        TopicShape atFirst = topicsAtFirst.get(log.topic().name());
        boolean wasThere = atFirst != null && atFirst.id().equals(topic.id()) && log.partition() < atFirst.partitions();
        return wasThere ? withinLog(log, policy.start().applyAsLong(log)) : log.startOffset();
    }

    /** A place beyond the end would be committed, and the group would skip the records that come there later. */
    private long withinLog(PartitionLog log, long wanted) {
        long end = log.endOffset();
        if (wanted <= end) {
            return wanted;
        }
        LOG.log(
                Level.WARNING,
                "group {0}, {1}-{2}: offset {3} is beyond the end of the log; reading begins at its end, {4}",
                member.options().group(),
                log.topic().name(),
                log.partition(),
                wanted,
                end);
        return end;
    }

    // Committing

    /** What is processed and not committed. */
    public SortedMap<TopicPartition, CommittedOffset> due() {
        return commits.due();
    }

    /** Everything that was handed out counts as processed, unless it has to be acknowledged for that. */
    public void countHandedOut() {
        commits.countHandedOut();
    }

    /** As {@link #countHandedOut}, but for what is still in hand: from these offsets on. */
    public void countHandedOutBut(Map<TopicPartition, Long> inHand) {
        commits.countHandedOutBut(inHand);
    }

    /** Commits these offsets of the next records, whole or not at all. Returns when it is durable. */
    public Reply commit(Map<TopicPartition, Long> next) {
        return commits.commit(next);
    }

    /** Commits what {@link #due} says. */
    public Reply commitNow(SortedMap<TopicPartition, CommittedOffset> offsets) {
        return commits.commitNow(offsets);
    }

    /** As {@link #commitNow}, without waiting. From any thread. */
    public CompletableFuture<Reply> commitAsync(SortedMap<TopicPartition, CommittedOffset> offsets) {
        return commits.commitAsync(offsets);
    }

    /** What the group has committed for these; a partition without a commit is missing. */
    public Map<TopicPartition, Long> committed(Collection<TopicPartition> partitions) {
        return commits.committed(partitions);
    }

    /** A record was processed. From any thread. */
    public void ack(TopicPartition partition, long offset) {
        commits.of(partition).ifPresent(one -> one.acknowledge(offset));
    }

    // Places

    public void seek(TopicPartition partition, long offset) {
        mustHold(partition);
        if (reader.reads(partition)) {
            reader.seek(partition, offset);
        }
        // Reading finds out that a place is beyond the end; a commit that comes before that must not lead there.
        commits.of(partition).ifPresent(one -> one.seek(Math.min(offset, one.logEnd())));
    }

    private void mustHold(TopicPartition partition) {
        if (!commits.holds(partition)) {
            throw new MusterException(
                    partition + " is not assigned to this consumer",
                    "see assignment(); partitions come and go while poll is called");
        }
    }

    public void pause(Collection<TopicPartition> partitions, boolean on) {
        partitions.forEach(this::mustHold);
        for (TopicPartition partition : partitions) {
            // One whose topic is gone is not read any more, but ours until the group says so.
            if (reader.reads(partition)) {
                reader.pause(partition, on);
            }
            if (on) {
                paused.add(partition);
            } else {
                paused.remove(partition);
            }
        }
    }

    public SortedSet<TopicPartition> paused() {
        return new TreeSet<>(paused);
    }

    public Map<TopicPartition, Long> positions() {
        return reader.positions();
    }

    /** The generation in which a partition was given to us; negative when it is not ours. From any thread. */
    public long heldSince(TopicPartition partition) {
        return commits.of(partition).map(PartitionProgress::since).orElse(-1L);
    }

    /** How many records of a partition are handed out and not acknowledged. From any thread. */
    public int open(TopicPartition partition) {
        return commits.of(partition).map(PartitionProgress::open).orElse(0);
    }

    /** The partitions this member owns, as far as the user was told, and its present id. From any thread. */
    public SortedSet<TopicPartition> assigned() {
        return commits.partitions();
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
        Throwable trouble = null;
        try {
            if (member.id() != null) {
                trouble = during(this::sayGoodbye, trouble);
                SortedMap<TopicPartition, CommittedOffset> processed = commits.dueOf(commits.partitions());
                trouble = during(() -> member.leave(processed), trouble);
            }
        } finally {
            commits.endAll();
            reader.close();
        }
        throwIfAny(trouble);
    }

    private void sayGoodbye() {
        SortedSet<TopicPartition> all = assigned();
        if (all.isEmpty()) {
            return;
        }
        boolean in = member.look().standing() == Standing.IN;
        if (in) {
            hooks.revoked(member.generation(), all);
        } else {
            commits.endAll();
            hooks.lost(member.generation(), all);
        }
    }
}
