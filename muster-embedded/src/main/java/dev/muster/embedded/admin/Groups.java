package dev.muster.embedded.admin;

import dev.muster.core.TopicPartition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;

/** The groups of a queue: their state and administration. Nothing here joins a group. For all threads. */
public interface Groups {
    /** The names of all groups. */
    List<String> list();

    /** The present state of a group; empty if there is no such group. */
    Optional<GroupInfo> find(String group);

    /**
     * Waits until the version of the group is another one, whichever process changes it. Returns the state then, or
     * after the timeout; version 0 without members if there is no such group.
     *
     * @param version of the last state that the caller saw; 0 if it saw none
     */
    GroupInfo await(String group, long version, Duration timeout);

    /**
     * The ids of members whose processes are dead though the group's journal does not say so yet: a living member is
     * about to write it down, or none is left. The next process that joins or changes the group writes it.
     */
    Set<String> dead(String group);

    /**
     * The last sign of life of a member's process, by the clock of that process; empty when there is no such member, or
     * the time is not known any more.
     */
    Optional<Instant> lastSign(String group, String member);

    /**
     * How far behind the group is, for each partition of the topics it reads or has commits of.
     *
     * @throws GroupRefusedException when there is no such group
     */
    List<Lag> lag(String group);

    /**
     * @param committed empty: no commit yet
     * @param lag records behind; empty: not known, because there is no commit. Never negative
     * @param behind age of the oldest unread record; 0 when nothing is unread, empty when it is not known
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
     * Sets where the group goes on; an offset that is not in the log becomes the nearest that is. Returns what is set.
     *
     * @throws GroupRefusedException while members read these topics
     * @throws dev.muster.store.TopicNotFoundException when there is no such partition
     */
    SortedMap<TopicPartition, Long> reset(String group, SortedMap<TopicPartition, Long> offsets);

    /**
     * As {@link #reset}, also while members read. Those who own one of these partitions let go of it and get it again,
     * and begin where it was set to; nothing else moves, and no late commit of theirs undoes it. It returns when that
     * is written down; members follow with their next poll.
     *
     * @throws GroupRefusedException when members that live by Kafka's classic protocol read these topics
     */
    SortedMap<TopicPartition, Long> resetLive(
            String group, SortedMap<TopicPartition, Long> offsets, AdminReason reason);

    /**
     * Each time the group begins with nobody, it gives nothing to anyone before so many members are there, or the first
     * one has waited so long, or {@link #complete} is called. A group that is there already goes on; one that waits
     * waits for so many from now on. The group need not exist.
     *
     * @param members 0: it waits for nobody, as usual
     * @throws GroupRefusedException when it has members that live by Kafka's classic protocol
     */
    void expect(String group, int members, Duration within);

    /**
     * Lets a group that waits for members begin with those that are there.
     *
     * @throws GroupRefusedException when it does not wait
     */
    void complete(String group, AdminReason reason);

    /**
     * Forgets commits.
     *
     * @throws GroupRefusedException while members read these topics
     */
    void forget(String group, Set<TopicPartition> partitions);

    /**
     * Removes a member by hand. It loses its partitions at once, its commits are refused, and it comes back with its
     * next poll.
     *
     * @param member its id, or its instance id
     */
    void remove(String group, String member);

    /**
     * Deletes a group with its commits. One that is damaged is deleted too.
     *
     * @throws GroupRefusedException while it has members
     */
    void delete(String group);
}
