package dev.muster.core.group;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.assign.Assignor;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ClassicReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The rules of one consumer group, and its state, immutable. {@link #decide} says what follows from a command;
 * {@link #apply} is the only way the state changes. Who decided on a state that is not the newest any more decides
 * again. Several commands may share an entry: each is decided on the state after the events of those before it.
 *
 * <p>A member is told what to let go of and what to take by its {@link Member}: it must let go of what it owns and
 * should not, within its revoke time; it owns a partition as soon as the state says so, which is only after the former
 * owner let go or is out. Partitions that do not move are never taken away, not for a moment.
 *
 * <p>This is how modern groups live. One in which all members speak Kafka's classic protocol lives by other rules,
 * {@link ClassicGroup}, in the same journal: the generation counts on, offsets and history are shared. When somebody
 * else joins it becomes modern, with all its members, and when only such members are left it becomes classic again.
 */
public final class Group {
    /** How many generations are remembered, at most. */
    public static final int HISTORY_MAX = 100;

    private static final Group EMPTY = new Group(emptyDraft());

    private final long generation;
    private final boolean deleted;

    /** Counts what timers wait for, so that none is taken for another. */
    private final long tokens;

    private final SharedMap<MemberId, Member> members;
    private final SharedMap<TopicName, TopicShape> topics;
    private final SharedMap<TopicPartition, Ownership> owners;

    /** What must be let go of by its owner: the generation since which. */
    private final SharedMap<TopicPartition, Long> revoking;

    /** What must be let go of because its offset was set by hand: the generation that did so. */
    private final SharedMap<TopicPartition, Long> recalled;

    private final SharedMap<TopicPartition, Commit> offsets;
    private final History history;
    private final Pending pending;
    private final List<Departed> departed;
    private final FalseAlarms falseAlarms;
    private final ClassicGroup classic;
    private final Optional<Expectation> expectation;
    private final Optional<Forming> forming;

    Group(Draft draft) {
        generation = draft.generation;
        deleted = draft.deleted;
        tokens = draft.tokens;
        members = draft.members;
        topics = draft.topics;
        owners = draft.owners;
        revoking = draft.revoking;
        recalled = draft.recalled;
        offsets = draft.offsets;
        history = draft.history;
        pending = draft.pending;
        departed = draft.departed;
        falseAlarms = draft.falseAlarms;
        classic = draft.classic;
        expectation = draft.expectation;
        forming = draft.forming;
    }

    private static Draft emptyDraft() {
        Draft draft = new Draft();
        draft.members = SharedMap.empty();
        draft.topics = SharedMap.empty();
        draft.owners = SharedMap.empty();
        draft.revoking = SharedMap.empty();
        draft.recalled = SharedMap.empty();
        draft.offsets = SharedMap.empty();
        draft.history = History.NONE;
        draft.pending = Pending.none();
        draft.departed = List.of();
        draft.falseAlarms = FalseAlarms.NONE;
        draft.classic = ClassicGroup.NONE;
        draft.expectation = Optional.empty();
        draft.forming = Optional.empty();
        return draft;
    }

    Draft draft() {
        Draft draft = new Draft();
        draft.generation = generation;
        draft.deleted = deleted;
        draft.tokens = tokens;
        draft.members = members;
        draft.topics = topics;
        draft.owners = owners;
        draft.revoking = revoking;
        draft.recalled = recalled;
        draft.offsets = offsets;
        draft.history = history;
        draft.pending = pending;
        draft.departed = departed;
        draft.falseAlarms = falseAlarms;
        draft.classic = classic;
        draft.expectation = expectation;
        draft.forming = forming;
        return draft;
    }

    /** Nobody, nothing, generation 0. */
    public static Group empty() {
        return EMPTY;
    }

    /** @param assignors those that this process has, by name */
    public Decision decide(Command command, Map<String, Assignor> assignors) {
        return new Decider(draft(), assignors).decide(command);
    }

    /** The state after an entry. Applying it in one or piece by piece comes to the same. */
    public Group apply(Entry entry) {
        Draft draft = draft();
        for (Event event : entry.events()) {
            draft.apply(event, entry.at());
        }
        return draft.group();
    }

    /** Whether nothing but commits led from the other state to this one: then nobody but committers need look. */
    public boolean differsOnlyInOffsets(Group other) {
        return generation == other.generation
                && deleted == other.deleted
                && tokens == other.tokens
                && members == other.members
                && topics == other.topics
                && owners == other.owners
                && revoking == other.revoking
                && recalled == other.recalled
                && history == other.history
                && pending == other.pending
                && classic == other.classic
                && expectation.equals(other.expectation)
                && forming.equals(other.forming)
                && departed == other.departed
                && falseAlarms == other.falseAlarms;
    }

    /** The timers that this state asks for. */
    public List<Wish> wishes() {
        List<Wish> wishes = new ArrayList<>();
        forming.ifPresent(waiting -> wishes.add(
                new Wish.Forming(waiting.token(), waiting.expectation().within())));
        if (pending.waiting() && forming.isEmpty()) {
            firstInLine()
                    .ifPresent(host ->
                            wishes.add(new Wish.Settle(pending.token(), host, settleAfter(), pending.atMost())));
        }
        members.forEach((id, member) -> {
            member.revokingSince()
                    .ifPresent(since -> wishes.add(new Wish.RevokeDeadline(
                            id, since, member.spec().timing().revoke())));
            member.away()
                    .ifPresent(token -> wishes.add(new Wish.AwayDeadline(
                            id, token, member.spec().timing().session())));
        });
        classic.wishes().forEach(wish -> wishes.add(new Wish.Classic(wish)));
        return wishes;
    }

    /** Where nobody has anything, all have come to be given something. */
    private Duration settleAfter() {
        return pending.after(owners.isEmpty() ? Math.max(members.size(), pending.joins()) : pending.joins());
    }

    /**
     * How long the group waits for the next member before it gives anything to those that are there; empty: somebody
     * has something, or it does not wait.
     */
    public Optional<Duration> gathering() {
        return pending.waiting() && owners.isEmpty() ? Optional.of(settleAfter()) : Optional.empty();
    }

    /**
     * The last joiner's process if it has the assignor for sure, because a member there asks for it; else one that has.
     */
    private Optional<HostId> firstInLine() {
        String wanted = assignor();
        List<HostId> able = members.values().stream()
                .map(Member::spec)
                .filter(spec -> !spec.classic() && spec.assignor().equals(wanted))
                .map(MemberSpec::host)
                .toList();
        return pending.host().filter(able::contains).or(() -> able.stream().findFirst());
    }

    /** The epoch of the group: grows with every change of membership, subscription or partitions. */
    public long generation() {
        return generation;
    }

    public boolean deleted() {
        return deleted;
    }

    /** Those who live by the modern rules. At any time all members live by the same. */
    public SortedMap<MemberId, Member> members() {
        return members;
    }

    /** What a member at the far end of a connection is to know; empty: it is not in the group. */
    public Optional<Told> told(MemberId member) {
        return Optional.ofNullable(members.get(member)).map(known -> Told.of(this, known));
    }

    /** Whether everybody has what he should, so that only time or newcomers bring a change. */
    public boolean quiet() {
        return !pending.waiting()
                && forming.isEmpty()
                && members.values().stream().allMatch(Member::settled);
    }

    /**
     * Whether so many members are there that who comes need not be kept waiting for the generation that takes it in: it
     * may be told that it is a member, and hears the rest with its next sign of life.
     */
    public boolean crowded() {
        return generation > 0 && members.size() > Pending.CROWD;
    }

    // For clients that speak the classic protocol, by whatever rules the group lives

    /** The answer to a join that waits; empty: it must wait on. */
    public Optional<ClassicReply.JoinAnswer> joinAnswer(MemberId member, Optional<String> instance) {
        return members.isEmpty()
                ? classic.joinAnswer(member, instance, generation)
                : ClassicTold.join(this, member, instance);
    }

    /** The answer to a sync that waits; empty: it must wait on. */
    public Optional<ClassicReply.SyncAnswer> syncAnswer(ClassicCommand.Caller caller) {
        return members.isEmpty() ? classic.syncAnswer(caller, generation) : Optional.of(ClassicTold.sync(this, caller));
    }

    /** Those who live by the classic rules, and how far they are with each other. */
    public ClassicGroup classic() {
        return classic;
    }

    /** The topics that its members read and that exist, and those that it once read or has offsets of. */
    public SortedMap<TopicName, TopicShape> topics() {
        return topics;
    }

    /** By partition: who owns it. A partition that nobody owns is not here. */
    public SortedMap<TopicPartition, Ownership> owners() {
        return owners;
    }

    public SortedMap<TopicPartition, Commit> offsets() {
        return offsets;
    }

    /** The last generations, oldest first. */
    public List<Generation> history() {
        return history.generations();
    }

    /** The generation that brought a partition where it is, however long ago; empty: it was never given to anyone. */
    public Optional<LastMove> lastMove(TopicPartition partition) {
        return Optional.ofNullable(history.last().get(partition));
    }

    /** Whether somebody was expelled for want of a connection, and was not heard of since: he may live. */
    public boolean isMissing(MemberId member) {
        return draft().missing(member).isPresent();
    }

    /** Members that were expelled for want of a connection, and lived. */
    public FalseAlarms falseAlarms() {
        return falseAlarms;
    }

    /** The assignor that the next generation is made with: the one most members ask for. */
    public String assignor() {
        return Rebalance.assignor(members.values());
    }

    /** How many members the group waits for whenever it begins with nobody. */
    public Optional<Expectation> expectation() {
        return expectation;
    }

    /** Set while the group has its first members and waits for the others. */
    public Optional<Forming> forming() {
        return forming;
    }

    /** Whether joins, or a change, wait to be taken into a generation. */
    public boolean settling() {
        return pending.waiting();
    }

    /** The generation since which the owner of this partition should let go of it. */
    long revokingSince(TopicPartition partition) {
        return revoking.getOrDefault(partition, generation);
    }

    Optional<Long> freeSince(TopicPartition partition) {
        return Optional.ofNullable(history.free().get(partition));
    }

    Pending pending() {
        return pending;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Group that
                && generation == that.generation
                && deleted == that.deleted
                && tokens == that.tokens
                && members.equals(that.members)
                && topics.equals(that.topics)
                && owners.equals(that.owners)
                && revoking.equals(that.revoking)
                && recalled.equals(that.recalled)
                && offsets.equals(that.offsets)
                && history.equals(that.history)
                && pending.equals(that.pending)
                && departed.equals(that.departed)
                && falseAlarms.equals(that.falseAlarms)
                && classic.equals(that.classic)
                && expectation.equals(that.expectation)
                && forming.equals(that.forming);
    }

    @Override
    public int hashCode() {
        return Objects.hash(generation, tokens, members, owners, offsets);
    }

    @Override
    public String toString() {
        return "group at generation " + generation + " with "
                + (members.size() + classic.members().size()) + " members";
    }
}
