package dev.muster.core.assign;

import dev.muster.core.TopicPartition;
import java.util.List;

/**
 * Cuts each topic into as many ranges as it has subscribers. If the partitions cannot be divided evenly, the first
 * ranges get one more. Partitions of the same number in different topics go to the same member, if the same members
 * read these topics. The present owners do not count, so many partitions may move.
 */
public final class RangeAssignor implements Assignor {
    public static final String NAME = "range";

    public RangeAssignor() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Assignment assign(Question question) {
        Roster roster = new Roster(question);
        question.partitions().forEach((topic, partitions) -> {
            List<Integer> subscribers = roster.subscribers(topic);
            int partition = 0;
            for (int i = 0; i < subscribers.size(); i++) {
                int extra = i < partitions % subscribers.size() ? 1 : 0;
                int end = partition + partitions / subscribers.size() + extra;
                for (; partition < end; partition++) {
                    roster.give(subscribers.get(i), new TopicPartition(topic, partition));
                }
            }
        });
        return new Assignment(roster.targets(), "range: " + roster.summary() + "; of every topic a range of its own");
    }
}
