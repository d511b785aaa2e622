package dev.muster.engine.group.remote;

import dev.muster.core.MemberId;
import dev.muster.core.group.command.Command;
import dev.muster.engine.group.replica.GroupReplica;
import java.lang.System.Logger.Level;

/** Reports clients that act as members of a group after they were expelled. */
final class FalseAlarmReporter {
    private static final System.Logger LOG = System.getLogger(FalseAlarmReporter.class.getName());

    private FalseAlarmReporter() {}

    /**
     * A client that is no member spoke, and is refused. If it was expelled for want of a connection, the group learns
     * that it lived.
     */
    static void spoke(GroupReplica replica, MemberId stranger) {
        if (replica.known().group().isMissing(stranger)) {
            LOG.log(
                    Level.WARNING,
                    "member {0} of group {1} lost its connection, was expelled and came back: it gets more time from"
                            + " now on",
                    stranger,
                    replica.name());
            // No answer waits for this. If it fails, the next request reports it.
            replica.submit(new Command.ReportFalseAlarm(stranger)).exceptionally(e -> {
                LOG.log(Level.DEBUG, "not noted: {0}", e.getMessage());
                return null;
            });
        }
    }
}
