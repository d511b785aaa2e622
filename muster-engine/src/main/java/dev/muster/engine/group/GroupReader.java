package dev.muster.engine.group;

import dev.muster.core.MusterException;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Commit;
import dev.muster.core.group.CommittedOffset;
import dev.muster.core.group.Group;
import dev.muster.core.group.MemberId;
import dev.muster.core.group.Reply;
import dev.muster.core.group.TopicShape;
import dev.muster.engine.group.Outlook.Standing;
import dev.muster.engine.read.PartitionsReader;
import dev.muster.engine.read.ReadTrouble;
import dev.muster.engine.read.RecordSink;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.StoreClosedException;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.batch.BatchDecoder;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
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
    /** Where commits take longer than polls, this many wait for their answer and no more are made. */
    private static final int COMMITS_MAX = 8;

    private static final long COMMIT_WAIT_NANOS_MIN = 1_000_000;

    private final Surroundings world;
    private final LogStore store;
    private final Policy policy;
    private final GroupHooks hooks;
    private final GroupMember member;
    private final PartitionsReader reader;
    private final Map<TopicPartition, Progress> progress = new ConcurrentHashMap<>();
    private final Set<TopicPartition> paused = new TreeSet<>();
    private final Handing handing = new Handing();
    /** Of what the last poll handed out. */
    private final List<Progress> inHand = new ArrayList<>();

    /** What there was of the topics before the first join: what comes later is read from its first record. */
    private SortedMap<TopicName, TopicShape> topicsAtFirst;
    /** Revoked, but not yet let go of. */
    private final SortedSet<TopicPartition> leaving = new TreeSet<>();
    /** The generation that took them away. */
    private long leavingSince;

    private boolean refused;
    private long firstRefused;
    private long lastRefused;
    private long nextCommit;
    private final AtomicInteger onTheirWay = new AtomicInteger();
    private volatile boolean woken;
    private volatile boolean closed;
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
            ToLongFunction<PartitionLog> start, boolean acks, Optional<Duration> commitEvery, ReadTrouble trouble) {}

    public GroupReader(GroupService service, MemberOptions options, Policy policy, GroupHooks hooks) {
        this.world = service.world();
        this.store = service.store();
        this.policy = policy;
        this.hooks = hooks;
        this.reader = new PartitionsReader(store, policy.trouble());
        this.member = service.member(options, reader::wakeup);
        member.idleSince(() -> idleSince);
        this.nextCommit = world.nanoTime();
    }

    public GroupMember member() {
        return member;
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
            if (policy.commitEvery().isPresent()) {
                inHand.forEach(Progress::countHandedOut);
                inHand.clear();
            }
            while (true) {
                boolean in = follow();
                commitIfDue();
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

    private int hold(long left, long nanosMax) {
        reader.await(Math.min(left, nanosMax));
        return 0;
    }

    /** Who waits for records wakes up to commit what is processed. */
    private long waitAtMost(long left) {
        long untilCommit = nextCommit - world.nanoTime();
        boolean commits = policy.commitEvery().isPresent() && untilCommit < left;
        boolean unsent = commits && !gather(progress.keySet(), Progress::unsent).isEmpty();
        return Math.max(0, unsent ? Math.max(untilCommit, COMMIT_WAIT_NANOS_MIN) : left);
    }

    private int fetch(int recordsMax, long waitNanos, GroupSink sink) {
        if (!member.holdsLease()) {
            return hold(waitNanos, NO_LEASE_WAIT_NANOS);
        }
        handing.begin(sink);
        int count;
        try {
            count = reader.poll(recordsMax, waitNanos, handing);
        } catch (TopicDeletedException | TopicNotFoundException e) {
            if (!dropDeleted()) {
                throw e;
            }
            return 0;
        }
        if (count == 0) {
            return 0;
        }
        // Looked at after fetching: what was ours when we began may be somebody else's now.
        if (!member.mayHandOut()) {
            handing.takeBack();
            sink.withdraw();
            return 0;
        }
        handing.done();
        return count;
    }

    /** A topic is gone; the group will learn it, and tell us. @return whether it was so */
    private boolean dropDeleted() {
        Set<TopicPartition> gone = new TreeSet<>();
        SortedMap<TopicName, TopicShape> topics = member.group().topics();
        for (TopicPartition partition : progress.keySet()) {
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

    /** Notes what goes through to the user, so that it can be taken back until the last moment. */
    private final class Handing implements RecordSink {
        private final List<Run> runs = new ArrayList<>();
        private GroupSink sink;
        private Run run;

        /** Records of one partition in one poll. */
        private static final class Run {
            private final TopicPartition partition;
            private final long first;
            private long[] offsets = new long[16];
            private int[] epochs = new int[16];
            private int count;

            Run(TopicPartition partition, long first) {
                this.partition = partition;
                this.first = first;
            }

            void add(long offset, int epoch) {
                if (count == offsets.length) {
                    offsets = Arrays.copyOf(offsets, 2 * count);
                    epochs = Arrays.copyOf(epochs, 2 * count);
                }
                offsets[count] = offset;
                epochs[count] = epoch;
                count++;
            }
        }

        void begin(GroupSink to) {
            sink = to;
            runs.clear();
            run = null;
        }

        @Override
        public void accept(TopicPartition from, BatchDecoder record) {
            sink.accept(from, record);
            if (run == null || run.partition != from) {
                run = new Run(from, record.offset());
                runs.add(run);
            }
            run.add(record.offset(), record.leaderEpoch());
        }

        void takeBack() {
            runs.forEach(one -> reader.seek(one.partition, one.first));
        }

        void done() {
            for (Run one : runs) {
                Progress of = progress.get(one.partition);
                for (int i = 0; i < one.count; i++) {
                    of.handsOut(one.offsets[i], one.epochs[i]);
                }
                of.handedOutUpTo(reader.position(one.partition));
                inHand.add(of);
            }
        }
    }

    // Following the group

    /** Takes part in what the group does. @return whether this member is in it */
    private boolean follow() {
        boolean in = member.id() != null || join();
        while (in && member.hasNews()) {
            Outlook outlook = member.look();
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

    private void work(Outlook outlook) {
        RuntimeException trouble = null;
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
            leaving.retainAll(outlook.release());
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
        if (trouble != null) {
            throw trouble;
        }
    }

    /** What goes wrong in one part must not keep the others from being done. */
    private static RuntimeException during(Runnable part, RuntimeException before) {
        try {
            part.run();
            return before;
        } catch (RuntimeException e) {
            if (before == null) {
                return e;
            }
            before.addSuppressed(e);
            return before;
        }
    }

    private void drop(TopicPartition partition) {
        reader.remove(partition);
        progress.remove(partition);
        paused.remove(partition);
        leaving.remove(partition);
    }

    private void letGo(long generation, SortedSet<TopicPartition> release) {
        SortedSet<TopicPartition> known = new TreeSet<>(release);
        known.retainAll(progress.keySet());
        // Given to us and taken away again before we took it: there is nobody to be told.
        SortedSet<TopicPartition> ready = new TreeSet<>(release);
        ready.removeAll(known);
        RuntimeException trouble = null;
        if (!known.isEmpty()) {
            try {
                ready.addAll(hooks.revoked(generation, known));
            } catch (RuntimeException e) {
                // They have to go all the same: who keeps them is expelled.
                trouble = e;
                ready.addAll(known);
            }
        }
        leavingSince = generation;
        leaving.addAll(known);
        leaving.removeAll(ready);
        if (!ready.isEmpty()) {
            SortedMap<TopicPartition, CommittedOffset> commits =
                    policy.commitEvery().isPresent() ? due(ready) : new TreeMap<>();
            ready.forEach(this::drop);
            member.release(ready, commits);
        }
        if (trouble != null) {
            throw trouble;
        }
    }

    private void take(Outlook outlook) {
        member.awaitGeneration(outlook);
        Group group = outlook.seen().group();
        SortedSet<TopicPartition> taken = new TreeSet<>();
        for (TopicPartition partition : outlook.take()) {
            try {
                begin(partition, group);
                taken.add(partition);
            } catch (TopicDeletedException | TopicNotFoundException e) {
                // Gone already; the group will learn it too.
                member.topicsMoved();
            }
        }
        member.took(outlook, taken);
        if (!taken.isEmpty()) {
            hooks.assigned(member.generation(), taken);
        }
    }

    private void begin(TopicPartition partition, Group group) {
        TopicShape topic = group.topics().get(partition.topic());
        PartitionLog log = store.log(topic.id(), partition.partition());
        Optional<CommittedOffset> commit =
                Optional.ofNullable(group.offsets().get(partition)).map(one -> one.offset());
        long start = commit.map(offset -> CommittedPlace.in(log, offset)).orElseGet(() -> startIn(log, topic));
        progress.put(partition, new Progress(log, group.owners().get(partition).since(), start, commit, policy.acks()));
        reader.add(log, start);
    }

    private long startIn(PartitionLog log, TopicShape topic) {
        TopicShape atFirst = topicsAtFirst.get(log.topic().name());
        boolean wasThere = atFirst != null && atFirst.id().equals(topic.id()) && log.partition() < atFirst.partitions();
        return wasThere ? policy.start().applyAsLong(log) : log.startOffset();
    }

    // Committing

    private void commitIfDue() {
        if (policy.commitEvery().isEmpty() || member.id() == null || onTheirWay.get() >= COMMITS_MAX) {
            return;
        }
        long now = world.nanoTime();
        if (Deadline.reached(nextCommit, now)) {
            SortedMap<TopicPartition, CommittedOffset> offsets = gather(progress.keySet(), Progress::unsent);
            if (!offsets.isEmpty()) {
                send(offsets);
                nextCommit = now + Deadline.nanos(policy.commitEvery().get());
            }
        }
    }

    private CompletableFuture<Reply> send(SortedMap<TopicPartition, CommittedOffset> offsets) {
        List<Progress> concerned = offsets.keySet().stream().map(progress::get).toList();
        concerned.forEach(one -> one.sent(offsets.get(one.partition()).offset()));
        onTheirWay.incrementAndGet();
        return member.commitAsync(offsets).whenComplete((reply, failure) -> {
            onTheirWay.decrementAndGet();
            if (reply instanceof Reply.Done) {
                concerned.forEach(
                        one -> one.committed(offsets.get(one.partition()).offset()));
                return;
            }
            concerned.forEach(Progress::refused);
            if (failure != null) {
                // Leaving commits what is due once more, so a commit that was overtaken by that lost nothing.
                LOG.log(
                        closed || failure instanceof StoreClosedException ? Level.DEBUG : Level.WARNING,
                        "group {0}: a commit failed and will be repeated: {1}",
                        member.options().group(),
                        failure.getMessage());
            }
        });
    }

    /** What is processed and not committed. */
    public SortedMap<TopicPartition, CommittedOffset> due() {
        return due(progress.keySet());
    }

    private SortedMap<TopicPartition, CommittedOffset> due(Collection<TopicPartition> among) {
        return gather(among, Progress::due);
    }

    private SortedMap<TopicPartition, CommittedOffset> gather(
            Collection<TopicPartition> among, Function<Progress, Optional<CommittedOffset>> what) {
        SortedMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        for (TopicPartition partition : among) {
            Progress one = progress.get(partition);
            if (one != null) {
                what.apply(one).ifPresent(offset -> offsets.put(partition, offset));
            }
        }
        return offsets;
    }

    /** Everything that was handed out counts as processed, unless it has to be acknowledged for that. */
    public void countHandedOut() {
        progress.values().forEach(Progress::countHandedOut);
    }

    /** As {@link #countHandedOut}, but for what is still in hand: from these offsets on. */
    public void countHandedOutBut(Map<TopicPartition, Long> inHand) {
        progress.forEach((partition, one) -> {
            Long open = inHand.get(partition);
            if (open == null) {
                one.countHandedOut();
            } else {
                one.countUpTo(open);
            }
        });
    }

    /** Commits these offsets of the next records, whole or not at all. Returns when it is durable. */
    public Reply commit(Map<TopicPartition, Long> next) {
        SortedMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        next.forEach((partition, offset) -> {
            Progress one = progress.get(partition);
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
            offsets.forEach((partition, offset) -> {
                Progress one = progress.get(partition);
                if (one != null) {
                    one.committed(offset.offset());
                }
            });
        }
        return reply;
    }

    /** As {@link #commitNow}, without waiting. */
    public CompletableFuture<Reply> commitAsync(SortedMap<TopicPartition, CommittedOffset> offsets) {
        return offsets.isEmpty() ? CompletableFuture.completedFuture(new Reply.Done()) : send(offsets);
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

    /** A record was processed. From any thread. */
    public void ack(TopicPartition partition, long offset) {
        Progress one = progress.get(partition);
        if (one != null) {
            one.acknowledge(offset);
        }
    }

    // Places

    public void seek(TopicPartition partition, long offset) {
        mustHold(partition);
        reader.seek(partition, offset);
        progress.get(partition).seek(offset);
    }

    private void mustHold(TopicPartition partition) {
        if (!progress.containsKey(partition) || !reader.reads(partition)) {
            throw new MusterException(
                    partition + " is not assigned to this consumer",
                    "see assignment(); partitions come and go while poll is called");
        }
    }

    public void pause(Collection<TopicPartition> partitions, boolean on) {
        partitions.forEach(this::mustHold);
        for (TopicPartition partition : partitions) {
            reader.pause(partition, on);
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
        Progress one = progress.get(partition);
        return one == null ? -1 : one.since();
    }

    /** How many records of a partition are handed out and not acknowledged. From any thread. */
    public int open(TopicPartition partition) {
        Progress one = progress.get(partition);
        return one == null ? 0 : one.open();
    }

    /** The partitions this member owns, as far as the user was told, and its present id. From any thread. */
    public SortedSet<TopicPartition> assigned() {
        return new TreeSet<>(progress.keySet());
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
        closed = true;
        RuntimeException trouble = null;
        try {
            if (member.id() != null) {
                trouble = during(this::sayGoodbye, trouble);
                SortedMap<TopicPartition, CommittedOffset> commits =
                        policy.commitEvery().isPresent() ? due() : new TreeMap<>();
                trouble = during(() -> member.leave(commits), trouble);
            }
        } finally {
            progress.clear();
            reader.close();
        }
        if (trouble != null) {
            throw trouble;
        }
    }

    private void sayGoodbye() {
        if (progress.isEmpty()) {
            return;
        }
        SortedSet<TopicPartition> all = assigned();
        boolean in = member.look().standing() == Standing.IN;
        if (in) {
            hooks.revoked(member.generation(), all);
        } else {
            progress.clear();
            hooks.lost(member.generation(), all);
        }
    }
}
