package dev.muster.core.group;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * A group while events are applied to it, one after the other: here, and only here, is what each event does. Used by
 * one thread and thrown away. What an event says is believed, but not two owners of a partition, nor a generation that
 * comes again: that can only be our own mistake, and going on would hide it.
 */
final class Draft {
    long generation;
    boolean deleted;
    long tokens;
    SharedMap<MemberId, Member> members;
    SharedMap<TopicName, TopicShape> topics;
    SharedMap<TopicPartition, Ownership> owners;
    SharedMap<TopicPartition, Long> revoking;
    SharedMap<TopicPartition, Commit> offsets;
    History history;
    Pending pending;
    List<Departed> departed;

    void apply(Event event, long at) {
        switch (event) {
            case Event.MemberJoined e -> joined(e.member(), at);
            case Event.MemberReturned e -> returned(e.old(), e.now(), at);
            case Event.MemberAway e -> put(member(e.member()).goneAway(++tokens));
            case Event.MemberLeft e -> left(e.member(), e.cause(), at);
            case Event.MemberSubscribed e -> subscribed(e.member(), e.subscription());
            case Event.TopicsChanged e -> topicsChanged(SharedMap.copyOf(e.topics()));
            case Event.Rebalanced e -> rebalanced(e, at);
            case Event.Released e -> released(e.member(), e.partitions(), at);
            case Event.Granted e -> granted(e.member(), e.partitions(), at);
            case Event.Committed e -> {
                var by = Optional.of(e.member());
                e.offsets()
                        .forEach((partition, offset) -> offsets = offsets.with(partition, new Commit(offset, at, by)));
            }
            case Event.OffsetsReset e ->
                e.offsets()
                        .forEach((partition, offset) ->
                                offsets = offsets.with(partition, new Commit(offset, at, Optional.empty())));
            case Event.OffsetsForgotten e -> e.partitions().forEach(partition -> offsets = offsets.without(partition));
            case Event.GroupDeleted _ -> end();
        }
    }

    private void joined(MemberSpec spec, long at) {
        if (members.containsKey(spec.id())) {
            throw impossible(spec.id() + " cannot join: it is there");
        }
        put(new Member(spec, at));
        pending = pending.joined(++tokens, spec.host(), spec.label());
    }

    private void returned(MemberId old, MemberSpec now, long at) {
        Member before = member(old);
        members = members.without(old);
        put(before.back(now, at));
        if (!old.equals(now.id())) {
            departed =
                    Departed.add(departed, new Departed(old, before.spec().instance(), Optional.empty(), generation));
            for (TopicPartition partition : before.owned()) {
                Ownership owner = owners.get(partition);
                owners = owners.with(partition, new Ownership(now.id(), owner.since(), owner.at()));
            }
        }
        if (!before.spec().subscription().equals(now.subscription())) {
            pending = pending.changed(++tokens, now.label(), "came back with another subscription");
        }
    }

    private void left(MemberId id, LeaveCause cause, long at) {
        Member member = member(id);
        free(member.owned(), at);
        members = members.without(id);
        departed = Departed.add(departed, new Departed(id, member.spec().instance(), Optional.of(cause), generation));
        pending = pending.changed(++tokens, member.spec().label(), Change.of(cause));
    }

    private void subscribed(MemberId id, Subscription subscription) {
        Member member = member(id).subscribed(subscription);
        put(member);
        pending = pending.changed(++tokens, member.spec().label(), "changed its subscription");
    }

