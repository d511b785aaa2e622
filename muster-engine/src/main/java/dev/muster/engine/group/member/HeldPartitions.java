package dev.muster.engine.group.member;

import dev.muster.core.MusterException;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.TopicShape;
import dev.muster.engine.read.PartitionsReader;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/** The partitions that a member holds: their start offsets, pauses and ends. For the polling thread. */
final class HeldPartitions {
    private static final System.Logger LOG = System.getLogger(HeldPartitions.class.getName());

    private final LogStore store;
    private final GroupMember member;
    private final PartitionsReader reader;
    private final Commits commits;
    private final GroupReader.Policy policy;
    private final Set<TopicPartition> paused = new TreeSet<>();

    /** The topics before the first join. A partition that is created later is read from its first record. */
    private SortedMap<TopicName, TopicShape> topicsAtFirst;

    HeldPartitions(
            LogStore store, GroupMember member, PartitionsReader reader, Commits commits, GroupReader.Policy policy) {
        this.store = store;
        this.member = member;
        this.reader = reader;
        this.commits = commits;
        this.policy = policy;
    }

    /** Notes the topics that exist before the first join. */
    void beforeJoin() {
        if (topicsAtFirst == null) {
            topicsAtFirst = member.topicsNow();
        }
    }

    /**
     * Begins to read a partition.
     *
     * @return False if the partition does not exist
     */
    boolean begin(TopicPartition partition, Group group) {
        TopicShape topic = group.topics().get(partition.topic());
        try {
            PartitionLog log = store.log(topic.id(), partition.partition());
            Optional<CommittedOffset> commit =
                    Optional.ofNullable(group.offsets().get(partition)).map(one -> one.offset());
            long start = commit.map(offset -> CommittedPlace.in(log, offset)).orElseGet(() -> startIn(log, topic));
            commits.begin(
                    new PartitionProgress(log, group.owners().get(partition).since(), start, commit, policy.acks()));
            reader.add(log, start);
            return true;
        } catch (TopicDeletedException | TopicNotFoundException e) {
            // The group notices it too.
            member.topicsMoved();
            return false;
        }
    }

    private long startIn(PartitionLog log, TopicShape topic) {
        TopicShape atFirst = topicsAtFirst.get(log.topic().name());
        boolean wasThere = atFirst != null && atFirst.id().equals(topic.id()) && log.partition() < atFirst.partitions();
        return wasThere ? withinLog(log, policy.start().applyAsLong(log)) : log.startOffset();
    }

    /**
     * Limits an offset to the end of the log. Otherwise an offset beyond the end would be committed, and the group
     * would later skip records.
     */
    private long withinLog(PartitionLog log, long wanted) {
        long end = log.endOffset();
        if (wanted <= end) {
            return wanted;
        }
        LOG.log(
                Level.WARNING,
                "group {0}, {1}-{2}: offset {3} is beyond the end of the log; reading begins at its end, {4}",
                member.options().group(),
                log.topic().name(),
                log.partition(),
                wanted,
                end);
        return end;
    }

    void end(TopicPartition partition) {
        reader.remove(partition);
        commits.end(partition);
        paused.remove(partition);
    }

    /**
     * Stops reading partitions of deleted topics. The member holds them until the group revokes them.
     *
     * @return True if reading of a partition was stopped
     */
    boolean stopReadingDeleted() {
        Set<TopicPartition> gone = new TreeSet<>();
        SortedMap<TopicName, TopicShape> topics = member.group().topics();
        for (TopicPartition partition : commits.partitions()) {
            TopicShape topic = topics.get(partition.topic());
            if (reader.reads(partition) && (topic == null || isDeleted(topic))) {
                gone.add(partition);
            }
        }
        gone.forEach(reader::remove);
        member.topicsMoved();
        return !gone.isEmpty();
    }

    private boolean isDeleted(TopicShape topic) {
        try {
            store.partitions(topic.id());
            return false;
        } catch (TopicDeletedException | TopicNotFoundException e) {
            return true;
        }
    }

    void seek(TopicPartition partition, long offset) {
        mustHold(partition);
        if (reader.reads(partition)) {
            reader.seek(partition, offset);
        }
        // Only reading detects an offset beyond the end. A commit before that must not be beyond the end.
        commits.of(partition).ifPresent(one -> one.seek(Math.min(offset, one.logEnd())));
    }

    private void mustHold(TopicPartition partition) {
        if (!commits.holds(partition)) {
            throw new MusterException(
                    partition + " is not assigned to this consumer",
                    "see assignment(); partitions come and go while poll is called");
        }
    }

    void pause(Collection<TopicPartition> partitions, boolean on) {
        partitions.forEach(this::mustHold);
        for (TopicPartition partition : partitions) {
            // A partition of a deleted topic is not read, but held until the group revokes it.
            if (reader.reads(partition)) {
                reader.pause(partition, on);
            }
            if (on) {
                paused.add(partition);
            } else {
                paused.remove(partition);
            }
        }
    }

    SortedSet<TopicPartition> paused() {
        return new TreeSet<>(paused);
    }
}
