package dev.muster.embedded.admin;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.repair.RepairPlan;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;

/** The groups of a queue: looking, and what an administrator does. Joins nothing. For all threads. */
public interface Groups {
    List<String> list();

    /** The present state of a group; empty when there is none. */
    Optional<Group> find(String group);

    /**
     * Waits until the group is not what it was at this version; woken by whatever any process writes. Returns what it
     * is then, or after the timeout.
     */
    Snapshot await(String group, long version, Duration timeout);

    /** The state with its version in the journal; version 0 and nobody in it when there is no such group. */
    Snapshot snapshot(String group);

    /** @param version how many entries led to this state */
    record Snapshot(long version, Group group) {}

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

    /**
     * What can be rebuilt of a group that is damaged; empty when there is no such group. Changes nothing.
     *
     * @return a plan that is not {@link RepairPlan#needed} when nothing is damaged, or when a process that knows the
     *     state has healed it
     */
    Optional<RepairPlan> planRepair(String group);

    /**
     * Rebuilds a damaged group as planned. Its members must join again.
     *
     * @throws GroupRefusedException while a living process may know more of the group, and when the group changed since
     *     the plan was made
     */
    void repair(RepairPlan plan);
}
