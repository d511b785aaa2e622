package dev.muster.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.file.log.FilePartition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records of a writer that died right after its write. */
class CatchUpTest {
    @TempDir
    Path directory;

    @Test
    void batchOfADeadWriterCountsAfterACatchUp() throws IOException {
        Path data = directory.resolve("data");
        try (FileStore store = FileStore.open(data, FileStoreOptions.defaults())) {
            PartitionLog log = store.log(
                    store.create(new TopicName("orders"), 1, TopicSettings.DEFAULT)
                            .id(),
                    0);
            log.settle();
            assertThat(log.endOffset()).as("nothing is there").isZero();
            log.append(Batches.of("a"));
            EncodedBatch last = Batches.of("b");
            log.append(last);
            ((FilePartition) log).sync();

            // The writer died after its write: the bytes are in the file, and the page has the end before them.
            byte[] unannounced = Arrays.copyOfRange(last.array(), last.at(), last.at() + last.size());
            BatchHeader.setBaseOffset(unannounced, 0, 2);
            Files.write(segment(data), unannounced, StandardOpenOption.APPEND);
            ((FilePartition) log).sync();
            assertThat(Batches.read(log, 0)).containsExactly("a", "b");

            log.settle();
            ((FilePartition) log).sync();
            assertThat(Batches.read(log, 0)).containsExactly("a", "b", "b");
            assertThat(log.append(Batches.of("c"))).isEqualTo(3);
            ((FilePartition) log).sync();
            assertThat(Batches.read(log, 0)).containsExactly("a", "b", "b", "c");
        }
    }

    private static Path segment(Path data) throws IOException {
        try (Stream<Path> all = Files.walk(data.resolve("logs"))) {
            return all.filter(file -> file.toString().endsWith(".log"))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
