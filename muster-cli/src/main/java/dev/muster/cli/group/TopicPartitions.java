package dev.muster.cli.group;

import dev.muster.core.MusterException;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import java.util.Set;
import java.util.TreeSet;

/**
 * Partitions of a topic in the user's spelling: {@code orders} (all), {@code orders:2}, {@code orders:0,2,5-7}.
 *
 * @param numbers empty for all
 */
record TopicPartitions(TopicName topic, Set<Integer> numbers) {
    private static final String HINT = "write orders, orders:2 or orders:0,2,5-7";
    private static final String ONE_HINT = "write orders:2";
    private static final int RANGE_MAX = 100_000;

    static TopicPartitions parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            return new TopicPartitions(new TopicName(text), Set.of());
        }
        Set<Integer> numbers = new TreeSet<>();
        for (String part : text.substring(colon + 1).split(",", -1)) {
            int dash = part.indexOf('-');
            int first = number(dash < 0 ? part : part.substring(0, dash), text);
            int last = dash < 0 ? first : number(part.substring(dash + 1), text);
            if (last < first || last - first > RANGE_MAX) {
                throw new MusterException("\"" + text + "\" names no partitions", HINT);
            }
            for (int i = first; i <= last; i++) {
                numbers.add(i);
            }
        }
        return new TopicPartitions(new TopicName(text.substring(0, colon)), numbers);
    }

    /** One partition: {@code orders:2}, or as Kafka prints it, {@code orders-2}. */
    static TopicPartition one(String text) {
        // The name of a topic has no colon, and may have a dash.
        int colon = text.lastIndexOf(':');
        int at = colon < 0 ? text.lastIndexOf('-') : colon;
        if (at <= 0) {
            throw new MusterException("\"" + text + "\" is not a partition", ONE_HINT);
        }
        return TopicPartition.of(text.substring(0, at), number(text.substring(at + 1), text, ONE_HINT));
    }

    private static int number(String digits, String text) {
        return number(digits, text, HINT);
    }

    private static int number(String digits, String text, String hint) {
        boolean fits =
                !digits.isEmpty() && digits.length() < 10 && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        if (!fits) {
            throw new MusterException("\"" + text + "\": \"" + digits + "\" is not a partition number", hint);
        }
        return Integer.parseInt(digits);
    }
}
