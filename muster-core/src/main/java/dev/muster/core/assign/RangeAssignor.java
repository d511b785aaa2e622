package dev.muster.core.assign;

import dev.muster.core.TopicPartition;
import java.util.List;

/**
 * Each topic is cut into as many ranges as it has subscribers; the first ones get one more where it does not come out
 * even. Partitions of the same number of different topics are with the same member, if the same members read them. Does
 * not look at who owns what, so many may move.
 */
public final class RangeAssignor implements Assignor {
    public static final String NAME = "range";

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
