package dev.muster.core.assign;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.MemberId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** RandomQuestions to assignors, written shortly, and their answers as text. */
final class RandomQuestions {
    final SortedMap<TopicName, Integer> partitions = new TreeMap<>();
    final SortedMap<MemberId, Assignor.Subscriber> subscriptions = new TreeMap<>();
    final SortedMap<MemberId, SortedSet<TopicPartition>> owned = new TreeMap<>();

    RandomQuestions topic(String name, int count) {
        partitions.put(new TopicName(name), count);
        return this;
    }

    RandomQuestions member(String id, String... topics) {
        return member(id, id, topics);
    }

    RandomQuestions member(String id, String order, String[] topics) {
        SortedSet<TopicName> names = new TreeSet<>();
        for (String topic : topics) {
            names.add(new TopicName(topic));
        }
        subscriptions.put(new MemberId(id), new Assignor.Subscriber(order, names));
        return this;
    }

    RandomQuestions owns(String member, String topic, int... numbers) {
        for (int number : numbers) {
            owned.computeIfAbsent(new MemberId(member), id -> new TreeSet<>()).add(TopicPartition.of(topic, number));
        }
        return this;
    }

    /** What was the answer is what is owned now. */
    RandomQuestions after(Assignor.Assignment assignment) {
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

    /** {@code A: orders-0 orders-2; B: orders-1}. */
    static String text(Assignor.Assignment assignment) {
        return assignment.targets().entrySet().stream()
                .map(target -> target.getKey() + ": "
                        + target.getValue().stream()
                                .map(TopicPartition::toString)
                                .collect(Collectors.joining(" ")))
                .collect(Collectors.joining("; "));
    }

    /** How many had an owner among the members, and have another one now. */
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
