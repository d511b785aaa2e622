package dev.muster.engine.admin;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ClassicState;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.Opaque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

/**
 * A group as administrators see it, with members of any protocol.
 *
 * @param modern True if the group has the modern rules
 * @param protocolType type of the members' protocol; empty if no member ever joined by the classic rules
 * @param protocol protocol that the members of a stable generation chose; empty if none is chosen
 */
public record GroupSummary(
        GroupName name,
        GroupStatus state,
        boolean modern,
        String protocolType,
        String protocol,
        List<MemberSummary> members) {

    /** A group whose files are damaged. */
    static GroupSummary damaged(GroupName name) {
        return new GroupSummary(name, GroupStatus.DAMAGED, false, "", "", List.of());
    }

    public GroupSummary {
        members = List.copyOf(members);
    }

    /**
     * A member of a group.
     *
     * @param metadata the member's metadata under the chosen protocol; empty if the group is not stable
     * @param assignment the leader's last assignment, as bytes
     * @param owned partitions that the member owns by the modern rules. By the classic rules only the assignment's
     *     bytes contain them
     */
    public record MemberSummary(
            String id,
            Optional<String> instance,
            String client,
            String address,
            Opaque metadata,
            Opaque assignment,
            SortedSet<TopicPartition> owned) {}

    /**
     * @param dead members whose processes are dead: the summary omits them, and a group without other members is empty
     */
    static GroupSummary of(GroupName name, Group group, Set<MemberId> dead) {
        if (!dead.containsAll(group.members().keySet())) {
            return ofModern(name, group, dead);
        }
        ClassicGroup classic = group.classic();
        GroupStatus state = group.deleted() ? GroupStatus.DELETED : state(classic.state());
        boolean stable = state == GroupStatus.STABLE;
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
                members);
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
                group.reconciled() ? GroupStatus.STABLE : GroupStatus.RECONCILING,
                true,
                ClassicGroup.CONSUMER,
                group.assignor(),
                members);
    }

    private static GroupStatus state(ClassicState state) {
        return switch (state) {
            case EMPTY -> GroupStatus.EMPTY;
            case PREPARING_REBALANCE -> GroupStatus.JOINING;
            case COMPLETING_REBALANCE -> GroupStatus.ASSIGNING;
            case STABLE -> GroupStatus.STABLE;
            case DEAD -> GroupStatus.DELETED;
        };
    }
}
