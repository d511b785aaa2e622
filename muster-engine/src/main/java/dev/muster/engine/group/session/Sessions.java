package dev.muster.engine.group.session;

import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import java.util.List;

/**
 * Where this process serves members of one group that are at the far end of a connection. Nothing here decides
 * anything: it knows whose request waits, and who was heard of when. For all threads.
 */
interface Sessions {
    /** Whether there is anybody to be served, or expected. */
    boolean active();

    /** Answers what the newest state that is known has answers for. Does not block. */
    void look();

    /** When those who are served here were heard of. */
    ConnectionLiveness listening();

    /** Those we serve and when each is to be taken for gone. */
    List<SessionDeadline> silences(Group group, long now);

    /** When to look again at the latest, for the sake of those whose request waits. */
    default long nextLook(long now, long otherwise) {
        return otherwise;
    }

    /** What to propose; null when something was heard meanwhile. */
    Command expire(SessionDeadline silence);

    /** The group is gone: nobody is served here any more. */
    void close();
}
