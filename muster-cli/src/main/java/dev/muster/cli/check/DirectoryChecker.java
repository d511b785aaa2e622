package dev.muster.cli.check;

import dev.muster.core.MusterException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongConsumer;

/** Verifies a data directory. The seam between the command and the store that knows the files. */
interface DirectoryChecker {
    /** @param progress hears how many bytes were read */
    Report check(Path directory, boolean repair, LongConsumer progress);

    DirectoryChecker FILES = (directory, repair, progress) -> {
        throw new MusterException("this build cannot check directories");
    };

    record Report(List<Finding> findings, long records, long batches, long bytes, int topics, int partitions) {}

    /** @param severity {@code damage}, {@code note} or {@code repaired} */
    record Finding(String severity, Path file, long position, String topicPartition, long offset, String problem) {
        boolean isDamage() {
            return severity.equals("damage");
        }
    }
}
