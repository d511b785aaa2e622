package dev.muster.core.group.classic;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicReply.MemberMetadata;
import dev.muster.core.group.model.Change;
import dev.muster.core.group.model.MemberId;
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
 * The part of a group that lives by the classic rules: immutable, {@link #decide} says what follows from a command,
 * {@link #apply} is the only way it changes.
 *
 * <p>Requests that wait are effects of this state: {@link #joinAnswer} and {@link #syncAnswer} tell from it alone
 * whether there is an answer. So whoever parks requests needs to remember nothing but whom to answer, and a client that
 * asks again after a crash finds its place.
 *
 * @param patience what the state waits for at most
 * @param protocolType what the members, or the last ones, are
 * @param protocol the one that all members of the generation know and most prefer
 * @param leader who assigns; there is one as long as there is a member
 * @param members in the order in which they came
 * @param ids that were given and have not been used yet
 * @param changes the cause of the generation to come
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

    /** The type of protocol that Kafka's consumers have. */
    public static final String CONSUMER = "consumer";

    /** Nobody was ever here. */
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

    /** @param generation the last one of the group */
    public ClassicDecision decide(ClassicCommand command, long generation) {
        return new ClassicDecider(this, generation).decide(command);
    }

    /**
     * @param token a number that no event had before
     * @param at wall time, for people
     */
    public ClassicGroup apply(ClassicEvent event, long token, long at) {
        if (event instanceof ClassicEvent.Committed) {
            // Offsets belong to the whole group, and commits are many.
            return this;
        }
        ClassicDraft draft = new ClassicDraft(this);
        draft.apply(event, token, at);
        return draft.group();
    }

    /** The end: nobody is here any more, and nobody is expected. */
    public ClassicGroup ended() {
        return NONE;
    }

    // Looking

    /** Whether the classic rules have this group, so that the others may not. */
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

    /** Whether the offsets of a topic are somebody's business. Where nobody can tell, those of consumers are. */
    public boolean subscribes(TopicName topic) {
        return members.values().stream()
                .map(ClassicMember::spec)
                .anyMatch(spec -> spec.topics()
                        .map(topics -> topics.contains(topic))
                        .orElse(spec.protocolType().equals(CONSUMER)));
    }

    /** Whether somebody's server is gone and he may be taken over. */
    public boolean hasAwayMember() {
        return members.values().stream().anyMatch(member -> member.away().isPresent());
    }

    /** Why a member may not act, if so. */
    public Optional<ClassicReply.Refusal> fence(MemberId id, Optional<String> instance) {
        if (instance.isPresent()) {
            Optional<ClassicMember> holder = instance(instance.get());
            if (holder.isPresent() && !holder.get().spec().id().equals(id)) {
                return Optional.of(new ClassicReply.FencedInstance("another consumer came with instance id \""
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

    /** The answer to a join that waits; empty: it must wait on. */
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
            // It joined by the modern rules, and the group became classic before a generation took it in.
            return Optional.of(new ClassicReply.RebalanceInProgress("the group became classic; join again"));
        }
        return Optional.of(generation(id, generation, false));
    }

    /** The present generation, for a member that is in it. */
    ClassicReply.Joined generation(MemberId id, long generation, boolean skipAssignment) {
        String chosen = protocol.orElse("");
        List<MemberMetadata> fellows = new ArrayList<>();
        if (isLeader(id)) {
            members.forEach((other, member) -> {
                if (isIn(member, chosen)) {
                    fellows.add(new MemberMetadata(
                            other, member.spec().instance(), member.spec().metadata(chosen), member.resumed()));
                }
            });
        }
        return new ClassicReply.Joined(
                id, generation, protocolType.orElse(""), chosen, leader.orElse(id), fellows, skipAssignment);
    }

    /**
     * Whether it is in the present generation, and can say something by its protocol. A leader may hear of its
     * generation when others wait for the next one already, and those need not know the protocol of this one: their
     * metadata would be empty, which clients do not expect.
     */
    private static boolean isIn(ClassicMember member, String protocol) {
        return !member.fresh() && member.spec().knows(protocol);
    }

    /** The answer to a sync that waits; empty: it must wait on. */
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

    /** What a member was given. */
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
                // Nothing is waited for.
            }
        }
        pendingIds.forEach((id, given) -> timers.add(new ClassicTimer.Id(id, given.token(), given.session())));
        members.forEach((id, member) -> member.away()
                .ifPresent(token -> timers.add(
                        new ClassicTimer.Away(id, token, member.spec().session()))));
        return timers;
    }

    /** How long a rebalance may take: as long as the most patient member allows. */
    Duration rebalanceMax() {
        return members.values().stream()
                .map(member -> member.spec().rebalance())
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    /** Whether all are at the barrier, those too who were given an id. */
    boolean allBack() {
        return pendingIds.isEmpty() && members.values().stream().allMatch(ClassicMember::waiting);
    }

    // Changing to other rules

    /**
     * What each member may be working at this moment; empty: not all of them can be read, so nobody can tell.
     *
     * <p>What a member was given, and what it had when it last came to the barrier: a cooperative one lets go of what
     * was not given to it again only when it hears of that. At the barrier it has what it says.
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
                // Their leader gave it twice. Whose it is is theirs to find out.
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

    /** Nobody lives by these rules any more. Those who were given an id are expected all the same. */
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
     * A group that lived by the modern rules lives by these from now on, and its members should come to the barrier.
     *
     * @param token a number that no event had before
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
                new RebalanceTimeouts(token, all.rebalanceMax(), Optional.empty()),
                all.protocolType,
                Optional.of(all.chooseProtocol()),
                all.leader,
                those,
                pendingIds,
                why);
    }

    // Protocols

    /** Whether a member of this type that knows these protocols can be in the group with all others. */
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

    /** Each member votes for the first of its protocols that all know; of those with most votes the first voted for. */
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
