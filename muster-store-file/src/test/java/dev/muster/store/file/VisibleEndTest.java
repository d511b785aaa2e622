package dev.muster.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.file.log.FilePartition;
import dev.muster.store.read.BatchRegion;
import dev.muster.store.read.LogReader;
import dev.muster.testkit.NumberedRecords;
import dev.muster.testkit.disk.MemoryDisk;
import dev.muster.testkit.disk.PacedMachine;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** No reader sees records that are written and not durable yet. */
class VisibleEndTest {
    private static final int RECORDS = 300;

    private LogStore store;
    private PartitionLog log;

    @BeforeEach
    void makeALog() {
        PacedMachine pace = new PacedMachine();
        store = Stores.open(new MemoryDisk().process(pace), Path.of("/data"), new UUID(1, 1));
        // The upkeep would sync records that a test has left unsynced on purpose.
        pace.awaitRest();
        log = store.log(
                store.create(new TopicName("orders"), 1, TopicSettings.DEFAULT).id(), 0);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void recordsAreVisibleOnlyOnceTheyAreDurable() {
        log.append(NumberedRecords.batch(0, 1));
        assertThat(log.endOffset()).isZero();
        log.awaitDurable(1);
        assertThat(log.endOffset()).isEqualTo(1);
    }

    @Test
    void regionsEndAtTheVisibleEnd() {
        append(0);
        ((FilePartition) log).sync();
        long visible = passed();
        assertThat(visible).isGreaterThan(RECORDS * 100L);
        append(RECORDS);
        assertThat(passed()).isEqualTo(visible);
        ((FilePartition) log).sync();
        assertThat(passed()).isGreaterThan(visible + RECORDS * 100L);
    }

    /** The number of batches, enough for a region that stays in its file. */
    private void append(long first) {
        for (int i = 0; i < RECORDS; i++) {
            log.append(NumberedRecords.batch(first + i, 1));
        }
    }

    private long passed() {
        long bytes = 0;
        boolean inFile = false;
        try (LogReader reader = log.reader(0)) {
            for (BatchRegion next = reader.readRegion(1 << 20); next.length() > 0; next = reader.readRegion(1 << 20)) {
                bytes += next.length();
                inFile |= next instanceof BatchRegion.InFile;
            }
        }
        assertThat(inFile).as("not read but passed on").isTrue();
        return bytes;
    }
}
