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
 * Those members of a group that this process serves. Whether they live is for this process alone to say, as long as it
 * lives itself. The sessions are for all threads, the rest for the thread of the service.
 */
public final class ServedMembers {
    private static final long AGAIN_NANOS = 1_000_000_000;
    /** Of so many signs of life within the shortest session this process must miss all to be taken for silent. */
    private static final int SIGNS_PER_SESSION = 6;

    private final GroupReplica replica;
    private final HostId self;
    private final GroupRuntime runtime;
    private volatile ClassicSessions classic;
    private volatile RemoteSessions remote;
    private volatile boolean hungUp;

    // Of the service's thread.
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

    /** True if a member was ever served here, or is to be served. */
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
        allSessions().forEach(sessions -> sessions.listening().excuse(away, now));
    }

    public void close() {
        allSessions().forEach(Sessions::close);
    }

    /** A member has less time than assumed before. */
    public void hungUp() {
        hungUp = true;
    }

    /** How often this process has to show that it lives, for those it serves here. */
    public long heartbeatNanos() {
        return sessionMin / SIGNS_PER_SESSION;
    }

    public void clear() {
        lastClassic = null;
        lastModern = null;
        sessionMin = Long.MAX_VALUE;
    }

    /** Those we serve live as long as we hear of them. @return when to come again */
    public long step(Group group, ScheduledProposals proposals, long now) {
        if (!open()) {
            return now + AGAIN_NANOS;
        }
        boolean moved = group.classic() != lastClassic || group.members() != lastModern || hungUp;
        if (!moved && !Deadline.reached(nextLook, now)) {
            // A sign of life only moves a deadline away.
            return nextLook;
        }
        hungUp = false;
        lastClassic = group.classic();
        lastModern = group.members();
        sessionMin = shortestSession(group);
        long next = now + AGAIN_NANOS;
        Set<SessionDeadline> all = new HashSet<>();
        for (Sessions sessions : allSessions()) {
            // Should an answer have failed to become durable, it is tried again.
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
