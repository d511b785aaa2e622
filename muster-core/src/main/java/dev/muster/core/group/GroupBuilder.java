package dev.muster.core.group;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicEvent;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ClassicMember;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.model.Change;
import dev.muster.core.group.model.Commit;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.FalseAlarm;
import dev.muster.core.group.model.FalseAlarms;
import dev.muster.core.group.model.FormerMember;
import dev.muster.core.group.model.Forming;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.Origin;
import dev.muster.core.group.model.Ownership;
import dev.muster.core.group.model.PartitionSets;
import dev.muster.core.group.model.PendingRebalance;
import dev.muster.core.group.model.SharedMap;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.TopicShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * A group while events are applied to it, one after the other. Only this class knows the effect of each event. For one
 * thread; used once. An event is applied unchecked, with two exceptions: a second owner of a partition, and a
 * generation that is not new. Either can only be a bug, and continuing would hide it.
 */
public final class GroupBuilder {
    public long generation;
    boolean deleted;
    public long tokens;
    SharedMap<MemberId, Member> members;
    public SharedMap<TopicName, TopicShape> topics;
    SharedMap<TopicPartition, Ownership> owners;
    SharedMap<TopicPartition, Long> revoking;
    SharedMap<TopicPartition, Long> recalled;
    public SharedMap<TopicPartition, Commit> offsets;
    public History history;
    PendingRebalance pending;
    public List<FormerMember> formerMembers;
    public FalseAlarms falseAlarms;
    ClassicGroup classic;
    public Optional<Expectation> expectation;
    Optional<Forming> forming;

    public GroupBuilder(GroupState state) {
        generation = state.generation();
        deleted = state.deleted();
        tokens = state.tokens();
        members = state.members();
        topics = state.topics();
        owners = state.owners();
        revoking = state.revoking();
        recalled = state.recalled();
        offsets = state.offsets();
        history = state.history();
        pending = state.pending();
        formerMembers = state.formerMembers();
        falseAlarms = state.falseAlarms();
        classic = state.classic();
        expectation = state.expectation();
        forming = state.forming();
    }

    GroupState state() {
        return new GroupState(
                generation,
                deleted,
                tokens,
                members,
                topics,
                owners,
                revoking,
                recalled,
                offsets,
                history,
                pending,
                formerMembers,
                falseAlarms,
                classic,
                expectation,
                forming);
    }

    public void apply(Event event, long at) {
        switch (event) {
            case Event.MemberJoined e -> joined(e.member(), at);
            case Event.MemberReturned e -> returned(e.old(), e.now(), at);
            case Event.MemberAway e -> put(member(e.member()).goneAway(++tokens));
            case Event.MemberLeft e -> left(e, at);
            case Event.FalseAlarm e -> falseAlarm(e.member(), at);
            case Event.MemberSubscribed e -> subscribed(e.member(), e.subscription());
            case Event.TopicsChanged e -> topicsChanged(SharedMap.copyOf(e.topics()));
            case Event.Rebalanced e -> rebalanced(e, at);
            case Event.Released e -> released(e.member(), e.partitions(), at);
            case Event.Granted e -> granted(e.member(), e.partitions(), at);
            case Event.Committed e -> committed(Optional.of(e.member()), e.offsets(), at);
            case Event.OffsetsReset e -> committed(Optional.empty(), e.offsets(), at);
            case Event.Rewound e -> rewound(e, at);
            case Event.MembersExpected e -> expected(e.expectation());
            case Event.FormingBegan e -> forming = Optional.of(new Forming(e.expectation(), ++tokens, at));
            case Event.Formed e -> {
                forming = Optional.empty();
                pending = pending.changed(++tokens, "the group", e.predicate());
            }
            case Event.OffsetsForgotten e -> e.partitions().forEach(partition -> offsets = offsets.without(partition));
            case Event.GroupDeleted _ -> end();
            case Event.BecameModern e -> becameModern(e, at);
            case Event.BecameClassic _ -> becameClassic();
            case Event.Classic(var e) -> classicHappened(e, at);
        }
    }

    private void committed(Optional<MemberId> by, SortedMap<TopicPartition, CommittedOffset> those, long at) {
        those.forEach((partition, offset) -> offsets = offsets.with(partition, new Commit(offset, at, by)));
    }

    private void joined(MemberSpec spec, long at) {
        if (members.containsKey(spec.id())) {
            throw impossible(spec.id() + " cannot join: it is a member already");
        }
        put(new Member(spec, at));
        pending = pending.joined(++tokens, spec);
    }

