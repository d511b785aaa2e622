package dev.muster.engine.runtime;

import dev.muster.core.assign.Assignor;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Decision;
import java.util.Map;

/** An {@link EngineRuntime} with two settings of groups, which a simulation changes. */
public interface GroupRuntime extends EngineRuntime {
    int SNAPSHOT_EVERY = 1000;

    /**
     * The number of journal lines after which a snapshot is written. A simulation, with its short-lived groups, uses
     * fewer.
     */
    default int snapshotEvery() {
        return SNAPSHOT_EVERY;
    }

    /** Decides a command by the rules. A simulation replaces the rules by broken ones, to show that it notices. */
    default Decision decide(Group group, Command command, Map<String, Assignor> assignors) {
        return group.decide(command, assignors);
    }
}
