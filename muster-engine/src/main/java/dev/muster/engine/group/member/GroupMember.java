package dev.muster.engine.group.member;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.MemberId;
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
 * One consumer's membership of a group: joins, looks, takes, lets go, commits, leaves. For one thread at a time, but
 * for what says otherwise.
 *
 * <p>Ownership is a lease. Records may be handed out only while {@link #mayHandOut}: nothing was written to the journal
 * that changes what this member owns, and the last sign of life of this process began less than session minus heartbeat
 * ago, by our own clock. Others expel us only after a whole session without one, by theirs. What is asked for must be
 * asked right before records are handed out, and costs two looks at memory.
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

    /** What this member takes for its own; in the state it may be more, or already less. */
    private final SortedMap<TopicPartition, Holding> held = new TreeMap<>();

    private long generation;
    /** What this member was in the state that it acted on last. */
    private Member known;
    /** The newest state in which nothing was new. */
    private VersionedGroup checked;

    /**
     * A member to be; nothing is joined yet.
     *
     * @param nudge called when the member should look at its group again
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

    /** What this member has taken and not let go of. */
    public SortedSet<TopicPartition> held() {
        return new TreeSet<>(held.keySet());
    }

    /** In which generation a partition that is held was given to us. */
    public long heldSince(TopicPartition partition) {
        return held.get(partition).since();
    }

    /** The newest state of the group, whether this member is in it or not. */
    public Group group() {
        GroupWatch joined = watch;
        GroupReplica there = joined == null ? service.open(options.group()) : joined.replica();
        return there.newest().group();
    }

    private GroupReplica replica() {
        return watch.replica();
    }

    // Coming and going

    /** Joins, under a new id. On anything but {@link Reply.Joined} it is in no group, or soon out of it. */
    public Reply join() {
        GroupWatch joining = service.watch(options.group());
        Reply reply = join(joining);
        if (reply instanceof Reply.InstanceInUse refusal && buryHolder(joining.replica(), refusal.instance())) {
            reply = join(joining);
        }
        if (reply instanceof Reply.ClassicMembers) {
            // Should their server be gone, their time begins to run: it may be that no other server ever comes.
            service.buryDead(joining.replica());
        }
        if (reply instanceof Reply.GroupDeleted) {
            // Also if the process that wrote the end died before it removed the group.
            service.delete(joining.replica());
            reply = join(service.watch(options.group()));
        }
        return reply;
    }

    private Reply join(GroupWatch joining) {
        MemberId fresh = new MemberId(options.client() + "-" + service.runtime().freshName());
        // Before the entry is written: a membership of this process that no member here knows counts as abandoned.
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

    /** A static member that died and came back at once may be faster than the news of its death. */
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
     * Commits and leaves, at once; a static member keeps its place for its session.
     *
     * @param processed what may still be committed
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
            // Then it has no members.
        } catch (RuntimeException | Error e) {
            left.mayStillHave(leaving);
            throw e;
        } finally {
            outOf(left);
        }
    }

    // Looking

    /** True if {@link #look} would tell anything new. Cheap. */
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
     * What the group means for this member now. Work it, then call {@link #worked}; until then it is told again. Must
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

    /** These are gone, and nothing has to be said about it. */
    public void gone(Collection<TopicPartition> partitions) {
        held.keySet().removeAll(partitions);
    }

    /** Returns when what this reconciliation grants may be acted on: its generation can not come again. */
    public void awaitGeneration(Reconciliation next) {
        replica().awaitGeneration(next.seen());
        generation = next.seen().group().generation();
    }

    /** True if what this reconciliation grants is ours at this moment, as {@link #mayHandOut} says it of records. */
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

    /** These are worked from now on. */
    public void took(Reconciliation next, Collection<TopicPartition> partitions) {
        for (TopicPartition partition : partitions) {
            held.put(partition, Holding.of(next.seen().group(), partition));
        }
    }

    /** Everything that the reconciliation asked for is done, or will be. */
    public void worked(Reconciliation next) {
        if (next.standing() == Standing.IN) {
            known = next.me();
            checked = null;
        } else if (id != null) {
            outOf(watch);
        }
    }

    /** Not everything was done after all: it is told again. */
    public void lookAgain() {
        known = null;
        checked = null;
    }

    /**
     * Lets go of partitions, whether they were taken or not. Their processed offsets are written down before, but no
     * thread waits until that is durable.
     */
    public void release(Collection<TopicPartition> partitions, SortedMap<TopicPartition, CommittedOffset> processed) {
        List<Command> commands = new ArrayList<>();
        processed.keySet().removeAll(recalled());
        if (!processed.isEmpty()) {
            commands.add(new Command.Commit(id, generation, processed));
        }
        commands.add(new Command.Release(id, new TreeSet<>(partitions)));
        held.keySet().removeAll(partitions);
        // One that is meant for us again by now stays ours, and is taken anew.
        known = null;
        replica().propose(commands, false);
    }

    /**
     * What this member has to let go of and whose commits do not count, because its offset was set by hand; as far as
     * is known here.
     */
    SortedSet<TopicPartition> recalled() {
        VersionedGroup seen = id == null ? null : replica().known();
        Member me = seen == null ? null : seen.group().members().get(id);
        return me == null ? Collections.emptySortedSet() : me.recalled();
    }

    // Working

    /** True if records that were fetched may be handed out at this moment. */
    public boolean mayHandOut() {
        LeaseKeeper.Beat beat = service.leases().last();
        return !hasNews() && covers(beat);
    }

    /** True if our last sign of life is recent enough. From any thread. */
    public boolean holdsLease() {
        return covers(service.leases().last());
    }

    private boolean covers(LeaseKeeper.Beat beat) {
        return service.leases().isWithin(beat, options.leaseNanos());
    }

    /**
     * True if a record of a partition may still be worked. From any thread.
     *
     * @param since of {@link #heldSince} when the record was fetched
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

    /** Commits: whole or not at all. Returns when it is durable. */
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

    // What the service sees

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
     * Sets how the service learns since when this member has records in hand and is not back, by
     * {@link GroupRuntime#nanoTime}; {@link #NOT_IDLE} when it has none. Asked on the service's thread.
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

    /** The topics are not what the group believes: a partition that it gave us is not there. */
    public void topicsMoved() {
        GroupWatch there = watch;
        if (there != null) {
            there.lookAtTopicsAgain();
        }
    }

    /** The partitions there were of the topics it subscribes to, when this is called. */
    public SortedMap<TopicName, TopicShape> topicsNow() {
        return service.topics().of(options.subscription());
    }
}