    private void returned(MemberId old, MemberSpec now, long at) {
        Member before = member(old);
        boolean stayed = old.equals(now.id()) && before.away().isEmpty();
        members = members.without(old);
        put(before.returned(now, stayed ? before.joinedAt() : at));
        if (!old.equals(now.id())) {
            formerMembers = FormerMember.add(
                    formerMembers, FormerMember.replaced(old, before.spec().instance(), generation));
            inherit(before.owned(), now.id());
        }
        if (!before.spec().subscription().equals(now.subscription())) {
            pending = pending.changed(++tokens, now.label(), "came back with another subscription");
        }
    }

    private void left(Event.MemberLeft event, long at) {
        MemberId id = event.member();
        LeaveCause cause = event.cause();
        Member member = member(id);
        free(member.owned(), freedAt(member, event.lastSign(), at));
        members = members.without(id);
        // The next member that joins is the first one again.
        forming = members.isEmpty() ? Optional.empty() : forming;
        Optional<Origin> origin =
                Optional.of(member.spec()).filter(MemberSpec::remote).map(MemberSpec::origin);
        formerMembers = FormerMember.add(
                formerMembers, FormerMember.out(id, member.spec().instance(), cause, generation, origin));
        pending = pending.changed(++tokens, member.spec().label(), Change.of(cause));
    }

    /**
     * The time since which the partitions of an expelled member have no owner: its last sign of life, but not before it
     * got them. Only shown to people, because clocks differ.
     */
    private long freedAt(Member member, OptionalLong lastSign, long at) {
        long freed = lastSign.orElse(at);
        for (TopicPartition partition : member.owned()) {
            freed = Math.max(freed, owners.get(partition).at());
        }
        return Math.min(freed, at);
    }

    private void falseAlarm(MemberId id, long at) {
        FormerMember was =
                missing(id).orElseThrow(() -> impossible(id + " cannot be a false alarm: it is not missing"));
        falseAlarms = falseAlarms.with(new FalseAlarm(id, was.missing().orElseThrow(), was.generation(), at));
        formerMembers = FormerMember.withoutMissing(formerMembers, was);
    }

    /**
     * The former membership of a member that was expelled because its connection was lost, and has sent nothing since.
     */
    Optional<FormerMember> missing(MemberId id) {
        return FormerMember.find(formerMembers, id).filter(one -> one.missing().isPresent());
    }

    private void subscribed(MemberId id, Subscription subscription) {
        Member member = member(id).subscribed(subscription);
        put(member);
        pending = pending.changed(++tokens, member.spec().label(), "changed its subscription");
    }

    private void topicsChanged(SharedMap<TopicName, TopicShape> now) {
        SharedMap<TopicName, TopicShape> before = topics;
        topics = now;
        List<TopicChanges.Difference> differences = TopicChanges.differences(before, now);
        Set<TopicName> read = TopicChanges.read(
                members.values(),
                differences.stream().map(TopicChanges.Difference::topic).toList());
        for (TopicChanges.Difference difference : differences) {
            if (read.contains(difference.topic())) {
                pending = pending.changed(++tokens, difference.topic().value(), difference.predicate());
            }
        }
        Predicate<TopicPartition> gone = partition -> TopicChanges.gone(before, now, partition);
        offsets = offsets.filter((partition, commit) -> !gone.test(partition));
        owners = owners.filter((partition, owner) -> !gone.test(partition));
        revoking = revoking.filter((partition, since) -> !gone.test(partition));
        recalled = recalled.filter((partition, since) -> !gone.test(partition));
        history = history.without(gone);
        for (Member member : members.values()) {
            put(
                    member,
                    PartitionSets.filter(member.target(), gone.negate()),
                    PartitionSets.filter(member.owned(), gone.negate()));
        }
    }

    private void rebalanced(Event.Rebalanced event, long at) {
        SortedMap<TopicPartition, MemberId> before = targets();
        next(event.generation());
        SharedMap<TopicPartition, Long> revokingNow = SharedMap.empty();
        for (Member member : members.values()) {
            SortedSet<TopicPartition> target = PartitionSets.copyOf(
                    event.targets().getOrDefault(member.spec().id(), PartitionSets.NONE));
            for (TopicPartition partition : member.owned()) {
                if (!target.contains(partition) || recalled.containsKey(partition)) {
                    revokingNow = revokingNow.with(partition, revoking.getOrDefault(partition, event.generation()));
                }
            }
            members = members.with(
                    member.spec().id(), member.with(target, member.owned(), member.recalled(), member.revokingSince()));
        }
        revoking = revokingNow;
        for (Member member : members.values()) {
            put(member, member.target(), member.owned());
        }
        history = history.rebalanced(event, at, before, targets(), owners, recalled);
        pending = PendingRebalance.none();
    }

