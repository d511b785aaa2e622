package dev.muster.engine.group.service;

import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicTimer;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.GroupTimer;
import dev.muster.engine.group.replica.ScheduledProposal;
import dev.muster.engine.group.replica.ScheduledProposals;
import dev.muster.engine.runtime.Deadline;
import dev.muster.engine.runtime.GroupRuntime;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeMap;

/** Starts the timers that the state of a group asks for, and ends all others. For the thread of the service alone. */
final class GroupTimers {
    /** The additional wait per rank of a process before it settles joins that keep arriving. */
    private static final long SETTLE_STEP_NANOS = 500_000;

    /** The factor of the wait for joins in processes that are not the first in rank. */
    private static final int SETTLE_BACKUP = 3;

    private final MemberHosts hosts;
    private final GroupRuntime runtime;
    private final ScheduledProposals proposals;
    private boolean settling;
    private long settlingSince;
    private boolean classicSettling;
    private long classicSettlingSince;

    GroupTimers(MemberHosts hosts, GroupRuntime runtime, ScheduledProposals proposals) {
        this.hosts = hosts;
        this.runtime = runtime;
        this.proposals = proposals;
    }

    void start(Group group, long now) {
        Set<GroupTimer> timers = new LinkedHashSet<>(group.timers());
        proposals.removeIf(reason -> reason instanceof GroupTimer && !timers.contains(reason));
        boolean joins = timers.stream().anyMatch(timer -> timer instanceof GroupTimer.Settle);
        if (joins && !settling) {
            settlingSince = now;
        }
        settling = joins;
        boolean arrivals = timers.stream()
                .anyMatch(timer -> timer instanceof GroupTimer.Classic(var it) && it instanceof ClassicTimer.Settle);
        if (arrivals && !classicSettling) {
            classicSettlingSince = now;
        }
        classicSettling = arrivals;
        for (GroupTimer timer : timers) {
            proposals.addIfAbsent(timer, () -> proposal(timer, now));
        }
    }

    private ScheduledProposal proposal(GroupTimer timer, long now) {
        return switch (timer) {
            case GroupTimer.Settle settle -> settle(settle, now);
            case GroupTimer.Forming forming ->
                new ScheduledProposal(deadline(forming, now), _ -> new Command.FormingOver(forming.token()));
            case GroupTimer.OfMember ofMember ->
                new ScheduledProposal(deadline(ofMember, now), _ -> new Command.Expire(ofMember));
            case GroupTimer.Classic(var classic) -> classic(classic, now);
        };
    }

    private ScheduledProposal settle(GroupTimer.Settle timer, long now) {
        long after = Deadline.nanos(timer.after());
        boolean first = hosts.isSelf(timer.first());
        long latest =
                settlingSince + Deadline.nanos(timer.atMost()) + (first ? 0 : hosts.rank(null) * SETTLE_STEP_NANOS);
        long deadline = Deadline.earlier(now + (first ? after : SETTLE_BACKUP * after), latest);
        // Each join that arrives changes the token. After the longest wait, the proposal uses the newest token.
        return new ScheduledProposal(
                deadline,
                state -> new Command.Settle(
                        Deadline.reached(latest, runtime.nanoTime())
                                ? newestToken(state, timer.token())
                                : timer.token()));
    }

    private static long newestToken(Group group, long otherwise) {
        for (GroupTimer timer : group.timers()) {
            if (timer instanceof GroupTimer.Settle settle) {
                return settle.token();
            }
        }
        return otherwise;
    }

    private ScheduledProposal classic(ClassicTimer timer, long now) {
        long deadline = deadline(new GroupTimer.Classic(timer), now);
        if (!(timer instanceof ClassicTimer.Settle settle)) {
            return new ScheduledProposal(deadline, _ -> expire(timer));
        }
        long latest = classicSettlingSince + Deadline.nanos(settle.atMost()) + hosts.wait(null);
        // As with modern joins: after the longest wait, the proposal uses the newest timer.
        return new ScheduledProposal(
                Deadline.earlier(deadline, latest),
                state -> expire(Deadline.reached(latest, runtime.nanoTime()) ? newestSettle(state, timer) : timer));
    }

    private static Command expire(ClassicTimer timer) {
        return new Command.Classic(new ClassicCommand.Expire(timer), new TreeMap<>());
    }

    private static ClassicTimer newestSettle(Group group, ClassicTimer otherwise) {
        return group.classic().timers().stream()
                .filter(ClassicTimer.Settle.class::isInstance)
                .findFirst()
                .orElse(otherwise);
    }

    private long deadline(GroupTimer timer, long now) {
        return now + Deadline.nanos(timer.after()) + hosts.wait(null);
    }

    /** Postpones all timers except those for joins, because this process was paused for this time. */
    void excuse(long away, long now) {
        proposals.forEach((reason, proposal) -> {
            if (reason instanceof GroupTimer timer && !(reason instanceof GroupTimer.Settle)) {
                proposal.moveTo(Deadline.excused(proposal.deadline(), away, deadline(timer, now)));
            }
        });
    }

    void clear() {
        settling = false;
        classicSettling = false;
    }
}
