package dev.muster.core.assign;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Builds questions to assignors, and short texts of their answers. */
final class QuestionBuilder {
    final SortedMap<TopicName, Integer> partitions = new TreeMap<>();
    final SortedMap<MemberId, Assignor.Subscriber> subscriptions = new TreeMap<>();
    final SortedMap<MemberId, SortedSet<TopicPartition>> owned = new TreeMap<>();

    QuestionBuilder topic(String name, int count) {
        partitions.put(new TopicName(name), count);
        return this;
    }

    QuestionBuilder member(String id, String... topics) {
        return member(id, id, topics);
    }

    QuestionBuilder member(String id, String order, String[] topics) {
        SortedSet<TopicName> names = new TreeSet<>();
        for (String topic : topics) {
            names.add(new TopicName(topic));
        }
        subscriptions.put(new MemberId(id), new Assignor.Subscriber(order, names));
        return this;
    }

    QuestionBuilder owns(String member, String topic, int... numbers) {
        for (int number : numbers) {
            owned.computeIfAbsent(new MemberId(member), id -> new TreeSet<>()).add(TopicPartition.of(topic, number));
        }
        return this;
    }

    /** The owners of the next question are those of this answer. */
    QuestionBuilder after(Assignor.Assignment assignment) {
        owned.clear();
        owned.putAll(assignment.targets());
        return this;
    }

    Assignor.Question question() {
        return new Assignor.Question(partitions, subscriptions, owned);
    }

    Assignor.Assignment ask(Assignor assignor) {
        return assignor.assign(question());
    }

    /** A text such as {@code A: orders-0 orders-2; B: orders-1}. */
    static String text(Assignor.Assignment assignment) {
        return assignment.targets().entrySet().stream()
                .map(target -> target.getKey() + ": "
                        + target.getValue().stream()
                                .map(TopicPartition::toString)
                                .collect(Collectors.joining(" ")))
                .collect(Collectors.joining("; "));
    }

    /** The number of partitions that had an owner among the members and have another one now. */
    static int moved(Assignor.Question question, Assignor.Assignment assignment) {
        int moved = 0;
        for (Map.Entry<MemberId, SortedSet<TopicPartition>> before :
                question.owned().entrySet()) {
            SortedSet<TopicPartition> now = assignment.targets().get(before.getKey());
            for (TopicPartition partition : before.getValue()) {
                moved += now == null || now.contains(partition) ? 0 : 1;
            }
        }
        return moved;
    }

    static List<Integer> loads(Assignor.Assignment assignment) {
        return assignment.targets().values().stream().map(Collection::size).toList();
    }
}
