package dev.muster.engine.group.service;

import dev.muster.core.MemberId;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.engine.group.replica.ScheduledProposal;
import dev.muster.engine.group.replica.ScheduledProposals;
import dev.muster.engine.runtime.Deadline;
import java.lang.System.Logger.Level;
import java.util.Set;

/**
 * Makes members of this process leave if they hold records for too long without polling. For the thread of the service.
 */
final class PollTimeouts {
    private static final System.Logger LOG = System.getLogger(PollTimeouts.class.getName());
    private static final long AGAIN_NANOS = 1_000_000_000;

    private final GroupName group;
    private final Set<LocalMember> members;
    private final ScheduledProposals proposals;

    /** The reason for a proposal: a member of this process that does not poll. */
    private record Stuck(MemberId member) {}

    PollTimeouts(GroupName group, Set<LocalMember> members, ScheduledProposals proposals) {
        this.group = group;
        this.members = members;
        this.proposals = proposals;
    }

    /** @return the time of the next check */
    long look(Group state, long now) {
        long next = now + AGAIN_NANOS;
        for (LocalMember member : members) {
            MemberId id = member.id();
            long idleSince = member.idleSince();
            boolean works = id != null && state.members().containsKey(id);
            if (!works || idleSince == LocalMember.NOT_IDLE) {
                continue;
            }
            long deadline = idleSince + Deadline.nanos(member.maxPollInterval());
            if (Deadline.reached(deadline, now)) {
                proposals.addIfAbsent(new Stuck(id), () -> leave(member, id, now));
            } else {
                next = Deadline.earlier(next, deadline);
            }
        }
        proposals.removeIf(
                reason -> reason instanceof Stuck(var id) && !state.members().containsKey(id));
        return next;
    }

    private ScheduledProposal leave(LocalMember member, MemberId id, long now) {
        LOG.log(
                Level.WARNING,
                "member {0} of group {1} has not polled for {2} and leaves the group",
                id,
                group,
                member.maxPollInterval());
        return new ScheduledProposal(now, _ -> new Command.Leave(id, LeaveCause.POLL_TIMED_OUT, false));
    }
}
