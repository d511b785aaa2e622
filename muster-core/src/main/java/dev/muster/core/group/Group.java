package dev.muster.core.group;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.assign.Assignor;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ClassicReply;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Decision;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.command.GroupTimer;
import dev.muster.core.group.model.Commit;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.FalseAlarms;
import dev.muster.core.group.model.Forming;
import dev.muster.core.group.model.Generation;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LastMove;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.Ownership;
import dev.muster.core.group.model.PendingRebalance;
import dev.muster.core.group.model.TopicShape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;

/**
 * One consumer group: its rules and its state, immutable. {@link #decide} computes the events that follow from a
 * command; {@link #apply} is the only way the state changes. A process that decided on a state that is no longer the
 * newest decides again. Several commands may share an entry: each is decided on the state after the events of the
 * commands before it.
 *
 * <p>{@link Member} says what a member must release and what it may take. A member must release what it owns and should
 * not own, within its revoke time. It owns a partition as soon as the state says so, and the state says so only after
 * the former owner released the partition or left the group. A partition that does not move is never revoked.
 *
 * <p>These are the modern rules. A group in which all members use Kafka's classic protocol follows the classic rules,
 * {@link ClassicGroup}, in the same journal: the generation number continues, offsets and history are shared. When
 * another kind of member joins, the group becomes modern with all its members; when only classic members are left, it
 * becomes classic again.
 */
public final class Group {
    private static final Group EMPTY = new Group(GroupState.EMPTY);

    private final GroupState state;

    public Group(GroupState state) {
        this.state = state;
    }

    public GroupBuilder builder() {
        return new GroupBuilder(state);
    }

    /** The state that a snapshot of this group holds. */
    public GroupState state() {
        return state;
    }

    /** A group without members and offsets, at generation 0. */
    public static Group empty() {
        return EMPTY;
    }

    /** @param assignors assignors of this process by name */
    public Decision decide(Command command, Map<String, Assignor> assignors) {
        return new Decider(builder(), assignors).decide(command);
    }

    /** The group after all events of an entry. */
    public Group apply(Entry entry) {
        GroupBuilder builder = builder();
        for (Event event : entry.events()) {
            builder.apply(event, entry.at());
        }
        return builder.group();
    }

    /** True if only commits lie between the two groups. Members that do not commit can ignore such a change. */
    public boolean differsOnlyInOffsets(Group other) {
        return state.differsOnlyInOffsets(other.state);
    }

    /** The timers that this state asks for. */
    public List<GroupTimer> timers() {
        List<GroupTimer> timers = new ArrayList<>();
        state.forming()
                .ifPresent(waiting -> timers.add(new GroupTimer.Forming(
                        waiting.token(), waiting.expectation().within())));
        if (state.pending().waiting() && state.forming().isEmpty()) {
            firstInLine()
                    .ifPresent(host -> timers.add(new GroupTimer.Settle(
                            state.pending().token(),
                            host,
                            settleAfter(),
                            state.pending().longestWait())));
        }
        state.members().forEach((id, member) -> {
            member.revokingSince()
                    .ifPresent(since -> timers.add(new GroupTimer.RevokeDeadline(
                            id, since, member.spec().timing().revoke())));
            member.away()
                    .ifPresent(token -> timers.add(new GroupTimer.AwayDeadline(
                            id, token, member.spec().timing().session())));
        });
        state.classic().timers().forEach(timer -> timers.add(new GroupTimer.Classic(timer)));
        return timers;
    }

    /**
     * The time to wait for the next join. While no partition has an owner, every member counts as one that has just
     * joined.
     */
    private Duration settleAfter() {
        return state.pending()
                .nextWait(
                        state.owners().isEmpty()
                                ? Math.max(
                                        state.members().size(), state.pending().joins())
                                : state.pending().joins());
    }

    /**
     * How long the group waits for the next member before it assigns partitions to those that have joined. Empty if a
     * partition has an owner, or if no change is pending.
     */
    public Optional<Duration> gatheringTime() {
        return state.pending().waiting() && state.owners().isEmpty() ? Optional.of(settleAfter()) : Optional.empty();
    }

    /**
     * The process that makes the next generation. It is the process of the last member that joined, if one of its
     * members asks for the assignor, which shows that the process has it. Otherwise it is another process of which that
     * is true.
     */
    private Optional<HostId> firstInLine() {
        String wanted = assignor();
        List<HostId> able = state.members().values().stream()
                .map(Member::spec)
                .filter(spec -> !spec.classic() && spec.assignor().equals(wanted))
                .map(MemberSpec::host)
                .toList();
        return state.pending()
                .host()
                .filter(able::contains)
                .or(() -> able.stream().findFirst());
    }

