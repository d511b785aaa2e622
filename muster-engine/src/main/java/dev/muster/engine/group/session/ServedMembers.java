package dev.muster.engine.group.session;

import dev.muster.core.MemberId;
import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.Member;
import dev.muster.engine.group.replica.GroupReplica;
import dev.muster.engine.group.replica.ScheduledProposal;
import dev.muster.engine.group.replica.ScheduledProposals;
import dev.muster.engine.runtime.Deadline;
import dev.muster.engine.runtime.GroupRuntime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;

/**
 * The members of a group that this process serves. While the process lives, it alone decides whether they are alive.
 * The sessions are safe for many threads; the rest is for the thread of the service.
 */
public final class ServedMembers {
    private static final long AGAIN_NANOS = 1_000_000_000;
    /** The number of signs of life that this process gives within the shortest session. */
    private static final int SIGNS_PER_SESSION = 6;

    private final GroupReplica replica;
    private final HostId self;
    private final GroupRuntime runtime;
    private volatile ClassicSessions classic;
    private volatile RemoteSessions remote;
    private volatile boolean hungUp;

    // For the thread of the service.
    private volatile long sessionMin = Long.MAX_VALUE;
    private ClassicGroup lastClassic;
    private SortedMap<MemberId, Member> lastModern;
    private long nextLook;

    public ServedMembers(GroupReplica replica, HostId self, GroupRuntime runtime) {
        this.replica = replica;
        this.self = self;
        this.runtime = runtime;
    }

    public synchronized ClassicSessions classic() {
        if (classic == null) {
            classic = new ClassicSessions(replica, self, runtime);
        }
        return classic;
    }

    public synchronized RemoteSessions remote() {
        if (remote == null) {
            remote = new RemoteSessions(replica, self, runtime);
        }
        return remote;
    }

    private List<Sessions> allSessions() {
        List<Sessions> allSessions = new ArrayList<>(2);
        if (classic != null) {
            allSessions.add(classic);
        }
        if (remote != null) {
            allSessions.add(remote);
        }
        return allSessions;
    }

    /** True if a member was ever served here, or is about to be. */
    public boolean open() {
        return classic != null || remote != null;
    }

    public boolean active() {
        return allSessions().stream().anyMatch(Sessions::active);
    }

    public void look() {
        allSessions().forEach(Sessions::look);
    }

    public void excuse(long away, long now) {
        allSessions().forEach(sessions -> sessions.liveness().excuse(away, now));
    }

    public void close() {
        allSessions().forEach(Sessions::close);
    }

    /** Notes that a member closed its connection: its deadline is earlier now. */
    public void hungUp() {
        hungUp = true;
    }

    /** The interval of this process's signs of life that the served members need. */
    public long heartbeatNanos() {
        return sessionMin / SIGNS_PER_SESSION;
    }

    public void clear() {
        lastClassic = null;
        lastModern = null;
        sessionMin = Long.MAX_VALUE;
    }

    /**
     * Proposes the expulsion of silent members.
     *
     * @return the time of the next call
     */
    public long step(Group group, ScheduledProposals proposals, long now) {
        if (!open()) {
            return now + AGAIN_NANOS;
        }
        boolean moved = group.classic() != lastClassic || group.members() != lastModern || hungUp;
        if (!moved && !Deadline.reached(nextLook, now)) {
            // Without other changes the deadlines only moved later.
            return nextLook;
        }
        hungUp = false;
        lastClassic = group.classic();
        lastModern = group.members();
        sessionMin = shortestSession(group);
        long next = now + AGAIN_NANOS;
        Set<SessionDeadline> all = new HashSet<>();
        for (Sessions sessions : allSessions()) {
            // An answer whose state failed to become durable is tried again.
            sessions.look();
            List<SessionDeadline> due = sessions.silences(group, now);
            all.addAll(due);
            next = sessions.nextLook(now, next);
            for (SessionDeadline silence : due) {
                if (!Deadline.reached(silence.deadline(), now)) {
                    next = Deadline.earlier(next, silence.deadline());
                } else {
                    proposals.addIfAbsent(silence, () -> new ScheduledProposal(now, _ -> sessions.expire(silence)));
                }
            }
        }
        proposals.removeIf(reason -> reason instanceof SessionDeadline silence && !all.contains(silence));
        nextLook = next;
        return next;
    }

    private long shortestSession(Group group) {
        long shortest = Long.MAX_VALUE;
        for (Member member : group.members().values()) {
            if (member.spec().remote()
                    && member.spec().host().equals(self)
                    && member.away().isEmpty()) {
                shortest =
                        Math.min(shortest, Deadline.nanos(member.spec().timing().session()));
            }
        }
        for (var member : group.classic().members().values()) {
            if (member.spec().host().equals(self) && member.away().isEmpty()) {
                shortest = Math.min(shortest, Deadline.nanos(member.spec().session()));
            }
        }
        return shortest;
    }
}
