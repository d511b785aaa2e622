package dev.muster.core.assign;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import java.util.SortedMap;
import java.util.SortedSet;

/** Decides which member should own which partition. A plain function: deterministic, without side effects. */
public interface Assignor {
    /** The name by which members ask for this assignor, for instance {@code sticky}. */
    String name();

    /**
     * @return targets of all members; every partition that has a subscriber is given to exactly one member that
     *     subscribes to its topic
     */
    Assignment assign(Question question);

    /**
     * @param partitions number of partitions of each topic that exists
     * @param subscriptions existing topics that each member subscribes to
     * @param owned partitions that each member owns now, including those it must release and those of topics it no
     *     longer subscribes to
     */
    record Question(
            SortedMap<TopicName, Integer> partitions,
            SortedMap<MemberId, Subscriber> subscriptions,
            SortedMap<MemberId, SortedSet<TopicPartition>> owned) {}

    /**
     * @param order sort key of the member that stays the same over restarts: the instance id, or the member id if there
     *     is none
     */
    record Subscriber(String order, SortedSet<TopicName> topics) {}

    /** @param reason explanation of the assignment for people, in plain words */
    record Assignment(SortedMap<MemberId, SortedSet<TopicPartition>> targets, String reason) {}
}
