package dev.muster.core.group.repair;

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
import dev.muster.core.group.model.MemberId;
import dev.muster.core.group.model.SharedMap;
import dev.muster.core.group.model.TopicShape;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The state of a group of which some entries are lost: what is known from before them, and what entries behind them say
 * on their own. Offsets, topics and the generation can be told that way. Members cannot: they must join again. For one
 * thread.
 */
public final class RebuiltGroup {
    private static final String REASON = "the journal was damaged";
    /** Two timers never wait for the same token; lost entries may have used some. */
    private static final long TOKENS_PER_ENTRY = 1_000;
    /** An entry answers at most so many commands, each of which may have made a generation. */
    private static final long GENERATIONS_PER_ENTRY = 256;

    private final Group base;
    /** By partition the entry that its offset, or its absence, is known from; those of the base are not here. */
    private final SortedMap<TopicPartition, Long> versions = new TreeMap<>();

    private SharedMap<TopicName, TopicShape> topics;
    private SharedMap<TopicPartition, Commit> offsets;
    private Optional<Expectation> expectation;
    private long generation;
    private boolean deleted;

    /** @param base the state before the first entry that is lost */
    public RebuiltGroup(Group base) {
        this.base = base;
        this.topics = base.state().topics();
        this.offsets = base.state().offsets();
        this.expectation = base.expectation();
        this.generation = base.generation();
        this.deleted = base.deleted();
    }

    /** Takes what an entry behind the lost ones says on its own. In the order of their versions. */
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
            // An entry that made the topic known may be among those that are lost.
            if (before.containsKey(partition.topic()) && TopicChanges.gone(before, now, partition)) {
                forgotten(version, partition);
            }
        }
    }

    /**
     * Takes a commit that another source tells of.
     *
     * @param version of the journal that the source shows
     * @param topic of the partition, as it is now
     */
    public void commit(long version, TopicPartition partition, Commit commit, TopicShape topic) {
        topics = topics.with(partition.topic(), topic);
        put(version, partition, commit);
    }

    /** A generation with this number was there. */
    public void reached(long number) {
        generation = Math.max(generation, number);
    }

    public SortedMap<TopicPartition, Commit> offsets() {
        return offsets;
    }

    public SortedMap<TopicName, TopicShape> topics() {
        return topics;
    }

    /** The entry behind the lost ones that tells the offset of a partition; empty if only the base does. */
    public OptionalLong version(TopicPartition partition) {
        Long version = versions.get(partition);
        return version == null ? OptionalLong.empty() : OptionalLong.of(version);
    }

    /**
     * The state: no members, the offsets that are known, and a generation that no lost entry can have had. Where an
     * entry says that the group was deleted, it is.
     *
     * @param lost number of entries that are lost
     * @param at wall time in milliseconds
     * @param cause why there is a new generation, in plain words
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
