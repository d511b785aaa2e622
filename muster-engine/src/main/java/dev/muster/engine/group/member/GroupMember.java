package dev.muster.engine.group.member;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.Ownership;
import dev.muster.core.group.model.TopicShape;
import dev.muster.engine.group.member.Reconciliation.Standing;
import dev.muster.engine.group.replica.GroupReplica;
import dev.muster.engine.group.replica.VersionedGroup;
import dev.muster.engine.group.service.GroupService;
import dev.muster.engine.group.service.GroupWatch;
import dev.muster.engine.group.service.LeaseKeeper;
import dev.muster.engine.group.service.LocalMember;
import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.group.GroupDeletedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * One consumer's membership of a group: it joins, takes and releases partitions, commits and leaves. For one thread at
 * a time, except where a method says otherwise.
 *
 * <p>Ownership is a lease. Records may be handed out only while {@link #mayHandOut} is true, which has two conditions.
 * No journal line changed what this member owns. And the last sign of life of this process began less than session
 * minus heartbeat ago, by its own clock. Other processes expel the member only after a whole session without a sign, by
 * their clocks. The check must come right before records are handed out, and costs two reads of memory.
 */
public final class GroupMember implements LocalMember {
    private final GroupService service;
    private final MemberOptions options;
    private final Runnable nudge;

    private volatile GroupWatch watch;
    private volatile MemberId id;
    private volatile LongSupplier idleSince = () -> NOT_IDLE;
    private volatile boolean lostByStore;
    private volatile Member nudgedFor;

    /** The partitions that this member treats as its own. In the group's state it may own more, or already fewer. */
    private final SortedMap<TopicPartition, Holding> held = new TreeMap<>();

    private long generation;
    /** This member in the state that it acted on last. */
    private Member known;
    /** The newest state that was found to have no news. */
    private VersionedGroup checked;

    /**
     * Creates a member that has not joined yet.
     *
     * @param nudge callback that makes the member check its group again
     */
    public GroupMember(GroupService service, MemberOptions options, Runnable nudge) {
        this.service = service;
        this.options = options;
        this.nudge = nudge;
    }

    public MemberOptions options() {
        return options;
    }

    @Override
    public MemberId id() {
        return id;
    }

    /** The generation that this member acts on. */
    public long generation() {
        return generation;
    }

    /** The partitions that this member took and did not release. */
    public SortedSet<TopicPartition> held() {
        return new TreeSet<>(held.keySet());
    }

    /** The generation in which a held partition was assigned to this member. */
    public long heldSince(TopicPartition partition) {
        return held.get(partition).since();
    }

    /** The newest state of the group, with or without this member. */
    public Group group() {
        GroupWatch joined = watch;
        GroupReplica there = joined == null ? service.open(options.group()) : joined.replica();
        return there.newest().group();
    }

    private GroupReplica replica() {
        return watch.replica();
    }

    // Joining and leaving

    /** Joins under a new id. After any reply but {@link Reply.Joined} the member is out, or leaves soon. */
    public Reply join() {
        GroupWatch joining = service.watch(options.group());
        Reply reply = join(joining);
        if (reply instanceof Reply.InstanceInUse refusal && buryHolder(joining.replica(), refusal.instance())) {
            reply = join(joining);
        }
        if (reply instanceof Reply.ClassicMembers) {
            // If the server of these members is gone, their sessions must begin to run: another server may never start.
            service.buryDead(joining.replica());
        }
        if (reply instanceof Reply.GroupDeleted) {
            // Also if another process recorded the deletion and died before it removed the files.
            service.delete(joining.replica());
            reply = join(service.watch(options.group()));
        }
        return reply;
    }

    private Reply join(GroupWatch joining) {
        MemberId fresh = new MemberId(options.client() + "-" + service.runtime().freshName());
        // Set before the entry is written: a membership of this process that no member here knows counts as abandoned.
        watch = joining;
        id = fresh;
        lostByStore = false;
        nudgedFor = null;
        Reply reply = null;
        try {
            joining.add(this);
            service.beat();
            reply = joining.replica()
                    .propose(group -> new Command.Join(
                            spec(fresh), service.topics().of(options.subscription(), group), options.expects()));
            return reply;
        } catch (GroupDeletedException e) {
            reply = new Reply.GroupDeleted(e.getMessage());
            return reply;
        } finally {
            if (reply == null) {
                joining.mayStillHave(fresh);
            }
            if (!(reply instanceof Reply.Joined)) {
                outOf(joining);
            }
        }
    }

    private MemberSpec spec(MemberId fresh) {
        return new MemberSpec(
                fresh,
                options.instance(),
                options.client(),
                service.self(),
                Optional.empty(),
                options.subscription(),
                options.timing(),
                options.assignor());
    }

    /** Writes an unnoticed death of the process with the instance id: a static member may restart fast. */
    private boolean buryHolder(GroupReplica replica, String instance) {
        for (Member member : replica.newest().group().members().values()) {
            HostId host = member.spec().host();
            if (member.spec().instance().filter(instance::equals).isPresent() && service.isGone(host)) {
                replica.propose(new Command.HostDied(host, service.lastSign(host)));
                return true;
            }
        }
        return false;
    }

    private void outOf(GroupWatch left) {
        id = null;
        known = null;
        checked = null;
        held.clear();
        left.remove(this);
    }

    /**
     * Commits and leaves in one entry. A static member keeps its place for its session.
     *
     * @param processed the offsets to commit
     */
    public void leave(SortedMap<TopicPartition, CommittedOffset> processed) {
        MemberId leaving = id;
        if (leaving == null) {
            return;
        }
        GroupWatch left = watch;
        List<Command> commands = new ArrayList<>();
        processed.keySet().removeAll(recalled());
        if (!processed.isEmpty()) {
            commands.add(new Command.Commit(leaving, generation, processed));
        }
        commands.add(
                new Command.Leave(leaving, LeaveCause.LEFT, options.instance().isPresent()));
        try {
            left.replica().propose(commands, true);
        } catch (GroupDeletedException e) {
            // A deleted group has no members.
        } catch (RuntimeException | Error e) {
            left.mayStillHave(leaving);
            throw e;
        } finally {
            outOf(left);
        }
    }

    // Changes of the assignment

    /** True if {@link #look} would return changes. Cheap. */
    public boolean hasNews() {
        if (id == null || lostByStore) {
            return true;
        }
        VersionedGroup now;
        try {
            now = replica().newest();
        } catch (GroupDeletedException e) {
            return true;
        }
        if (now != checked) {
            Member me = now.group().members().get(id);
            if (me == null || me != known) {
                return true;
            }
            checked = now;
        }
        if (generation != now.group().generation() && replica().isGenerationDurable(now)) {
            generation = now.group().generation();
        }
        return false;
    }

    /**
     * The changes that this member must apply now. Returns the same changes again until {@link #worked} is called. Must
     * not be called before {@link #join}.
     */
    public Reconciliation look() {
        try {
            VersionedGroup now = replica().newest();
            Member me = id == null || lostByStore ? null : now.group().members().get(id);
            return me == null || me.away().isPresent() ? out(now) : in(now, me);
        } catch (GroupDeletedException e) {
            return out(null);
        }
    }

    private Reconciliation out(VersionedGroup now) {
        boolean fenced = now != null
                && id != null
                && options.instance().isPresent()
                && now.group().members().values().stream().anyMatch(this::tookOurPlace);
        return new Reconciliation(
                fenced ? Standing.FENCED : Standing.OUT, now, null, held(), new TreeSet<>(), new TreeSet<>());
    }

    private boolean tookOurPlace(Member other) {
        return other.spec().instance().equals(options.instance())
                && !other.spec().id().equals(id);
    }

    private Reconciliation in(VersionedGroup now, Member me) {
        SortedSet<TopicPartition> lost = new TreeSet<>();
        held.forEach((partition, holding) -> {
            if (!me.owned().contains(partition) || !holding.equals(Holding.of(now.group(), partition))) {
                lost.add(partition);
            }
        });
        SortedSet<TopicPartition> release = new TreeSet<>(me.toRelease());
        SortedSet<TopicPartition> take = new TreeSet<>();
        for (TopicPartition partition : me.owned()) {
            if (!release.contains(partition) && (!held.containsKey(partition) || lost.contains(partition))) {
                take.add(partition);
            }
        }
        return new Reconciliation(Standing.IN, now, me, lost, release, take);
    }

    /** Removes lost partitions from the held ones. Writes nothing to the group. */
    public void gone(Collection<TopicPartition> partitions) {
        held.keySet().removeAll(partitions);
    }

    /** Waits until the generation is durable, so that its number cannot be used for another assignment. */
    public void awaitGeneration(Reconciliation next) {
        replica().awaitGeneration(next.seen());
        generation = next.seen().group().generation();
    }

    /** True if this member owns the granted partitions at this moment; see {@link #mayHandOut} for the conditions. */
    public boolean mayTake(Reconciliation next) {
        LeaseKeeper.Beat beat = service.leases().last();
        try {
            Group now = replica().newest().group();
            Member me = now.members().get(id);
            return me != null
                    && next.take().stream().allMatch(partition -> isStillMeantForUs(partition, me, now, next))
                    && covers(beat);
        } catch (GroupDeletedException e) {
            return false;
        }
    }

    private static boolean isStillMeantForUs(TopicPartition partition, Member me, Group now, Reconciliation next) {
        return me.owned().contains(partition)
                && !me.toRelease().contains(partition)
                && Objects.equals(
                        Holding.of(now, partition), Holding.of(next.seen().group(), partition));
    }

    /** Adds partitions that the member now reads. */
    public void took(Reconciliation next, Collection<TopicPartition> partitions) {
        for (TopicPartition partition : partitions) {
            held.put(partition, Holding.of(next.seen().group(), partition));
        }
    }

    /** Notes that the reconciliation is applied, or surely will be. */
    public void worked(Reconciliation next) {
        if (next.standing() == Standing.IN) {
            known = next.me();
            checked = null;
        } else if (id != null) {
            outOf(watch);
        }
    }

    /** Notes that the reconciliation was not applied completely: the next {@link #look} returns it again. */
    public void lookAgain() {
        known = null;
        checked = null;
    }

    /** Releases partitions, taken or not, and commits their processed offsets. Does not wait for a sync. */
    public void release(Collection<TopicPartition> partitions, SortedMap<TopicPartition, CommittedOffset> processed) {
        List<Command> commands = new ArrayList<>();
        processed.keySet().removeAll(recalled());
        if (!processed.isEmpty()) {
            commands.add(new Command.Commit(id, generation, processed));
        }
        commands.add(new Command.Release(id, new TreeSet<>(partitions)));
        held.keySet().removeAll(partitions);
        // A partition that is assigned to this member again stays its own, and is taken again.
        known = null;
        replica().propose(commands, false);
    }

    /** The known partitions to release because their offsets were set by hand. Their commits are refused. */
    SortedSet<TopicPartition> recalled() {
        VersionedGroup seen = id == null ? null : replica().known();
        Member me = seen == null ? null : seen.group().members().get(id);
        return me == null ? Collections.emptySortedSet() : me.recalled();
    }

    // Processing

    /** True if fetched records may be handed out at this moment. */
    public boolean mayHandOut() {
        LeaseKeeper.Beat beat = service.leases().last();
        return !hasNews() && covers(beat);
    }

    /** True if the last sign of life of this process is recent enough. From any thread. */
    public boolean holdsLease() {
        return covers(service.leases().last());
    }

    private boolean covers(LeaseKeeper.Beat beat) {
        return service.leases().isWithin(beat, options.leaseNanos());
    }

    /**
     * True if a record of a partition may still be processed. From any thread.
     *
     * @param since the result of {@link #heldSince} when the record was fetched
     */
    public boolean mayWork(TopicPartition partition, long since) {
        MemberId me = id;
        LeaseKeeper.Beat beat = service.leases().last();
        if (me == null || lostByStore || !covers(beat)) {
            return false;
        }
        try {
            Ownership owner = replica().newest().group().owners().get(partition);
            return owner != null && owner.member().equals(me) && owner.since() == since && covers(beat);
        } catch (GroupDeletedException e) {
            return false;
        }
    }

    /** Commits all of these offsets or none. Returns when the commit is durable. */
    public Reply commit(SortedMap<TopicPartition, CommittedOffset> offsets) {
        return id == null ? notIn() : replica().propose(new Command.Commit(id, generation, offsets));
    }

    /** As {@link #commit}, without waiting. */
    public CompletableFuture<Reply> commitAsync(SortedMap<TopicPartition, CommittedOffset> offsets) {
        return id == null
                ? CompletableFuture.completedFuture(notIn())
                : replica().submit(new Command.Commit(id, generation, offsets));
    }

    private Reply notIn() {
        return new Reply.UnknownMember(
                new MemberId(options.client()), "this consumer is not in group \"" + options.group() + "\" now; poll");
    }

    // For the service

    @Override
    public Duration heartbeat() {
        return options.heartbeat();
    }

    @Override
    public long leaseNanos() {
        return options.leaseNanos();
    }

    @Override
    public Duration maxPollInterval() {
        return options.maxPollInterval();
    }

    /**
     * Sets the supplier of the time since which this member has records in hand without polling, by
     * {@link GroupRuntime#nanoTime}. It returns {@link #NOT_IDLE} without such records. Called on the service's thread.
     */
    public void idleSince(LongSupplier since) {
        idleSince = since;
    }

    @Override
    public long idleSince() {
        return idleSince.getAsLong();
    }

    @Override
    public void stateMoved(Group group) {
        MemberId me = id;
        Member now = me == null ? null : group.members().get(me);
        if (now != nudgedFor) {
            nudgedFor = now;
            nudge();
        }
    }

    @Override
    public void nudge() {
        nudge.run();
    }

    @Override
    public void lostByStore() {
        lostByStore = true;
        nudge();
    }

    /** Reports an assigned partition that does not exist: the service compares the topics again. */
    public void topicsMoved() {
        GroupWatch there = watch;
        if (there != null) {
            there.lookAtTopicsAgain();
        }
    }

    /** The present topics and partitions of this member's subscription. */
    public SortedMap<TopicName, TopicShape> topicsNow() {
        return service.topics().of(options.subscription());
    }
}