    private void topicsChanged(SharedMap<TopicName, TopicShape> now) {
        SharedMap<TopicName, TopicShape> before = topics;
        topics = now;
        List<Topics.Difference> differences = Topics.differences(before, now);
        Set<TopicName> read = Topics.read(
                members.values(),
                differences.stream().map(Topics.Difference::topic).toList());
        for (Topics.Difference difference : differences) {
            if (read.contains(difference.topic())) {
                pending = pending.changed(++tokens, difference.topic().value(), difference.what());
            }
        }
        Predicate<TopicPartition> gone = partition -> Topics.gone(before, now, partition);
        offsets = offsets.filter((partition, commit) -> !gone.test(partition));
        owners = owners.filter((partition, owner) -> !gone.test(partition));
        revoking = revoking.filter((partition, since) -> !gone.test(partition));
        history = history.without(gone);
        for (Member member : members.values()) {
            put(
                    member,
                    PartitionSets.filter(member.target(), gone.negate()),
                    PartitionSets.filter(member.owned(), gone.negate()));
        }
    }

    private void rebalanced(Event.Rebalanced event, long at) {
        if (event.generation() <= generation) {
            throw impossible("generation " + event.generation() + " cannot come after generation " + generation);
        }
        SortedMap<TopicPartition, MemberId> before = targets();
        generation = event.generation();
        SharedMap<TopicPartition, Long> revokingNow = SharedMap.empty();
        for (Member member : members.values()) {
            SortedSet<TopicPartition> target = PartitionSets.copyOf(
                    event.targets().getOrDefault(member.spec().id(), PartitionSets.NONE));
            for (TopicPartition partition : member.owned()) {
                if (!target.contains(partition)) {
                    revokingNow = revokingNow.with(partition, revoking.getOrDefault(partition, event.generation()));
                }
            }
            members = members.with(member.spec().id(), member.with(target, member.owned(), member.revokingSince()));
        }
        revoking = revokingNow;
        for (Member member : members.values()) {
            put(member, member.target(), member.owned());
        }
        history = history.rebalanced(event, at, before, targets(), owners);
        pending = Pending.none();
    }

    private void released(MemberId id, SortedSet<TopicPartition> partitions, long at) {
        Member member = member(id);
        for (TopicPartition partition : partitions) {
            if (!member.owned().contains(partition)) {
                throw impossible(id + " cannot let go of " + partition + ": it does not own it");
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
                throw impossible(partition + " cannot be given to " + id + ": " + owner.member() + " owns it");
            }
            owners = owners.with(partition, new Ownership(id, generation, at));
        }
        put(member, member.target(), PartitionSets.plus(member.owned(), partitions));
        history = history.taken(partitions, at);
    }

    private void end() {
        deleted = true;
        topics = SharedMap.empty();
        offsets = SharedMap.empty();
        history = new History(history.generations(), SharedMap.empty(), SharedMap.empty());
        pending = Pending.none();
    }

    // Pieces

    private void free(SortedSet<TopicPartition> partitions, long at) {
        for (TopicPartition partition : partitions) {
            owners = owners.without(partition);
            revoking = revoking.without(partition);
        }
        history = history.freed(partitions, at);
    }

    private Member member(MemberId id) {
        Member member = members.get(id);
        if (member == null) {
            throw impossible("an event tells of member " + id + ", who is not there");
        }
        return member;
    }

    private static IllegalStateException impossible(String what) {
        return new IllegalStateException(what);
    }

    private void put(Member member) {
        members = members.with(member.spec().id(), member);
    }

    void put(Member member, SortedSet<TopicPartition> target, SortedSet<TopicPartition> owned) {
        OptionalLong since = OptionalLong.empty();
        for (TopicPartition partition : owned) {
            Long wanted = revoking.get(partition);
            if (wanted != null && (since.isEmpty() || wanted < since.getAsLong())) {
                since = OptionalLong.of(wanted);
            }
        }
        put(member.with(target, owned, since));
    }

    /** Who should own what. */
    SortedMap<TopicPartition, MemberId> targets() {
        SortedMap<TopicPartition, MemberId> targets = new TreeMap<>();
        for (Member member : members.values()) {
            for (TopicPartition partition : member.target()) {
                targets.put(partition, member.spec().id());
            }
        }
        return targets;
    }

    Group group() {
        return new Group(this);
    }

    /** Everything that is free and should be somebody's. */
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
