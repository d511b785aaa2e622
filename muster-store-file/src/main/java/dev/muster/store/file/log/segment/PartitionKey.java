package dev.muster.store.file.log.segment;

import dev.muster.core.TopicId;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Which partition this is, and where it lies. The journal of a group is a partition too: the one with the number
 * {@value #JOURNAL} of what has the group's id.
 */
public record PartitionKey(TopicId topic, int partition, Path folder) {
    public static final int JOURNAL = -1;

    public static PartitionKey journal(UUID group, Path folder) {
        return new PartitionKey(new TopicId(group), JOURNAL, folder);
    }

    public boolean isJournal() {
        return partition == JOURNAL;
    }

    @Override
    public String toString() {
        return isJournal() ? "journal in " + folder : "partition " + partition + " in " + folder;
    }
}
