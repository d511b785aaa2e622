package dev.muster.store.file.log.segment;

import dev.muster.core.TopicId;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The identity and the folder of a partition. The journal of a group is a partition too: its number is
 * {@value #JOURNAL}, and its topic id is the group's id.
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
