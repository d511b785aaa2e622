package dev.muster.embedded;

import dev.muster.core.MusterException;
import dev.muster.core.TopicPartition;
import java.util.Set;
import java.util.TreeSet;

/** A member committed partitions that it no longer owns. Nothing was committed for {@link #partitions}. */
public final class CommitRefusedException extends MusterException {
    private final transient Set<TopicPartition> partitions;

    public CommitRefusedException(String message, Set<TopicPartition> partitions) {
        super(message, "process records idempotently: their new owner delivers them again; poll continues");
        this.partitions = new TreeSet<>(partitions);
    }

    /** Partitions that the member no longer owns; empty if the member is not in the group any more. */
    public Set<TopicPartition> partitions() {
        return Set.copyOf(partitions);
    }
}