    /** The group's epoch: it grows with every change of members, subscriptions or partitions. */
    public long generation() {
        return state.generation();
    }

    public boolean deleted() {
        return state.deleted();
    }

    /** Members under the modern rules. Empty if the group follows the classic rules. */
    public SortedMap<MemberId, Member> members() {
        return state.members();
    }

    /** The assignment that a remote member is sent. Empty if it is not a member. */
    public Optional<MemberAssignment> assignment(MemberId member) {
        return Optional.ofNullable(state.members().get(member)).map(known -> MemberAssignment.of(this, known));
    }

    /** True if each member owns what it should own and no change is pending. */
    public boolean reconciled() {
        return !state.pending().waiting()
                && state.forming().isEmpty()
                && state.members().values().stream().allMatch(Member::settled);
    }

    /**
     * True if the number of members is so large that a join is answered before the next generation: the new member
     * learns its partitions with a later heartbeat.
     */
    public boolean crowded() {
        return state.generation() > 0 && state.members().size() > PendingRebalance.CROWD;
    }

    // Answers to clients of the classic protocol, under either set of rules

    /** The answer to a waiting join. Empty if the join must keep waiting. */
    public Optional<ClassicReply.JoinAnswer> joinAnswer(MemberId member, Optional<String> instance) {
        return state.members().isEmpty()
                ? state.classic().joinAnswer(member, instance, state.generation())
                : ClassicAnswers.join(this, member, instance);
    }

    /** The answer to a waiting sync. Empty if the sync must keep waiting. */
    public Optional<ClassicReply.SyncAnswer> syncAnswer(ClassicCommand.Caller caller) {
        return state.members().isEmpty()
                ? state.classic().syncAnswer(caller, state.generation())
                : Optional.of(ClassicAnswers.sync(this, caller));
    }

    /** The group's members and its rebalance under the classic rules. */
    public ClassicGroup classic() {
        return state.classic();
    }

    /** Topics that exist and that members read, and topics that the group has offsets of. */
    public SortedMap<TopicName, TopicShape> topics() {
        return state.topics();
    }

    /** The owner of each partition that has one. */
    public SortedMap<TopicPartition, Ownership> owners() {
        return state.owners();
    }

    public SortedMap<TopicPartition, Commit> offsets() {
        return state.offsets();
    }

    /** The last generations, oldest first. */
    public List<Generation> history() {
        return state.history().generations();
    }

    /** The generation in which a partition last moved. Empty if it was never assigned. */
    public Optional<LastMove> lastMove(TopicPartition partition) {
        return Optional.ofNullable(state.history().last().get(partition));
    }

    /** True if the member was expelled because its connection was lost, and has sent nothing since. It may be alive. */
    public boolean isMissing(MemberId member) {
        return builder().missing(member).isPresent();
    }

    /** Members that were expelled because their connection was lost, and were alive. */
    public FalseAlarms falseAlarms() {
        return state.falseAlarms();
    }

    /** The assignor of the next generation: the one that most members ask for. */
    public String assignor() {
        return Rebalance.assignor(state.members().values());
    }

    /** The number of members that the group waits for each time it begins without members. */
    public Optional<Expectation> expectation() {
        return state.expectation();
    }

    /** Set while the group has its first members and waits for the expected ones. */
    public Optional<Forming> forming() {
        return state.forming();
    }

    /** True if joins or another change wait for the next generation. */
    public boolean settling() {
        return state.pending().waiting();
    }

    /** The generation since which the owner must release this partition. */
    public long revokingSince(TopicPartition partition) {
        return state.revoking().getOrDefault(partition, state.generation());
    }

    public Optional<Long> freeSince(TopicPartition partition) {
        return Optional.ofNullable(state.history().free().get(partition));
    }

    public PendingRebalance pending() {
        return state.pending();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Group that && state.equals(that.state);
    }

    @Override
    public int hashCode() {
        return Objects.hash(state.generation(), state.tokens(), state.members(), state.owners(), state.offsets());
    }

    @Override
    public String toString() {
        return "group at generation " + state.generation() + " with "
                + (state.members().size() + state.classic().members().size()) + " members";
    }
}
