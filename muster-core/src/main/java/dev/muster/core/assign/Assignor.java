package dev.muster.core.assign;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.MemberId;
import java.util.SortedMap;
import java.util.SortedSet;

/** Says who should own what. A plain function: deterministic, without side effects. */
public interface Assignor {
    /** How members ask for it, for instance {@code sticky}. */
    String name();

    /**
     * @return for each member what it should own; every partition that at least one member subscribes to is given to
     *     exactly one member that subscribes to its topic
     */
    Assignment assign(Question question);

    /**
     * @param partitions how many each topic has that exists
     * @param subscriptions for each member the existing topics it subscribes to
     * @param owned what each member owns now, also what it should let go of and what it no longer subscribes to
     */
    record Question(
            SortedMap<TopicName, Integer> partitions,
            SortedMap<MemberId, Subscriber> subscriptions,
            SortedMap<MemberId, SortedSet<TopicPartition>> owned) {}

    /**
     * @param order of members among themselves that stays over restarts: the instance id where there is one, else the
     *     id
     */
    record Subscriber(String order, SortedSet<TopicName> topics) {}

    /** @param reason in plain words, for people, why it was done this way */
    record Assignment(SortedMap<MemberId, SortedSet<TopicPartition>> targets, String reason) {}
}
