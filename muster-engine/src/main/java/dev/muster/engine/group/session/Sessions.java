package dev.muster.engine.group.session;

import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import java.util.List;

/**
 * Where this process serves members of one group that are at the far end of a connection. Nothing here decides
 * anything: it knows which requests wait, and when each member was heard of. For all threads.
 */
interface Sessions {
    /** True if a member is served or expected here. */
    boolean active();

    /** Answers what the newest state that is known has answers for. Does not block. */
    void look();

    /** The times at which the members served here were heard of. */
    ConnectionLiveness listening();

    /** Those we serve and when each is to be taken for gone. */
    List<SessionDeadline> silences(Group group, long now);

    /** Time of the next look that waiting requests need. */
    default long nextLook(long now, long otherwise) {
        return otherwise;
    }

    /** What to propose; null when something was heard meanwhile. */
    Command expire(SessionDeadline silence);

    /** The group is gone: no member is served here any more. */
    void close();
}
