package dev.muster.simulation;

import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.testkit.sim.SimProcess;

/** A topic as whoever makes and deletes topics knows it. One at a time does so with a topic. */
final class KnownTopic {
    private final TopicName name;
    /** The one that must be there; null when none must be, or that is not known. */
    private TopicId id;

    private int partitions;
    private SimProcess busy;

    KnownTopic(String name, int partitions) {
        this.name = new TopicName(name);
        this.partitions = partitions;
    }

    TopicName name() {
        return name;
    }

    TopicId id() {
        return id;
    }

    void is(TopicId now) {
        id = now;
    }

    int partitions() {
        return partitions;
    }

    int onePartitionMore() {
        return ++partitions;
    }

    boolean isBusy() {
        return busy != null && !busy.hasEnded();
    }

    void busyWith(SimProcess errand) {
        busy = errand;
    }
}
