package dev.muster.engine.group.session;

import dev.muster.core.MemberId;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.Origin;
import dev.muster.engine.group.replica.DurableAnswers;
import dev.muster.engine.group.replica.GroupReplica;
import dev.muster.engine.runtime.GroupRuntime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The members of one group that are at the far end of a connection and served by this process. Nothing here decides
 * anything: it knows which requests wait, and the last sign of life of each member. For all threads.
 */
abstract class Sessions implements DurableAnswers.Waiting {
    final GroupReplica replica;
    final HostId self;
    final GroupRuntime runtime;
    final ConnectionLiveness liveness;
    private final DurableAnswers answers;

    Sessions(GroupReplica replica, HostId self, GroupRuntime runtime) {
        this.replica = replica;
        this.self = self;
        this.runtime = runtime;
        this.liveness = new ConnectionLiveness(runtime);
        this.answers = new DurableAnswers(replica, runtime, this);
    }

    /** True if a member is served or expected here. */
    abstract boolean active();

    /** Answers the requests for which the newest known state has an answer. Does not block. */
    public void look() {
        answers.look();
    }

    /** The times of the last signs of life of the members served here. */
    public ConnectionLiveness liveness() {
        return liveness;
    }

    /** The members served here, each with the time at which it is expelled. */
    abstract List<SessionDeadline> silences(Group group, long now);

    /** The end of a member's session. A lost connection shortens it, unless the member has an instance id. */
    SessionDeadline silence(
            Group group, MemberId member, Optional<String> instance, Origin origin, Duration session, long now) {
        return instance.isPresent()
                ? liveness.wholeSession(member, session, now)
                : liveness.silence(member, session, () -> group.falseAlarms().times(origin), now);
    }

    /** The time at which parked requests must be checked again. */
    long nextLook(long now, long otherwise) {
        return otherwise;
    }

    /** The command that expels the member; null if the member gave a sign of life meanwhile. */
    abstract Command expire(SessionDeadline silence);

    /** Ends all sessions, because the group was deleted. */
    @Override
    public abstract void close();
}
