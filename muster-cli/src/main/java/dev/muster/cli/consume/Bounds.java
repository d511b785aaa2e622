package dev.muster.cli.consume;

import dev.muster.cli.text.Place;
import dev.muster.core.TopicPartition;
import dev.muster.embedded.Received;
import dev.muster.embedded.admin.PartitionInfo;
import dev.muster.embedded.admin.TimedOffset;
import dev.muster.embedded.admin.Topics;
import java.util.HashMap;
import java.util.Map;

/**
 * The offsets at which reading ends, for each partition; records at and after them are not read. Found once, when
 * reading begins, so that it ends even if writers never stop. For one thread.
 */
final class Bounds {
    private final Map<TopicPartition, Long> ends;
    // Records come in runs of one partition, so the map is asked once per run.
    private String runTopic = "";
    private int runPartition = -1;
    private long runEnd;

    private Bounds(Map<TopicPartition, Long> ends) {
        this.ends = ends;
    }

    /** No bounds: reading never ends. */
    static Bounds none() {
        return new Bounds(Map.of());
    }

    /**
     * @param partitions the partitions that are read
     * @param to the place to end at, or null for the end of the log
     * @param exit true if the present end of the log is a bound
     */
    static Bounds of(Topics topics, Iterable<TopicPartition> partitions, Place to, boolean exit) {
        if (to == null && !exit) {
            return none();
        }
        Map<TopicPartition, Long> ends = new HashMap<>();
        for (TopicPartition partition : partitions) {
            PartitionInfo info = topics.partition(partition.topic().value(), partition.partition());
            long end = to == null ? info.endOffset() : offset(topics, partition, info, to);
            ends.put(partition, exit ? Math.min(end, info.endOffset()) : end);
        }
        return new Bounds(ends);
    }

    /** The offset of a place in a partition at this moment. */
    static long offset(Topics topics, TopicPartition partition, PartitionInfo info, Place place) {
        return switch (place) {
            case Place.Start() -> info.startOffset();
            case Place.End() -> info.endOffset();
            case Place.At(long offset) -> offset;
            case Place.BeforeEnd(long records) -> Math.max(info.startOffset(), info.endOffset() - records);
            case Place.AtTime(var time) ->
                topics.offsetAt(partition.topic().value(), partition.partition(), time)
                        .map(TimedOffset::offset)
                        .orElse(info.endOffset());
        };
    }

    /** True if the record is below the bound of its partition. A partition that was added later is not read. */
    boolean admit(Received<?, ?> record) {
        if (ends.isEmpty()) {
            return true;
        }
        if (record.partition() != runPartition || !record.topic().equals(runTopic)) {
            runTopic = record.topic();
            runPartition = record.partition();
            runEnd = ends.getOrDefault(record.topicPartition(), 0L);
        }
        return record.offset() < runEnd;
    }

    /** True if a reader at these positions has nothing left to read. Always false without bounds. */
    boolean isReached(Map<TopicPartition, Long> positions) {
        return !ends.isEmpty()
                && ends.entrySet().stream()
                        .allMatch(end -> positions.getOrDefault(end.getKey(), Long.MAX_VALUE) >= end.getValue());
    }

    boolean isNone() {
        return ends.isEmpty();
    }

    /** The bounds, as positions to continue from. */
    Map<TopicPartition, Long> ends() {
        return ends;
    }
}
