package dev.muster.cli.consume;

import dev.muster.cli.text.Place;
import dev.muster.core.TopicPartition;
import dev.muster.embedded.Start;
import dev.muster.embedded.admin.PartitionInfo;
import dev.muster.embedded.admin.Topics;
import dev.muster.store.OffsetOutOfRangeException;

/** The start of a reader, from the user's option. */
final class Starts {
    private Starts() {}

    static Start of(Place place) {
        return switch (place) {
            case Place.Start() -> Start.earliest();
            case Place.End() -> Start.latest();
            case Place.At(long offset) -> Start.offset(offset);
            // Zero records before the end is the end itself; an offset of 0 would be the start.
            case Place.BeforeEnd(long records) -> records == 0 ? Start.latest() : Start.offset(-records);
            case Place.AtTime(var time) -> Start.time(time);
        };
    }

    /**
     * Refuses an offset beyond the end of a partition, before anything is read. With {@code --exit} a reader there
     * would be at its end at once, and would seem to have read everything.
     *
     * @throws OffsetOutOfRangeException if a partition ends before the offset
     */
    static void refuseBehindEnd(Topics topics, Iterable<TopicPartition> partitions, long offset) {
        for (TopicPartition partition : partitions) {
            PartitionInfo info = topics.partition(partition.topic().value(), partition.partition());
            if (offset > info.endOffset()) {
                throw new OffsetOutOfRangeException(partition.toString(), offset, info.startOffset(), info.endOffset());
            }
        }
    }
}
