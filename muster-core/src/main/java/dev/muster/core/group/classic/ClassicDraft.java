package dev.muster.core.group.classic;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.Change;
import dev.muster.core.group.model.Opaque;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SortedSet;
import java.util.function.UnaryOperator;

/**
 * A classic group while events are applied to it. Only this class knows the effect of each event on the classic part of
 * a group. For one thread; used once. An event that cannot have happened is a bug, and continuing would hide it.
 */
final class ClassicDraft {
    private ClassicState state;
    private RebalanceTimeouts patience;
    private Optional<String> protocolType;
    private Optional<String> protocol;
    private Optional<MemberId> leader;
    private final SequencedMap<MemberId, ClassicMember> members;
    private final SequencedMap<MemberId, PendingMemberId> ids;
    private List<Change> changes;

    ClassicDraft(ClassicGroup group) {
        state = group.state();
        patience = group.timeouts();
        protocolType = group.protocolType();
        protocol = group.protocol();
        leader = group.leader();
        members = new LinkedHashMap<>(group.members());
        ids = new LinkedHashMap<>(group.pendingIds());
        changes = group.changes();
    }

    ClassicGroup group() {
        return new ClassicGroup(state, patience, protocolType, protocol, leader, members, ids, changes);
    }

    void apply(ClassicEvent event, long token, long at) {
        switch (event) {
            case ClassicEvent.IdGiven e -> {
                ids.put(e.member(), new PendingMemberId(e.session(), token));
                extendSettling(token);
            }
            case ClassicEvent.IdDropped e -> ids.remove(e.member());
            case ClassicEvent.Joined e -> joined(e, token, at);
            case ClassicEvent.Rejoined e -> rejoined(e);
            case ClassicEvent.Replaced e -> replaced(e, at);
            case ClassicEvent.RebalanceBegan e -> rebalanceBegan(e, token);
            case ClassicEvent.RebalanceExtended e ->
                patience = new RebalanceTimeouts(token, e.after(), Optional.empty());
            case ClassicEvent.GenerationFormed e -> generationFormed(e, token);
            case ClassicEvent.Assigned e -> assigned(e);
            case ClassicEvent.Synced e -> change(e.member(), ClassicMember::withSynced);
            case ClassicEvent.Left e -> left(e);
            case ClassicEvent.Away e -> change(e.member(), member -> member.goneAway(token));
            case ClassicEvent.Adopted e ->
                change(e.member(), member -> member.adopted(member.spec().servedBy(e.host())));
            case ClassicEvent.Committed _ -> {
                // No effect on this part of the group.
            }
        }
    }

    private void joined(ClassicEvent.Joined event, long token, long at) {
        ClassicSpec spec = event.member();
        if (members.isEmpty()) {
            protocolType = Optional.of(spec.protocolType());
        }
        if (members.putIfAbsent(spec.id(), ClassicMember.joined(spec, at)) != null) {
            throw new IllegalStateException(spec.id() + " cannot join: it is a member already");
        }
        ids.remove(spec.id());
        leader = leader.or(() -> Optional.of(spec.id()));
        changes = Change.add(changes, spec.label(), event.predicate());
        extendSettling(token);
    }

    private void rejoined(ClassicEvent.Rejoined event) {
        change(event.member(), member -> member.rejoined(event.changed().orElse(member.spec())));
        ClassicSpec spec = members.get(event.member()).spec();
        event.why().ifPresent(why -> changes = Change.add(changes, spec.label(), why));
    }

    /** Puts the new membership at the place of the old one, so that the order of joining is kept. */
    private void replaced(ClassicEvent.Replaced event, long at) {
        ClassicMember old = member(event.old());
        Map<MemberId, ClassicMember> before = new LinkedHashMap<>(members);
        members.clear();
        before.forEach((id, member) -> {
            if (id.equals(event.old())) {
                members.put(event.now().id(), old.replacedBy(event.now(), event.waiting(), at));
            } else {
                members.put(id, member);
            }
        });
        if (leader.equals(Optional.of(event.old()))) {
            leader = Optional.of(event.now().id());
        }
        event.why().ifPresent(why -> changes = Change.add(changes, event.now().label(), why));
    }

    private void rebalanceBegan(ClassicEvent.RebalanceBegan event, long token) {
        boolean unassigned = state == ClassicState.COMPLETING_REBALANCE;
        state = ClassicState.PREPARING_REBALANCE;
        patience = new RebalanceTimeouts(token, event.after(), event.atMost());
        members.replaceAll((id, member) -> member.rebalancing(unassigned));
    }

    private void generationFormed(ClassicEvent.GenerationFormed event, long token) {
        state = members.isEmpty() ? ClassicState.EMPTY : ClassicState.COMPLETING_REBALANCE;
        patience = members.isEmpty()
                ? RebalanceTimeouts.NONE
                : new RebalanceTimeouts(token, event.after(), Optional.empty());
        protocol = event.protocol();
        leader = event.leader();
        members.replaceAll((id, member) -> member.withJoinAnswered());
        changes = List.of();
    }

    private void assigned(ClassicEvent.Assigned event) {
        state = ClassicState.STABLE;
        members.replaceAll(
                (id, member) -> member.assigned(event.assignment().getOrDefault(id, Opaque.EMPTY), meaning(event, id)));
        leader.ifPresent(id -> change(id, ClassicMember::withSynced));
    }

    private static Optional<SortedSet<TopicPartition>> meaning(ClassicEvent.Assigned event, MemberId id) {
        return event.onlyPartitions()
                ? Optional.of(event.partitions().getOrDefault(id, Collections.emptySortedSet()))
                : Optional.empty();
    }

    private void left(ClassicEvent.Left event) {
        ClassicMember member = member(event.member());
        members.remove(event.member());
        if (leader.equals(Optional.of(event.member()))) {
            leader = members.keySet().stream().findFirst();
        }
        String what = Change.of(event.cause()) + (event.reason().isEmpty() ? "" : " (" + event.reason() + ")");
        changes = Change.add(changes, member.spec().label(), what);
    }

    /** In a formerly empty group every sign of another member extends the wait. */
    private void extendSettling(long token) {
        if (state == ClassicState.PREPARING_REBALANCE && patience.isSettleWindow()) {
            patience = patience.restarted(token);
        }
    }

    private void change(MemberId id, UnaryOperator<ClassicMember> change) {
        members.put(id, change.apply(member(id)));
    }

    private ClassicMember member(MemberId id) {
        ClassicMember member = members.get(id);
        if (member == null) {
            throw new IllegalStateException("an event names member " + id + ", which is not in the group");
        }
        return member;
    }

    static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
