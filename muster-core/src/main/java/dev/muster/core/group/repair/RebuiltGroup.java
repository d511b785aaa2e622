package dev.muster.core.group.repair;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.GroupBuilder;
import dev.muster.core.group.GroupState;
import dev.muster.core.group.History;
import dev.muster.core.group.TopicChanges;
import dev.muster.core.group.classic.ClassicEvent;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.model.Commit;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.Generation;
import dev.muster.core.group.model.SharedMap;
import dev.muster.core.group.model.TopicShape;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The state of a group whose journal lost some entries. It is built from the state before the lost entries and from the
 * entries behind them. Offsets, topics and the generation can be found that way. Members cannot: they must join again.
 * For one thread.
 */
public final class RebuiltGroup {
    private static final String REASON = "the journal was damaged";
    /**
     * Tokens to skip for each entry, because lost entries may have used some. No two timers ever have the same token.
     */
    private static final long TOKENS_PER_ENTRY = 1_000;
    /**
     * The largest number of generations in one entry. An entry answers at most this many commands, each of which may
     * have made one.
     */
    private static final long GENERATIONS_PER_ENTRY = 256;

    private final Group base;
    /**
     * The version of the entry from which the offset of a partition, or its absence, is known. Partitions known only
     * from the base are not here.
     */
    private final SortedMap<TopicPartition, Long> versions = new TreeMap<>();

    private SharedMap<TopicName, TopicShape> topics;
    private SharedMap<TopicPartition, Commit> offsets;
    private Optional<Expectation> expectation;
    private long generation;
    private boolean deleted;

    /** @param base state before the first lost entry */
    public RebuiltGroup(Group base) {
        this.base = base;
        this.topics = base.state().topics();
        this.offsets = base.state().offsets();
        this.expectation = base.expectation();
        this.generation = base.generation();
        this.deleted = base.deleted();
    }

    /** Takes the facts from an entry behind the lost ones. To be called in the order of versions. */
    public void take(long version, Entry entry) {
        for (Event event : entry.events()) {
            take(version, event, entry.at());
        }
    }

    private void take(long version, Event event, long at) {
        switch (event) {
            case Event.Committed e -> committed(version, e.offsets(), at, Optional.of(e.member()));
            case Event.OffsetsReset e -> committed(version, e.offsets(), at, Optional.empty());
            case Event.Rewound e -> {
                reached(e.generation());
                committed(version, e.offsets(), at, Optional.empty());
            }
            case Event.OffsetsForgotten e -> e.partitions().forEach(partition -> forgotten(version, partition));
            case Event.TopicsChanged e -> topicsChanged(version, SharedMap.copyOf(e.topics()));
            case Event.Rebalanced e -> reached(e.generation());
            case Event.MembersExpected e -> expectation = e.expectation();
            case Event.GroupDeleted _ -> deleted = true;
            case Event.Classic(ClassicEvent.Committed e) -> committed(version, e.offsets(), at, e.member());
            case Event.Classic(ClassicEvent.GenerationFormed e) -> reached(e.generation());
            case Event.Classic _,
                    Event.MemberJoined _,
                    Event.MemberReturned _,
                    Event.MemberAway _,
                    Event.MemberLeft _,
                    Event.FalseAlarm _,
                    Event.MemberSubscribed _,
                    Event.Released _,
                    Event.Granted _,
                    Event.FormingBegan _,
                    Event.Formed _,
                    Event.BecameModern _,
                    Event.BecameClassic _ -> {}
        }
    }

    private void committed(
            long version, SortedMap<TopicPartition, CommittedOffset> those, long at, Optional<MemberId> by) {
        those.forEach((partition, offset) -> put(version, partition, new Commit(offset, at, by)));
    }

    private void put(long version, TopicPartition partition, Commit commit) {
        offsets = offsets.with(partition, commit);
        versions.put(partition, version);
    }

    private void forgotten(long version, TopicPartition partition) {
        offsets = offsets.without(partition);
        versions.put(partition, version);
    }

    private void topicsChanged(long version, SharedMap<TopicName, TopicShape> now) {
        SharedMap<TopicName, TopicShape> before = topics;
        topics = now;
        for (TopicPartition partition : List.copyOf(offsets.keySet())) {
            // The entry that made the topic known may be lost.
            if (before.containsKey(partition.topic()) && TopicChanges.gone(before, now, partition)) {
                forgotten(version, partition);
            }
        }
    }

    /**
     * Takes a commit that is known from another source.
     *
     * @param version version of the journal at which the source was written
     * @param topic shape of the partition's topic, as it is now
     */
    public void commit(long version, TopicPartition partition, Commit commit, TopicShape topic) {
        topics = topics.with(partition.topic(), topic);
        put(version, partition, commit);
    }

    /** Takes the number of a generation that existed. */
    public void reached(long number) {
        generation = Math.max(generation, number);
    }

    public SortedMap<TopicPartition, Commit> offsets() {
        return offsets;
    }

    public SortedMap<TopicName, TopicShape> topics() {
        return topics;
    }

    /**
     * The version of the entry behind the lost ones that has the offset of a partition. Empty if the offset is known
     * only from the base.
     */
    public OptionalLong version(TopicPartition partition) {
        Long version = versions.get(partition);
        return version == null ? OptionalLong.empty() : OptionalLong.of(version);
    }

    /**
     * The rebuilt state: no members, the known offsets, and a generation that is higher than any in the lost entries.
     * If an entry deleted the group, the state is that of a deleted group.
     *
     * @param lost number of lost entries
     * @param at wall time in milliseconds
     * @param cause reason for the new generation, in plain words
     */
    public Group group(long lost, long at, String cause) {
        if (deleted) {
            GroupBuilder ended = base.builder();
            ended.apply(new Event.GroupDeleted(), at);
            return ended.group();
        }
        long next = generation + 1 + lost * GENERATIONS_PER_ENTRY;
        Generation only = new Generation(next, at, cause, Generation.NO_ASSIGNOR, REASON, SharedMap.empty());
        GroupBuilder rebuilt = new GroupBuilder(GroupState.EMPTY);
        rebuilt.generation = next;
        rebuilt.tokens = base.state().tokens() + (lost + versions.size() + 1) * TOKENS_PER_ENTRY;
        rebuilt.topics = topics;
        rebuilt.offsets = offsets.filter((partition, commit) -> topics.containsKey(partition.topic()));
        rebuilt.formerMembers = base.state().formerMembers();
        rebuilt.falseAlarms = base.state().falseAlarms();
        rebuilt.expectation = expectation;
        rebuilt.history = new History(List.of(only), SharedMap.empty(), SharedMap.empty());
        return rebuilt.group();
    }
}
