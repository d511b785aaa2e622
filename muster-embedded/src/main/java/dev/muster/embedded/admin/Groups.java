package dev.muster.embedded.admin;

import dev.muster.core.TopicPartition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;

/** The groups of a queue: shows and changes them. No method joins a group. Thread-safe. */
public interface Groups {
    /** The names of all groups. */
    List<String> list();

    /** The current state of a group; empty if there is no such group. */
    Optional<GroupInfo> find(String group);

    /**
     * Waits until the version of the group differs from the given one; any process may change it. Returns the state at
     * that time, or after the timeout. Returns version 0 without members if there is no such group.
     *
     * @param version version of the last state that the caller saw; 0 if it saw none
     */
    GroupInfo await(String group, long version, Duration timeout);

    /**
     * The ids of members whose processes are dead although the group's journal does not say so yet. A living member
     * will write it soon. If no member is left, the next process that joins or changes the group writes it.
     */
    Set<String> dead(String group);

    /**
     * The time of the last sign of life of a member's process, by the clock of that process. Empty if there is no such
     * member, or if the time is no longer known.
     */
    Optional<Instant> lastSign(String group, String member);

    /**
     * The lag of the group in each partition of the topics that it reads or has commits of.
     *
     * @throws GroupRefusedException if there is no such group
     */
    List<Lag> lag(String group);

    /**
     * The lag of a group in one partition.
     *
     * @param committed committed offset; empty if there is no commit yet
     * @param start start offset of the log
     * @param end end offset of the log
     * @param lag number of records behind the commit, never negative; empty if there is no commit
     * @param behind age of the oldest unread record; 0 if no record is unread, empty if it is unknown
     * @param member id of the owner; empty if there is none
     */
    record Lag(
            TopicPartition partition,
            OptionalLong committed,
            long start,
            long end,
            OptionalLong lag,
            Optional<Duration> behind,
            Optional<String> member) {}

    /**
     * Sets the offsets at which the group continues. An offset that is not in the log becomes the nearest one that is.
     *
     * @return offsets that were set
     * @throws GroupRefusedException while members read these topics
     * @throws dev.muster.store.TopicNotFoundException if there is no such partition
     */
    SortedMap<TopicPartition, Long> reset(String group, SortedMap<TopicPartition, Long> offsets);

    /**
     * Like {@link #reset}, but also while members read. Each owner of one of these partitions releases it, gets it
     * again and begins at the new offset. No other partition moves, and a late commit of an owner does not undo the
     * reset.
     *
     * <p>Returns when the change is in the journal. The members follow with their next poll.
     *
     * @throws GroupRefusedException if members that use Kafka's classic protocol read these topics
     */
    SortedMap<TopicPartition, Long> resetLive(
            String group, SortedMap<TopicPartition, Long> offsets, AdminReason reason);

    /**
     * Delays the assignment each time that the group gets its first member. Partitions are assigned when this many
     * members have joined, or the first one has waited this long, or {@link #complete} is called. A group that has
     * members continues. A group that is waiting waits for this number from now on. The group need not exist.
     *
     * @param members number of members to wait for; 0 to assign at once, the default
     * @throws GroupRefusedException if the group has members that use Kafka's classic protocol
     */
    void expect(String group, int members, Duration within);

    /**
     * Makes a group that waits for members begin with those that have joined.
     *
     * @throws GroupRefusedException if the group is not waiting
     */
    void complete(String group, AdminReason reason);

    /**
     * Deletes the commits of these partitions.
     *
     * @throws GroupRefusedException while members read these topics
     */
    void forget(String group, Set<TopicPartition> partitions);

    /**
     * Removes a member by hand. It loses its partitions at once, and its commits are refused. It joins again with its
     * next poll.
     *
     * @param member id or instance id of the member
     */
    void remove(String group, String member);

    /**
     * Deletes a group with its commits, also a damaged one.
     *
     * @throws GroupRefusedException while the group has members
     */
    void delete(String group);
}
