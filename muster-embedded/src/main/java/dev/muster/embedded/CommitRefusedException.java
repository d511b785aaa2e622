package dev.muster.embedded;

import dev.muster.core.MusterException;
import dev.muster.core.TopicPartition;
import java.util.Set;
import java.util.TreeSet;

/** A commit came from a member that does not own a partition any more. Nothing was taken for those named. */
public final class CommitRefusedException extends MusterException {
    private final transient Set<TopicPartition> partitions;

    public CommitRefusedException(String message, Set<TopicPartition> partitions) {
        super(message, "process records idempotently: their new owner delivers them again; poll goes on");
        this.partitions = new TreeSet<>(partitions);
    }

    /** Those that are not owned any more; empty when this member is out of the group altogether. */
    public Set<TopicPartition> partitions() {
        return Set.copyOf(partitions);
    }
}
