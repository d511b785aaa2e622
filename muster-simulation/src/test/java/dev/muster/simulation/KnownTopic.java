package dev.muster.simulation;

import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.testkit.sim.SimProcess;

/** The expected state of a topic. Only one actor at a time creates or deletes it. */
final class KnownTopic {
    private final TopicName name;
    /** The id of the topic that must exist; null if none must, or if it is unknown. */
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