    private void rewound(Event.Rewound event, long at) {
        next(event.generation());
        committed(Optional.empty(), event.offsets(), at);
        var owned = Rewind.recalled(this, new TreeSet<>(event.offsets().keySet()));
        Set<MemberId> owning = new TreeSet<>();
        for (TopicPartition partition : owned.keySet()) {
            recalled = recalled.with(partition, event.generation());
            revoking = revoking.with(partition, revoking.getOrDefault(partition, event.generation()));
            owning.add(owners.get(partition).member());
        }
        for (MemberId id : owning) {
            put(member(id), member(id).target(), member(id).owned());
        }
        history = history.rewound(event, at, owned, owners);
    }

    private void expected(Optional<Expectation> now) {
        expectation = now;
        if (forming.isPresent() && now.isPresent()) {
            forming = Optional.of(new Forming(now.get(), ++tokens, forming.get().since()));
        }
    }

    private void released(MemberId id, SortedSet<TopicPartition> partitions, long at) {
        Member member = member(id);
        for (TopicPartition partition : partitions) {
            if (!member.owned().contains(partition)) {
                throw impossible(id + " cannot release " + partition + ": it does not own it");
            }
        }
        free(partitions, at);
        put(member, member.target(), PartitionSets.minus(member.owned(), partitions));
    }

    private void granted(MemberId id, SortedSet<TopicPartition> partitions, long at) {
        Member member = member(id);
        for (TopicPartition partition : partitions) {
            Ownership owner = owners.get(partition);
            if (owner != null) {
                throw impossible(partition + " cannot be granted to " + id + ": " + owner.member() + " owns it");
            }
            owners = owners.with(partition, new Ownership(id, generation, at));
        }
        put(member, member.target(), PartitionSets.plus(member.owned(), partitions));
        history = history.granted(partitions, at);
    }

    private void end() {
        deleted = true;
        topics = SharedMap.empty();
        offsets = SharedMap.empty();
        classic = classic.deleted();
        history = new History(history.generations(), SharedMap.empty(), SharedMap.empty());
        pending = PendingRebalance.none();
        expectation = Optional.empty();
    }

    // Changes between the two sets of rules

    /** Each member owns what it may have in hand, and keeps it until the next generation says otherwise. */
    private void becameModern(Event.BecameModern event, long at) {
        SharedMap<TopicPartition, Ownership> before = owners;
        owners = SharedMap.empty();
        for (ClassicMember one : classic.members().values()) {
            MemberId id = one.spec().id();
            SortedSet<TopicPartition> owned =
                    PartitionSets.copyOf(event.inHand().getOrDefault(id, PartitionSets.NONE));
            for (TopicPartition partition : owned) {
                Ownership known = before.get(partition);
                boolean stays = known != null && known.member().equals(id);
                owners = owners.with(partition, stays ? known : new Ownership(id, generation, at));
            }
            put(Conversion.modern(one, owned));
        }
        history = history.freed(PartitionSets.filter(before.keySet(), partition -> !owners.containsKey(partition)), at)
                .granted(PartitionSets.filter(owners.keySet(), partition -> !before.containsKey(partition)), at);
        revoking = SharedMap.empty();
        classic = classic.becameModern();
        pending = pending.changed(++tokens, "the group", "became modern");
    }

    private void becameClassic() {
        List<Change> why = Change.add(pending.changes(), "the group", "became classic");
        classic = classic.becameClassic(Conversion.classic(members.values()), why, ++tokens);
        members = SharedMap.empty();
        revoking = SharedMap.empty();
        // Classic members form their group and take up partitions by themselves, so the group neither waits for members
        // nor recalls anything.
        recalled = SharedMap.empty();
        forming = Optional.empty();
        pending = PendingRebalance.none();
    }

    // Events of the classic rules

