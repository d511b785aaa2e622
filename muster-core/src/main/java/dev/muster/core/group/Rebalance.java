package dev.muster.core.group;

import dev.muster.core.Counts;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.assign.Assignor;
import dev.muster.core.assign.Assignors;
import dev.muster.core.assign.StickyAssignor;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/** Makes the next generation out of a state: who asks for which assignor, and what it says. */
final class Rebalance {
    /** Stands for the assignor of a generation in which there is nobody to give anything to. */
    static final String NO_ASSIGNOR = "none";

    static final String MORE_ARE_COMING = "more members are coming, so nobody has anything yet";

    private Rebalance() {}

    /** The assignor most members ask for; of several the one with the smallest name. */
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

    /** @return empty when this process does not have the assignor */
    static Optional<Event.Rebalanced> of(Draft draft, Map<String, Assignor> assignors) {
        long generation = draft.generation + 1;
        String cause = Change.text(draft.pending.changes());
        if (draft.members.isEmpty()) {
            return Optional.of(new Event.Rebalanced(
                    generation, SharedMap.empty(), cause, NO_ASSIGNOR, "the group has no members"));
        }
        Assignor assignor = assignors.get(assignor(draft.members.values()));
        if (assignor == null) {
            return Optional.empty();
        }
        Assignors.Answer answer = Assignors.ask(assignor, question(draft));
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
    static Event.Rebalanced nothingYet(Draft draft, Expectation expectation) {
        return new Event.Rebalanced(
                draft.generation + 1,
                SharedMap.empty(),
                Change.text(draft.pending.changes()),
                NO_ASSIGNOR,
                "the group waits until it has " + Counts.of(expectation.members(), "member") + ", for at most "
                        + Explanation.seconds(expectation.within()));
    }

    /** The first generation of a group to which many come at once: it is too early to give anybody anything. */
    static Event.Rebalanced moreAreComing(Draft draft) {
        return new Event.Rebalanced(
                draft.generation + 1,
                SharedMap.empty(),
                Change.text(draft.pending.changes()),
                NO_ASSIGNOR,
                MORE_ARE_COMING);
    }

    private static Assignor.Question question(Draft draft) {
        Map<MemberId, SortedSet<TopicName>> topicsOf = Topics.subscribed(draft.members.values(), draft.topics.keySet());
        SortedMap<TopicName, Integer> partitions = new TreeMap<>();
        SortedMap<MemberId, Assignor.Subscriber> subscriptions = new TreeMap<>();
        SortedMap<MemberId, SortedSet<TopicPartition>> owned = new TreeMap<>();
        for (Member member : draft.members.values()) {
            MemberId id = member.spec().id();
            SortedSet<TopicName> topics = topicsOf.get(id);
            for (TopicName topic : topics) {
                partitions.put(topic, draft.topics.get(topic).partitions());
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
