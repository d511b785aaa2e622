package dev.muster.engine.group.service;

import dev.muster.core.MemberId;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.engine.group.replica.ScheduledProposal;
import dev.muster.engine.group.replica.ScheduledProposals;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Memberships of this process that no consumer here uses any more. The process lives, so no other process would expel
 * them. This class ends them and repeats the attempt until it succeeds.
 */
final class AbandonedMembers {
    private static final long WAIT_NANOS = 2_000_000_000;

    private final HostId self;
    private final Set<LocalMember> members;
    private final ScheduledProposals proposals;
    /** Memberships that may be in the group. Each is kept until it is certainly out. */
    private final Set<MemberId> reported = ConcurrentHashMap.newKeySet();

    /** The reason for a proposal: a membership of this process that no member here knows. */
    private record Abandoned(MemberId member) {}

    /** @param members the members of this process */
    AbandonedMembers(HostId self, Set<LocalMember> members, ScheduledProposals proposals) {
        this.self = self;
        this.members = members;
        this.proposals = proposals;
    }

    /**
     * Notes a membership that no consumer uses any more and that may still be in the group. Any thread may call this.
     */
    void report(MemberId member) {
        reported.add(member);
    }

    boolean isEmpty() {
        return reported.isEmpty();
    }

    /** Finds memberships of joins whose answers were lost. For the thread of the service. */
    void find(Group group, long now) {
        Set<MemberId> known = new HashSet<>();
        members.forEach(member -> known.add(member.id()));
        group.members().forEach((id, member) -> {
            boolean ownHere =
                    member.spec().host().equals(self) && !member.spec().remote();
            if (member.away().isEmpty() && ownHere && !known.contains(id)) {
                endLater(id, now);
            }
        });
    }

    /** Proposes the end of reported memberships, and drops what is done. For the thread of the service. */
    void end(Group group, long now) {
        reported.forEach(id -> endLater(id, now));
        proposals.removeIf(reason -> reason instanceof Abandoned(var id)
                && !reported.contains(id)
                && (!group.members().containsKey(id) || isUsed(id)));
    }

    private void endLater(MemberId id, long now) {
        proposals.addIfAbsent(
                new Abandoned(id),
                () -> new ScheduledProposal(
                        now + WAIT_NANOS,
                        state -> state.members().containsKey(id) && !isUsed(id)
                                ? new Command.Leave(id, LeaveCause.LEFT, false)
                                : null,
                        () -> reported.remove(id)));
    }

    private boolean isUsed(MemberId id) {
        return members.stream().anyMatch(member -> id.equals(member.id()));
    }
}
