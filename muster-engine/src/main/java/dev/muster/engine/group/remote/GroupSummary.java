package dev.muster.engine.group.remote;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ClassicState;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.MemberId;
import dev.muster.core.group.model.Opaque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

/**
 * A group as Kafka's tools want to see it, by whatever rules it lives.
 *
 * @param modern whether its members live by the modern rules
 * @param protocolType empty: nobody ever joined by the classic rules
 * @param protocol chosen by the members of a stable generation; empty: none
 * @param damaged True if the state cannot be told, because the group's files are damaged
 */
public record GroupSummary(
        GroupName name,
        ClassicState state,
        boolean modern,
        String protocolType,
        String protocol,
        List<MemberSummary> members,
        boolean damaged) {

    /** A group whose state cannot be told. */
    static GroupSummary damaged(GroupName name) {
        return new GroupSummary(name, ClassicState.DEAD, false, "", "", List.of(), true);
    }

    public GroupSummary {
        members = List.copyOf(members);
    }

    /**
     * @param metadata what it says under the chosen protocol, when the group is stable
     * @param assignment what the leader gave it last
     * @param owned what it owns by the modern rules; by the classic ones only its assignment tells, to those who can
     *     read it
     */
    public record MemberSummary(
            String id,
            Optional<String> instance,
            String client,
            String address,
            Opaque metadata,
            Opaque assignment,
            SortedSet<TopicPartition> owned) {}

    /** @param dead members whose processes are dead: they are left out, and a group without others is empty */
    static GroupSummary of(GroupName name, Group group, Set<MemberId> dead) {
        if (!dead.containsAll(group.members().keySet())) {
            return ofModern(name, group, dead);
        }
        ClassicGroup classic = group.classic();
        ClassicState state = group.deleted() ? ClassicState.DEAD : classic.state();
        boolean stable = state == ClassicState.STABLE;
        List<MemberSummary> members = new ArrayList<>();
        classic.members()
                .values()
                .forEach(member -> members.add(new MemberSummary(
                        member.spec().id().value(),
                        member.spec().instance(),
                        member.spec().client(),
                        member.spec().address(),
                        stable ? member.spec().metadata(classic.protocol().orElse("")) : Opaque.EMPTY,
                        member.assignment(),
                        Collections.emptySortedSet())));
        return new GroupSummary(
                name,
                state,
                false,
                classic.protocolType().orElse(""),
                stable ? classic.protocol().orElse("") : "",
                members,
                false);
    }

    private static GroupSummary ofModern(GroupName name, Group group, Set<MemberId> dead) {
        List<MemberSummary> members = group.members().values().stream()
                .filter(member -> !dead.contains(member.spec().id()))
                .map(member -> new MemberSummary(
                        member.spec().id().value(),
                        member.spec().instance(),
                        member.spec().client(),
                        member.spec().address().orElse(member.spec().host().value()),
                        member.spec().classic()
                                ? member.spec().protocols().getFirst().metadata()
                                : Opaque.EMPTY,
                        Opaque.EMPTY,
                        member.owned()))
                .toList();
        return new GroupSummary(
                name,
                group.reconciled() ? ClassicState.STABLE : ClassicState.PREPARING_REBALANCE,
                true,
                ClassicGroup.CONSUMER,
                group.assignor(),
                members,
                false);
    }
}
