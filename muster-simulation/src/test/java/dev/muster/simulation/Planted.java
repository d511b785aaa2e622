package dev.muster.simulation;

import dev.muster.core.TopicPartition;
import dev.muster.core.assign.Assignor;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Decision;
import dev.muster.disk.Disk;
import dev.muster.engine.group.member.GroupReader;
import dev.muster.engine.group.service.GroupService;
import dev.muster.store.LogStore;
import dev.muster.store.file.host.ProcessIdentity;
import dev.muster.testkit.sim.Faults;
import dev.muster.testkit.sim.SimProcess;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;

/** A planted mistake, at the edges of the program. Every method does the right thing by default. */
interface Planted {
    Planted NOTHING = new Planted() {};

    default Disk disk(SimProcess process, Disk disk) {
        return disk;
    }

    default LogStore store(SimProcess process, LogStore store) {
        return store;
    }

    default Decision decide(Group group, Command command, Map<String, Assignor> assignors) {
        return group.decide(command, assignors);
    }

    /** The calls of a server into the engine. */
    default Door door(SimProcess process, GroupService service, Door right) {
        return right;
    }

    /** The cast with which the mistake shows; empty for any. */
    default Optional<Cast> cast() {
        return Optional.empty();
    }

    /** True if the mistake shows only with late commits. */
    default boolean needsLateCommits() {
        return false;
    }

    default long nanoTime(SimProcess process) {
        return process.nanoTime();
    }

    default Duration lockPatience() {
        return Duration.ofMillis(200);
    }

    default ProcessIdentity identity(ProcessIdentity right, int slot) {
        return right;
    }

    default void assigned(SimProcess process, GroupReader reader, SortedSet<TopicPartition> partitions) {}

    /** Faults that the mistake needs to show. */
    default void faults(Faults faults) {}
}
