package dev.muster.cli.text;

import dev.muster.core.TopicPartition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Lists of partitions, as text and as JSON. */
public final class Partitions {
    private Partitions() {}

    /** The partitions by topic, neighbours together: {@code orders 0-3,7; payments 1}. A dash if there are none. */
    public static String show(Collection<TopicPartition> partitions) {
        Map<String, StringBuilder> topics = new TreeMap<>();
        TopicPartition runStart = null;
        TopicPartition last = null;
        for (TopicPartition partition : new TreeSet<>(partitions)) {
            if (last == null || !isNext(last, partition)) {
                end(topics, runStart, last);
                runStart = partition;
            }
            last = partition;
        }
        end(topics, runStart, last);
        List<String> parts = new ArrayList<>();
        topics.forEach((topic, numbers) -> parts.add(topic + " " + numbers));
        return parts.isEmpty() ? "-" : String.join("; ", parts);
    }

    private static boolean isNext(TopicPartition last, TopicPartition partition) {
        return last.topic().equals(partition.topic()) && last.partition() + 1 == partition.partition();
    }

    private static void end(Map<String, StringBuilder> topics, TopicPartition first, TopicPartition last) {
        if (first == null) {
            return;
        }
        StringBuilder numbers = topics.computeIfAbsent(first.topic().value(), topic -> new StringBuilder());
        numbers.append(numbers.isEmpty() ? "" : ",").append(first.partition());
        if (last.partition() > first.partition()) {
            numbers.append('-').append(last.partition());
        }
    }

    /** The partitions in order, each as an object for JSON. */
    public static List<Map<String, Object>> objects(Collection<TopicPartition> partitions) {
        return new TreeSet<>(partitions).stream().map(Partitions::object).toList();
    }

    private static Map<String, Object> object(TopicPartition partition) {
        Map<String, Object> object = new java.util.LinkedHashMap<>();
        object.put("topic", partition.topic().value());
        object.put("partition", partition.partition());
        return object;
    }
}
