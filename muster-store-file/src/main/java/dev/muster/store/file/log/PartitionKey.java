package dev.muster.store.file.log;

import dev.muster.core.TopicId;
import java.nio.file.Path;

/** Which partition this is, and where it lies. */
public record PartitionKey(TopicId topic, int partition, Path folder) {
    @Override
    public String toString() {
        return "partition " + partition + " in " + folder;
    }
}
