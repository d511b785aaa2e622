package dev.muster.cli.consume;

import dev.muster.cli.command.RootCommand;
import dev.muster.embedded.Reader;
import dev.muster.embedded.admin.PartitionInfo;
import dev.muster.embedded.admin.Topics;

/** Skips records that retention or a trim deleted before they were read, and reports that. */
final class Gaps {
    private final Topics topics;
    private final RootCommand root;

    Gaps(Topics topics, RootCommand root) {
        this.topics = topics;
        this.root = root;
    }

    /** Moves the reader out of all gaps; false if it is in none. */
    boolean skip(Reader<byte[], byte[]> reader) {
        boolean[] skipped = {false};
        reader.positions().forEach((partition, position) -> {
            PartitionInfo info = topics.partition(partition.topic().value(), partition.partition());
            if (position < info.startOffset()) {
                root.note("muster: offsets " + position + " to " + (info.startOffset() - 1) + " of " + partition
                        + " are deleted; going on at " + info.startOffset());
                reader.seek(partition, info.startOffset());
                skipped[0] = true;
            }
        });
        return skipped[0];
    }
}
