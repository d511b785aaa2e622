package dev.muster.embedded;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;

/** The groups of a queue: looking, and what an administrator does. Joins nothing. For all threads. */
public interface Groups {
    List<String> list();

    /** The present state of a group. */
    Optional<Group> find(String group);

    /** Waits until the group is not what it was at this version. */
    Snapshot await(String group, long version, Duration timeout);

    /** The state with its version in the journal. */
    Snapshot snapshot(String group);

    record Snapshot(long version, Group group) {}

    /** How far behind the group is, for each partition of the topics it reads or has commits of. */
    List<Lag> lag(String group);

    /**
     * @param committed empty: no commit yet
     * @param lag records behind; empty: not known, because there is no commit. Never negative
     * @param behind time between the record that is next and the newest one; empty: not known
     */
    record Lag(
            TopicPartition partition,
            OptionalLong committed,
            long start,
            long end,
            OptionalLong lag,
            Optional<Duration> behind,
            Optional<String> member) {}

    /** Sets where the group goes on. Refused while members read these topics. Returns what is set. */
    SortedMap<TopicPartition, Long> reset(String group, SortedMap<TopicPartition, Long> offsets);

    /** Forgets commits. Refused while members read these topics. */
    void forget(String group, java.util.Set<TopicPartition> partitions);

    /** Removes a member by hand. It is told, and its commits are refused. */
    void remove(String group, String member);

    /** Deletes a group with its commits. Refused while it has members. */
    void delete(String group);
}
