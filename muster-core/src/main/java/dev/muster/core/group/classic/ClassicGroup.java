package dev.muster.core.group.classic;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicReply.MemberMetadata;
import dev.muster.core.group.model.Change;
import dev.muster.core.group.model.Opaque;
import dev.muster.core.group.model.Protocol;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The part of a group under the classic rules, immutable. {@link #decide} computes the events that follow from a
 * command; {@link #apply} is the only way the state changes.
 *
 * <p>The answers to waiting requests follow from this state: {@link #joinAnswer} and {@link #syncAnswer} need nothing
 * else. So a server that parks requests remembers only the clients to answer, and a client that asks again after a
 * crash finds its place.
 *
 * @param timeouts longest wait of the present state
 * @param protocolType kind of the members; if there are none, of the last ones
 * @param protocol protocol of the generation: all members know it and most prefer it
 * @param leader member that assigns; present as long as there is a member
 * @param members members in the order in which they joined
 * @param pendingIds ids that were given and are not used yet
 * @param changes causes of the next generation
 */
public record ClassicGroup(
        ClassicState state,
        RebalanceTimeouts timeouts,
        Optional<String> protocolType,
        Optional<String> protocol,
        Optional<MemberId> leader,
        SequencedMap<MemberId, ClassicMember> members,
        SequencedMap<MemberId, PendingMemberId> pendingIds,
        List<Change> changes) {

    /** The protocol type of Kafka's consumers. */
    public static final String CONSUMER = "consumer";

    /** The state before the first member. */
    public static final ClassicGroup NONE = new ClassicGroup(
            ClassicState.EMPTY,
            RebalanceTimeouts.NONE,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            new LinkedHashMap<>(),
            new LinkedHashMap<>(),
            List.of());

    public ClassicGroup {
        members = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(members));
        pendingIds = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(pendingIds));
        changes = List.copyOf(changes);
    }

    /** @param generation newest generation of the group */
    public ClassicDecision decide(ClassicCommand command, long generation) {
        return new ClassicDecider(this, generation).decide(command);
    }

    /**
     * @param token number that no event had before
     * @param at wall time, for people
     */
    public ClassicGroup apply(ClassicEvent event, long token, long at) {
        if (event instanceof ClassicEvent.Committed) {
            // Offsets belong to the whole group, and commits are frequent.
            return this;
        }
        ClassicDraft draft = new ClassicDraft(this);
        draft.apply(event, token, at);
        return draft.group();
    }

    /** The state after the group was deleted. */
    public ClassicGroup deleted() {
        return NONE;
    }

    // Queries

    /** True if the group follows the classic rules, so that the modern rules do not apply. */
    public boolean inUse() {
        return !members.isEmpty() || state != ClassicState.EMPTY;
    }

    public Optional<ClassicMember> member(MemberId id) {
        return Optional.ofNullable(members.get(id));
    }

    /** The static member with this instance id. */
    public Optional<ClassicMember> instance(String instance) {
        return members.values().stream()
                .filter(member -> member.spec().instance().equals(Optional.of(instance)))
                .findFirst();
    }

    boolean isLeader(MemberId id) {
        return leader.equals(Optional.of(id));
    }

    /**
     * True if a member subscribes to the topic. A consumer whose metadata cannot be read counts as subscribed to every
     * topic.
     */
    public boolean subscribes(TopicName topic) {
        return members.values().stream()
                .map(ClassicMember::spec)
                .anyMatch(spec -> spec.topics()
                        .map(topics -> topics.contains(topic))
                        .orElse(spec.protocolType().equals(CONSUMER)));
    }

    /** True if a member's server is gone, so that another process may take the member over. */
    public boolean hasAwayMember() {
        return members.values().stream().anyMatch(member -> member.away().isPresent());
    }

    /** The reason to refuse a command of this member. Empty if the member may act. */
    public Optional<ClassicReply.Refusal> fence(MemberId id, Optional<String> instance) {
        if (instance.isPresent()) {
            Optional<ClassicMember> holder = instance(instance.get());
            if (holder.isPresent() && !holder.get().spec().id().equals(id)) {
                return Optional.of(new ClassicReply.FencedInstance("another consumer joined with instance id \""
                        + instance.get() + "\" and took the place of member " + id
                        + "; give each running consumer an instance id of its own"));
            }
            if (holder.isEmpty()) {
                return Optional.of(unknown(id));
            }
        }
        return members.containsKey(id) ? Optional.empty() : Optional.of(unknown(id));
    }

    static ClassicReply.UnknownMember unknown(MemberId id) {
        return new ClassicReply.UnknownMember("member " + id + " is not in the group; join again without an id");
    }

    /** The answer to a waiting join. Empty if the join must keep waiting. */
    public Optional<ClassicReply.JoinAnswer> joinAnswer(MemberId id, Optional<String> instance, long generation) {
        Optional<ClassicReply.Refusal> refusal = fence(id, instance);
        if (refusal.isPresent()) {
            return Optional.of(refusal.get());
        }
        ClassicMember member = members.get(id);
        if (member.waiting()) {
            return Optional.empty();
        }
        if (member.resumed() && state == ClassicState.PREPARING_REBALANCE) {
            // It joined under the modern rules, and the group became classic before a generation included it.
            return Optional.of(new ClassicReply.RebalanceInProgress("the group became classic; join again"));
        }
        return Optional.of(generation(id, generation, false));
    }

    /** The present generation, as the answer to a member that is in it. */
    ClassicReply.Joined generation(MemberId id, long generation, boolean skipAssignment) {
        String chosen = protocol.orElse("");
        List<MemberMetadata> fellows = new ArrayList<>();
        if (isLeader(id)) {
            members.forEach((other, member) -> {
                if (isInGeneration(member, chosen)) {
                    fellows.add(new MemberMetadata(
                            other, member.spec().instance(), member.spec().metadata(chosen), member.resumed()));
                }
            });
        }
        return new ClassicReply.Joined(
                id, generation, protocolType.orElse(""), chosen, leader.orElse(id), fellows, skipAssignment);
    }

    /**
     * True if the member is in the present generation and has metadata for its protocol. The leader may receive its
     * generation when new members already wait for the next one. New members need not know the protocol of this one:
     * their metadata would be empty, which clients do not expect.
     */
    private static boolean isInGeneration(ClassicMember member, String protocol) {
        return !member.fresh() && member.spec().knows(protocol);
    }

    /** The answer to a waiting sync. Empty if the sync must keep waiting. */
    public Optional<ClassicReply.SyncAnswer> syncAnswer(ClassicCommand.Caller caller, long generation) {
        Optional<ClassicReply.Refusal> refusal = fence(caller.member(), caller.instance());
        if (refusal.isPresent()) {
            return Optional.of(refusal.get());
        }
        if (caller.generation() != generation || state == ClassicState.PREPARING_REBALANCE) {
            return Optional.of(new ClassicReply.RebalanceInProgress(
                    "the group rebalances after generation " + caller.generation() + "; join again"));
        }
        return state == ClassicState.STABLE ? Optional.of(assignment(caller.member())) : Optional.empty();
    }

    /** The assignment that the leader gave to a member. */
    ClassicReply.Assigned assignment(MemberId id) {
        return new ClassicReply.Assigned(
                protocolType.orElse(""),
                protocol.orElse(""),
                member(id).map(ClassicMember::assignment).orElse(Opaque.EMPTY));
    }

    /** The timers that this state asks for. */
    public List<ClassicTimer> timers() {
        List<ClassicTimer> timers = new ArrayList<>();
        switch (state) {
            case PREPARING_REBALANCE ->
                timers.add(timeouts.atMost()
                        .<ClassicTimer>map(most -> new ClassicTimer.Settle(timeouts.token(), timeouts.after(), most))
                        .orElseGet(() -> new ClassicTimer.Barrier(timeouts.token(), timeouts.after())));
            case COMPLETING_REBALANCE, STABLE -> {
                if (members.values().stream().anyMatch(member -> !member.synced())) {
                    timers.add(new ClassicTimer.Sync(timeouts.token(), timeouts.after()));
                }
            }
            case EMPTY, DEAD -> {
                // The state waits for nothing.
            }
        }
        pendingIds.forEach((id, given) -> timers.add(new ClassicTimer.Id(id, given.token(), given.session())));
        members.forEach((id, member) -> member.away()
                .ifPresent(token -> timers.add(
                        new ClassicTimer.Away(id, token, member.spec().session()))));
        return timers;
    }

    /** The longest time for a rebalance: the longest rebalance timeout of all members. */
    Duration longestRebalance() {
        return members.values().stream()
                .map(member -> member.spec().rebalance())
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    /** True if all members are at the barrier and every given id is used. */
    boolean allWaiting() {
        return pendingIds.isEmpty() && members.values().stream().allMatch(ClassicMember::waiting);
    }

    // Changes between the two sets of rules

    /**
     * The partitions that each member may be processing at this moment. Empty if the metadata of a member cannot be
     * read, or if the leader gave a partition to two members.
     *
     * <p>These are the partitions that a member was given, and those it named when it last came to the barrier: a
     * cooperative member releases a partition that was not given to it again only when it receives its assignment. At
     * the barrier a member has exactly the partitions that it names.
     */
    public Optional<SortedMap<MemberId, SortedSet<TopicPartition>>> inHand() {
        SortedMap<MemberId, SortedSet<TopicPartition>> hands = new TreeMap<>();
        Set<TopicPartition> taken = new HashSet<>();
        for (ClassicMember member : members.values()) {
            boolean atBarrier = member.waiting() || state == ClassicState.COMPLETING_REBALANCE;
            if (!isPlain(member.spec())
                    || !atBarrier && member.assignedPartitions().isEmpty()) {
                return Optional.empty();
            }
            SortedSet<TopicPartition> given = new TreeSet<>(
                    atBarrier
                            ? Collections.emptySortedSet()
                            : member.assignedPartitions().orElseThrow());
            hands.put(member.spec().id(), given);
            if (!Collections.disjoint(taken, given)) {
                // The leader gave it to two members. Only they can find out which one has it.
                return Optional.empty();
            }
            taken.addAll(given);
        }
        for (ClassicMember member : members.values()) {
            for (TopicPartition had :
                    member.spec().consumerMetadata().orElseThrow().owned()) {
                if (taken.add(had)) {
                    hands.get(member.spec().id()).add(had);
                }
            }
        }
        return Optional.of(hands);
    }

    private static boolean isPlain(ClassicSpec spec) {
        return spec.protocolType().equals(CONSUMER) && spec.consumerMetadata().isPresent();
    }

    /** The state after all members changed to the modern rules. Given ids stay valid. */
    public ClassicGroup becameModern() {
        return new ClassicGroup(
                ClassicState.EMPTY,
                RebalanceTimeouts.NONE,
                protocolType,
                Optional.empty(),
                Optional.empty(),
                new LinkedHashMap<>(),
                pendingIds,
                List.of());
    }

    /**
     * The state after a group changed from the modern rules to the classic ones. Its members should come to the
     * barrier.
     *
     * @param token number that no event had before
     */
    public ClassicGroup becameClassic(SequencedMap<MemberId, ClassicMember> those, List<Change> why, long token) {
        ClassicGroup all = new ClassicGroup(
                ClassicState.PREPARING_REBALANCE,
                RebalanceTimeouts.NONE,
                Optional.of(CONSUMER),
                Optional.empty(),
                Optional.of(those.firstEntry().getKey()),
                those,
                pendingIds,
                why);
        return new ClassicGroup(
                all.state,
                new RebalanceTimeouts(token, all.longestRebalance(), Optional.empty()),
                all.protocolType,
                Optional.of(all.chooseProtocol()),
                all.leader,
                those,
                pendingIds,
                why);
    }

    // Protocols

    /** True if a member of this type with these protocols could be in the group with all other members. */
    boolean supports(String type, List<Protocol> protocols) {
        if (state == ClassicState.EMPTY) {
            return !type.isEmpty() && !protocols.isEmpty();
        }
        return protocolType.equals(Optional.of(type))
                && protocols.stream().anyMatch(candidate -> known(candidate.name()));
    }

    private boolean known(String name) {
        return members.values().stream().allMatch(member -> member.spec().knows(name));
    }

    /**
     * The protocol for the next generation. Each member votes for the first of its protocols that all members know. Of
     * several with the most votes, the first voted for wins.
     */
    String chooseProtocol() {
        SequencedMap<String, Integer> votes = new LinkedHashMap<>();
        for (ClassicMember member : members.values()) {
            member.spec().protocols().stream()
                    .map(Protocol::name)
                    .filter(this::known)
                    .findFirst()
                    .ifPresent(vote -> votes.merge(vote, 1, Integer::sum));
        }
        String most = "";
        int count = 0;
        for (Map.Entry<String, Integer> vote : votes.entrySet()) {
            if (vote.getValue() > count) {
                most = vote.getKey();
                count = vote.getValue();
            }
        }
        return most;
    }
}
