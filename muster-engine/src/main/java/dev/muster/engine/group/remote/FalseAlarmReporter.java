package dev.muster.engine.group.remote;

import dev.muster.core.MemberId;
import dev.muster.core.group.command.Command;
import dev.muster.engine.group.replica.GroupReplica;
import java.lang.System.Logger.Level;

/** Reports clients that use their member id after they were expelled. */
final class FalseAlarmReporter {
    private static final System.Logger LOG = System.getLogger(FalseAlarmReporter.class.getName());

    private FalseAlarmReporter() {}

    /**
     * Called when a request of an unknown member is refused. If the member was expelled for a lost connection, reports
     * to the group that it was alive.
     */
    static void spoke(GroupReplica replica, MemberId stranger) {
        if (replica.known().group().isMissing(stranger)) {
            LOG.log(
                    Level.WARNING,
                    "member {0} of group {1} lost its connection, was expelled and came back: from now on it gets more"
                            + " time",
                    stranger,
                    replica.name());
            // No answer waits for this command. If it fails, the next request reports the false alarm.
            replica.submit(new Command.ReportFalseAlarm(stranger)).exceptionally(e -> {
                LOG.log(Level.DEBUG, "a false alarm is not reported: {0}", e.getMessage());
                return null;
            });
        }
    }
}
