package dev.muster.core.group;

import dev.muster.core.Counts;
import dev.muster.core.Durations;
import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.assign.Assignor;
import dev.muster.core.assign.Assignors;
import dev.muster.core.assign.StickyAssignor;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.model.Change;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.Generation;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.PartitionSets;
import dev.muster.core.group.model.SharedMap;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/** Makes the next generation from a state: chooses the assignor and asks it for the targets. */
final class Rebalance {
    static final String MORE_ARE_COMING = "more members are coming, so nobody has anything yet";

    private Rebalance() {}

    /** The assignor that most members ask for. If several have the same number of votes, the first by name. */
    static String assignor(Collection<Member> members) {
        SortedMap<String, Integer> votes = new TreeMap<>();
        for (Member member : members) {
            if (!member.spec().classic()) {
                votes.merge(member.spec().assignor(), 1, Integer::sum);
            }
        }
        String most = StickyAssignor.NAME;
        int count = 0;
        for (Map.Entry<String, Integer> vote : votes.entrySet()) {
            if (vote.getValue() > count) {
                most = vote.getKey();
                count = vote.getValue();
            }
        }
        return most;
    }

    /** @return event of the new generation; empty if this process does not have the assignor */
    static Optional<Event.Rebalanced> of(GroupBuilder builder, Map<String, Assignor> assignors) {
        long generation = builder.generation + 1;
        String cause = Change.text(builder.pending.changes());
        if (builder.members.isEmpty()) {
            return Optional.of(new Event.Rebalanced(
                    generation, SharedMap.empty(), cause, Generation.NO_ASSIGNOR, "the group has no members"));
        }
        Assignor assignor = assignors.get(assignor(builder.members.values()));
        if (assignor == null) {
            return Optional.empty();
        }
        Assignors.Answer answer = Assignors.ask(assignor, question(builder));
        SortedMap<MemberId, SortedSet<TopicPartition>> targets = new TreeMap<>();
        for (var target : answer.assignment().targets().entrySet()) {
            targets.put(target.getKey(), PartitionSets.copyOf(target.getValue()));
        }
        return Optional.of(new Event.Rebalanced(
                generation,
                SharedMap.copyOf(targets),
                cause,
                answer.assignor(),
                answer.assignment().reason()));
    }

    /** The first generation of a group that waits for members. */
    static Event.Rebalanced formingGeneration(GroupBuilder builder, Expectation expectation) {
        return new Event.Rebalanced(
                builder.generation + 1,
                SharedMap.empty(),
                Change.text(builder.pending.changes()),
                Generation.NO_ASSIGNOR,
                "the group waits until it has " + Counts.of(expectation.members(), "member") + ", for at most "
                        + Durations.text(expectation.within()));
    }

    /**
     * The first generation of a group that many members join at once. It gives no partition to any member, because more
     * members are expected.
     */
    static Event.Rebalanced emptyFirstGeneration(GroupBuilder builder) {
        return new Event.Rebalanced(
                builder.generation + 1,
                SharedMap.empty(),
                Change.text(builder.pending.changes()),
                Generation.NO_ASSIGNOR,
                MORE_ARE_COMING);
    }

    private static Assignor.Question question(GroupBuilder builder) {
        Map<MemberId, SortedSet<TopicName>> topicsOf =
                TopicChanges.subscribed(builder.members.values(), builder.topics.keySet());
        SortedMap<TopicName, Integer> partitions = new TreeMap<>();
        SortedMap<MemberId, Assignor.Subscriber> subscriptions = new TreeMap<>();
        SortedMap<MemberId, SortedSet<TopicPartition>> owned = new TreeMap<>();
        for (Member member : builder.members.values()) {
            MemberId id = member.spec().id();
            SortedSet<TopicName> topics = topicsOf.get(id);
            for (TopicName topic : topics) {
                partitions.put(topic, builder.topics.get(topic).partitions());
            }
            subscriptions.put(
                    id, new Assignor.Subscriber(member.spec().instance().orElse(id.value()), topics));
            owned.put(id, member.owned());
        }
        return new Assignor.Question(
                Collections.unmodifiableSortedMap(partitions),
                Collections.unmodifiableSortedMap(subscriptions),
                Collections.unmodifiableSortedMap(owned));
    }
}
