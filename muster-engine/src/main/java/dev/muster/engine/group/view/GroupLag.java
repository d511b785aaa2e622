package dev.muster.engine.group.view;

import dev.muster.core.CompressionUnavailableException;
import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.model.Commit;
import dev.muster.core.group.model.TopicShape;
import dev.muster.store.DamagedLogException;
import dev.muster.store.LogStore;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionLog;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.batch.BatchDecoder;
import dev.muster.store.batch.BatchTooLargeException;
import dev.muster.store.batch.InvalidBatchException;
import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The lag of a group, for each partition of the topics that it reads or has commits of. A lag is never negative, and an
 * unknown lag is empty, not zero. Ages come from the timestamps of records.
 */
public final class GroupLag {
    private GroupLag() {}

    /**
     * @param committed committed offset; empty without a commit
     * @param records number of records behind; empty if unknown, because there is no commit
     * @param behind age of the oldest unread record; 0 if no record is unread, empty if unknown
     */
    public record Lag(
            TopicPartition partition,
            OptionalLong committed,
            long start,
            long end,
            OptionalLong records,
            Optional<Duration> behind,
            Optional<MemberId> owner) {}

    /** @param nowMillis present time in milliseconds since 1970, for the ages of records */
    public static List<Lag> in(LogStore store, Group group, long nowMillis) {
        SortedSet<TopicPartition> partitions = new TreeSet<>(group.offsets().keySet());
        group.topics().forEach((name, shape) -> {
            for (int partition = 0; partition < shape.partitions(); partition++) {
                partitions.add(new TopicPartition(name, partition));
            }
        });
        List<Lag> lags = new ArrayList<>();
        for (TopicPartition partition : partitions) {
            TopicShape topic = group.topics().get(partition.topic());
            if (topic != null) {
                of(store, group, partition, topic, nowMillis).ifPresent(lags::add);
            }
        }
        return lags;
    }

    private static Optional<Lag> of(
            LogStore store, Group group, TopicPartition partition, TopicShape topic, long nowMillis) {
        try {
            PartitionLog log = store.log(topic.id(), partition.partition());
            Commit commit = group.offsets().get(partition);
            // The end is read after the commit. It never decreases, so the lag is not negative.
            long start = log.startOffset();
            long end = Math.max(start, log.endOffset());
            OptionalLong committed = commit == null
                    ? OptionalLong.empty()
                    : OptionalLong.of(commit.offset().offset());
            OptionalLong records = commit == null
                    ? OptionalLong.empty()
                    : OptionalLong.of(end - Math.clamp(committed.getAsLong(), start, end));
            Optional<Duration> behind =
                    records.isEmpty() ? Optional.empty() : behind(log, end - records.getAsLong(), end, nowMillis);
            Optional<MemberId> owner =
                    Optional.ofNullable(group.owners().get(partition)).map(ownership -> ownership.member());
            return Optional.of(new Lag(partition, committed, start, end, records, behind, owner));
        } catch (TopicNotFoundException | TopicDeletedException e) {
            // The topic was deleted; the group will notice it.
            return Optional.empty();
        }
    }

    /** The age of the next record. A record without a timestamp has no age; a record from the future has age 0. */
    private static Optional<Duration> behind(PartitionLog log, long next, long end, long nowMillis) {
        if (next >= end) {
            return Optional.of(Duration.ZERO);
        }
        OptionalLong time = timestamp(log, next);
        return time.isEmpty() || time.getAsLong() < 0
                ? Optional.empty()
                : Optional.of(Duration.ofMillis(Math.max(0, nowMillis - time.getAsLong())));
    }

    /** The timestamp of the record with this offset, or of the first record behind it. */
    private static OptionalLong timestamp(PartitionLog log, long offset) {
        try (LogReader reader = log.reader(offset)) {
            LogSlice slice = reader.read(1);
            if (slice.isEmpty()) {
                return OptionalLong.empty();
            }
            BatchDecoder records = BatchDecoder.over(slice.bytes());
            while (records.next()) {
                if (records.offset() >= offset) {
                    return OptionalLong.of(records.timestamp());
                }
            }
            return OptionalLong.empty();
        } catch (OffsetOutOfRangeException
                | DamagedLogException
                | InvalidBatchException
                | BatchTooLargeException
                | CompressionUnavailableException e) {
            return OptionalLong.empty();
        }
    }
}
