package dev.muster.core.group.json;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.PartitionSets;
import dev.muster.core.json.JsonWriter;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The JSON of partitions and offsets, short and readable: {@code {"orders":"0-3,7"}} and
 * {@code {"orders":{"0":105,"1":[7,2],"2":[9,2,"metadata"]}}}. A number alone is an offset whose leader epoch is
 * unknown.
 */
final class PartitionsJson {
    /** The largest length of a range. A longer one is damage, because no topic has that many partitions. */
    private static final int RANGE_MAX = 1_000_000;

    private PartitionsJson() {}

    static void write(JsonWriter out, SortedSet<TopicPartition> partitions) {
        out.object();
        Iterator<TopicPartition> all = partitions.iterator();
        TopicPartition next = all.hasNext() ? all.next() : null;
        while (next != null) {
            TopicName topic = next.topic();
            StringBuilder ranges = new StringBuilder();
            while (next != null && next.topic().equals(topic)) {
                int from = next.partition();
                int to = from;
                next = all.hasNext() ? all.next() : null;
                while (next != null && next.topic().equals(topic) && next.partition() == to + 1) {
                    to++;
                    next = all.hasNext() ? all.next() : null;
                }
                ranges.append(ranges.isEmpty() ? "" : ",").append(from);
                if (to > from) {
                    ranges.append('-').append(to);
                }
            }
            out.field(topic.value(), ranges.toString());
        }
        out.end();
    }

    static SortedSet<TopicPartition> read(Fields topics) {
        SortedSet<TopicPartition> partitions = new TreeSet<>();
        topics.each((name, ranges) -> {
            TopicName topic = new TopicName(name);
            for (String range : ranges.toString().split(",", -1)) {
                int dash = range.indexOf('-');
                int from = number(dash < 0 ? range : range.substring(0, dash));
                int to = dash < 0 ? from : number(range.substring(dash + 1));
                if (to - from >= RANGE_MAX) {
                    throw Fields.bad(range + " are too many partitions");
                }
                for (int partition = from; partition <= to; partition++) {
                    partitions.add(new TopicPartition(topic, partition));
                }
            }
        });
        return PartitionSets.copyOf(partitions);
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw Fields.bad("\"" + text + "\" is not the number of a partition");
        }
    }

    static void writeOffsets(JsonWriter out, SortedMap<TopicPartition, CommittedOffset> offsets) {
        out.object();
        TopicName topic = null;
        for (Map.Entry<TopicPartition, CommittedOffset> entry : offsets.entrySet()) {
            if (!entry.getKey().topic().equals(topic)) {
                if (topic != null) {
                    out.end();
                }
                topic = entry.getKey().topic();
                out.name(topic.value()).object();
            }
            writeOffset(out.name(Integer.toString(entry.getKey().partition())), entry.getValue());
        }
        if (topic != null) {
            out.end();
        }
        out.end();
    }

    private static void writeOffset(JsonWriter out, CommittedOffset offset) {
        if (offset.leaderEpoch() < 0 && offset.metadata().isEmpty()) {
            out.value(offset.offset());
            return;
        }
        out.array().value(offset.offset()).value(offset.leaderEpoch());
        if (!offset.metadata().isEmpty()) {
            out.value(offset.metadata());
        }
        out.end();
    }

    static SortedMap<TopicPartition, CommittedOffset> readOffsets(Fields topics) {
        SortedMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        topics.each((name, byPartition) -> {
            TopicName topic = new TopicName(name);
            new Fields(name, byPartition)
                    .each((partition, offset) ->
                            offsets.put(new TopicPartition(topic, number(partition)), readOffset(offset)));
        });
        return Collections.unmodifiableSortedMap(offsets);
    }

    private static CommittedOffset readOffset(Object value) {
        if (value instanceof Long offset) {
            return new CommittedOffset(offset);
        }
        if (value instanceof List<?> list
                && (list.size() == 2 || list.size() == 3)
                && list.get(0) instanceof Long offset
                && list.get(1) instanceof Long epoch) {
            String metadata = list.size() == 3 ? list.get(2).toString() : "";
            return new CommittedOffset(offset, Math.toIntExact(epoch), metadata);
        }
        throw Fields.bad("an offset is not a number or a list");
    }
}
