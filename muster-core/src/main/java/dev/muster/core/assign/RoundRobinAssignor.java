package dev.muster.core.assign;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import java.util.Map;

/**
 * Gives all partitions of all topics one by one to the members in turn, leaving out members that do not subscribe to
 * the topic. The present owners do not count, so many partitions may move.
 */
public final class RoundRobinAssignor implements Assignor {
    public static final String NAME = "roundrobin";

    public RoundRobinAssignor() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Assignment assign(Question question) {
        Roster roster = new Roster(question);
        int next = 0;
        for (Map.Entry<TopicName, Integer> topic : question.partitions().entrySet()) {
            if (roster.subscribers(topic.getKey()).isEmpty()) {
                continue;
            }
            for (int partition = 0; partition < topic.getValue(); partition++) {
                while (!roster.topics(next).contains(topic.getKey())) {
                    next = (next + 1) % roster.size();
                }
                roster.give(next, new TopicPartition(topic.getKey(), partition));
                next = (next + 1) % roster.size();
            }
        }
        return new Assignment(roster.targets(), "roundrobin: " + roster.summary() + "; dealt one by one");
    }
}
