package dev.muster.core.assign;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;

/** The assignors that every process has, and a check of the assignments of users' assignors. */
public final class Assignors {
    /** The built-in assignors by name. */
    public static final Map<String, Assignor> BUILT_IN = Map.of(
            RangeAssignor.NAME, new RangeAssignor(),
            RoundRobinAssignor.NAME, new RoundRobinAssignor(),
            StickyAssignor.NAME, new StickyAssignor());

    private Assignors() {}

    /**
     * Asks an assignor and checks its assignment: every partition with a subscriber must be given once, to a
     * subscriber. If the assignment is not valid, or the assignor throws, {@link StickyAssignor} assigns instead, so
     * that members continue reading. The reason then says what was wrong.
     */
    public static Answer ask(Assignor assignor, Assignor.Question question) {
        String problem;
        try {
            Assignor.Assignment assignment = assignor.assign(question);
            Optional<String> found = problem(question, assignment);
            if (found.isEmpty()) {
                return new Answer(assignor.name(), assignment);
            }
            problem = found.get();
        } catch (RuntimeException | AssertionError | LinkageError | StackOverflowError e) {
            // All of these are mistakes in the assignor's code. None of them may stop the group.
            problem = "it threw " + e;
        }
        Assignor sticky = BUILT_IN.get(StickyAssignor.NAME);
        Assignor.Assignment instead = sticky.assign(question);
        String reason = "assignor \"" + assignor.name() + "\" gave no valid answer (" + problem + "), so sticky did: "
                + instead.reason();
        return new Answer(sticky.name(), new Assignor.Assignment(instead.targets(), reason));
    }

    /** @param assignor name of the assignor that made the assignment */
    public record Answer(String assignor, Assignor.Assignment assignment) {}

    private static Optional<String> problem(Assignor.Question question, Assignor.Assignment assignment) {
        Map<TopicPartition, MemberId> given = new HashMap<>();
        for (Map.Entry<MemberId, SortedSet<TopicPartition>> target :
                assignment.targets().entrySet()) {
            Assignor.Subscriber subscriber = question.subscriptions().get(target.getKey());
            if (subscriber == null) {
                return Optional.of("there is no member " + target.getKey());
            }
            for (TopicPartition partition : target.getValue()) {
                int partitions = question.partitions().getOrDefault(partition.topic(), 0);
                if (partition.partition() >= partitions) {
                    return Optional.of("there is no partition " + partition);
                }
                if (!subscriber.topics().contains(partition.topic())) {
                    return Optional.of(target.getKey() + " got " + partition + " but does not subscribe to it");
                }
                MemberId other = given.put(partition, target.getKey());
                if (other != null) {
                    return Optional.of(partition + " went to " + other + " and to " + target.getKey());
                }
            }
        }
        return missing(question, given);
    }

    private static Optional<String> missing(Assignor.Question question, Map<TopicPartition, MemberId> given) {
        for (Map.Entry<TopicName, Integer> topic : question.partitions().entrySet()) {
            boolean wanted = question.subscriptions().values().stream()
                    .anyMatch(subscriber -> subscriber.topics().contains(topic.getKey()));
            for (int number = 0; wanted && number < topic.getValue(); number++) {
                TopicPartition partition = new TopicPartition(topic.getKey(), number);
                if (!given.containsKey(partition)) {
                    return Optional.of(partition + " went to nobody");
                }
            }
        }
        return Optional.empty();
    }
}