    /**
     * Applies an event of the classic rules: here its effect on what both sets of rules share, then, in
     * {@link ClassicGroup}, its effect on the classic part.
     */
    private void classicHappened(ClassicEvent event, long at) {
        switch (event) {
            case ClassicEvent.Left e -> {
                classicLeft(e.member(), e.cause());
                free(classicOwned(e.member()), at);
            }
            case ClassicEvent.Replaced e -> {
                formerMembers = FormerMember.add(
                        formerMembers, FormerMember.replaced(e.old(), classicInstance(e.old()), generation));
                inherit(classicOwned(e.old()), e.now().id());
            }
            case ClassicEvent.GenerationFormed e -> {
                next(e.generation());
                String reason = e.leader()
                        .map(id -> "the leader " + classicName(id) + " assigns")
                        .orElse("the group has no members");
                history = history.formed(
                        e.generation(), at, e.cause(), e.protocol().orElse("none"), reason);
            }
            case ClassicEvent.Assigned e -> classicAssigned(e, at);
            case ClassicEvent.Committed e -> committed(e.member(), e.offsets(), at);
            case ClassicEvent.IdGiven _,
                    ClassicEvent.IdDropped _,
                    ClassicEvent.Joined _,
                    ClassicEvent.Rejoined _,
                    ClassicEvent.RebalanceBegan _,
                    ClassicEvent.RebalanceExtended _,
                    ClassicEvent.Synced _,
                    ClassicEvent.Away _,
                    ClassicEvent.Adopted _ -> {}
        }
        classic = classic.apply(event, ++tokens, at);
    }

    private String classicName(MemberId id) {
        return classic.member(id).map(member -> member.spec().label()).orElse(id.value());
    }

    private void classicLeft(MemberId id, LeaveCause cause) {
        Optional<Origin> origin = classic.member(id).map(member -> member.spec().origin());
        formerMembers =
                FormerMember.add(formerMembers, FormerMember.out(id, classicInstance(id), cause, generation, origin));
    }

    private Optional<String> classicInstance(MemberId id) {
        return classic.member(id).flatMap(member -> member.spec().instance());
    }

    private SortedSet<TopicPartition> classicOwned(MemberId id) {
        return PartitionSets.filter(
                owners.keySet(), partition -> owners.get(partition).member().equals(id));
    }

    /**
     * Records the owners after the leader assigned, for people to see. The members themselves decide what they read;
     * the owners are known only if the assignment could be read. If the leader gives a partition to two members by
     * mistake, the last one is recorded.
     */
    private void classicAssigned(ClassicEvent.Assigned event, long at) {
        SortedMap<TopicPartition, MemberId> after = new TreeMap<>();
        event.partitions().forEach((id, partitions) -> partitions.forEach(partition -> after.put(partition, id)));
        SharedMap<TopicPartition, Ownership> now = SharedMap.empty();
        for (var target : after.entrySet()) {
            Ownership owner = owners.get(target.getKey());
            boolean stays = owner != null && owner.member().equals(target.getValue());
            now = now.with(target.getKey(), stays ? owner : new Ownership(target.getValue(), generation, at));
        }
        history = history.assigned(event.generation(), at, after, owners);
        owners = now;
    }

    // Helpers

    private void next(long number) {
        if (number <= generation) {
            throw impossible("generation " + number + " cannot come after generation " + generation);
        }
        generation = number;
    }

    private void inherit(SortedSet<TopicPartition> partitions, MemberId heir) {
        for (TopicPartition partition : partitions) {
            Ownership owner = owners.get(partition);
            owners = owners.with(partition, new Ownership(heir, owner.since(), owner.at()));
        }
    }

    private void free(SortedSet<TopicPartition> partitions, long at) {
        for (TopicPartition partition : partitions) {
            owners = owners.without(partition);
            revoking = revoking.without(partition);
            recalled = recalled.without(partition);
        }
        history = history.freed(partitions, at);
    }

    private Member member(MemberId id) {
        Member member = members.get(id);
        if (member == null) {
            throw impossible("an event names member " + id + ", which is not in the group");
        }
        return member;
    }

    private static IllegalStateException impossible(String what) {
        return new IllegalStateException(what);
    }

    private void put(Member member) {
        members = members.with(member.spec().id(), member);
    }

    private void put(Member member, SortedSet<TopicPartition> target, SortedSet<TopicPartition> owned) {
        put(member.with(target, owned, revoking, recalled));
    }

    /** The member that should own each partition. */
    SortedMap<TopicPartition, MemberId> targets() {
        SortedMap<TopicPartition, MemberId> targets = new TreeMap<>();
        for (Member member : members.values()) {
            for (TopicPartition partition : member.target()) {
                targets.put(partition, member.spec().id());
            }
        }
        return targets;
    }

    public Group group() {
        return new Group(state());
    }

    /** One grant for each member whose target has partitions without an owner. */
    List<Event.Granted> grants() {
        List<Event.Granted> grants = new ArrayList<>();
        for (Member member : members.values()) {
            SortedSet<TopicPartition> free =
                    PartitionSets.filter(member.target(), partition -> !owners.containsKey(partition));
            if (!free.isEmpty()) {
                grants.add(new Event.Granted(member.spec().id(), free));
            }
        }
        return grants;
    }
}
