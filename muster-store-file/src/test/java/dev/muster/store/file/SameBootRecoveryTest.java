package dev.muster.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.muster.core.CompressionKind;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.disk.BootId;
import dev.muster.store.DamagedLogException;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.BatchBuilder;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.batch.EncodedBatch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recovery without a control page in the boot that wrote the log: acknowledged records must stay. */
class SameBootRecoveryTest {
    private static final TopicName ORDERS = new TopicName("orders");
    private static final int RECORDS = 5;

    @TempDir
    Path directory;

    private Topic topic;
    private int[] positions;

    @BeforeEach
    void writeALog() throws IOException {
        try (FileStore store = open()) {
            topic = store.create(ORDERS, 1, TopicSettings.DEFAULT);
            positions = new int[RECORDS + 1];
            for (int i = 0; i < RECORDS; i++) {
                PartitionLog log = store.log(topic.id(), 0);
                log.append(Batches.of("value " + i));
                log.awaitDurable(i + 1);
                positions[i + 1] = (int) Files.size(segment());
            }
        }
        byte[] bytes = Files.readAllBytes(segment());
        positions[0] = BatchHeader.sizeInBytes(bytes, 0);
        Files.delete(folder().resolve("control-" + BootId.read()));
        Files.deleteIfExists(folder().resolve("checkpoint"));
    }

    @Test
    void recordsBehindADamagedLengthStayReadable() throws IOException {
        for (int i = 0; i < RECORDS; i++) {
            byte[] intact = Files.readAllBytes(segment());
            flipLengthOf(i);
            int damaged = i;
            try (FileStore store = open()) {
                PartitionLog log = store.log(topic.id(), 0);
                assertThat(log.endOffset()).isEqualTo(RECORDS);
                assertThatExceptionOfType(DamagedLogException.class)
                        .isThrownBy(() -> Batches.read(log, damaged))
                        .satisfies(damage -> {
                            assertThat(damage.firstOffset()).isEqualTo(damaged);
                            assertThat(damage.nextOffset()).isEqualTo(damaged + 1);
                            assertThat(damage).hasMessageContaining(".log");
                        });
                for (int k = i + 1; k < RECORDS; k++) {
                    assertThat(Batches.read(log, k)).first().isEqualTo("value " + k);
                }
            }
            Files.write(segment(), intact);
            Files.delete(folder().resolve("control-" + BootId.read()));
        }
    }

    @Test
    void appendBehindADamagedLengthUsesNoOffsetAgain() throws IOException {
        flipLengthOf(RECORDS - 1);
        try (FileStore store = open()) {
            PartitionLog log = store.log(topic.id(), 0);
            assertThat(log.append(Batches.of("new"))).isEqualTo(RECORDS);
            log.awaitDurable(RECORDS + 1);
            assertThat(Batches.read(log, RECORDS)).containsExactly("new");
        }
    }

    @Test
    void tornTailEndsTheLog() throws IOException {
        EncodedBatch unfinished = Batches.of("x".repeat(300));
        unfinished.place(RECORDS, 0);
        append(unfinished, unfinished.size() - 20);
        assertEndIsUnchanged();
    }

    /** The value is part of a batch whose writer was killed: it must not be taken for the log. */
    @Test
    void batchesInAValueOfATornTailDoNotCount() throws IOException {
        ByteArrayOutputStream value = new ByteArrayOutputStream();
        for (int i = 0; i < 3; i++) {
            EncodedBatch inside = Batches.of("inside " + i);
            inside.place(RECORDS + 1 + i, 0);
            value.write(inside.array(), inside.at(), inside.size());
        }
        byte[] filler = new byte[500];
        new Random(1).nextBytes(filler);
        value.write(filler);
        BatchBuilder builder = new BatchBuilder(new byte[64 << 10], CompressionKind.NONE);
        assertThat(builder.tryAppend(1000, null, value.toByteArray(), List.of()))
                .isTrue();
        EncodedBatch unfinished = builder.finish(-1, (short) -1, -1);
        unfinished.place(RECORDS, 0);
        append(unfinished, unfinished.size() - 100);
        assertEndIsUnchanged();
    }

    /** Two kinds of trouble at once: the length of an old batch is wrong, and the last writer was killed. */
    @Test
    void recordsBetweenADamagedLengthAndATornTailStay() throws IOException {
        EncodedBatch unfinished = Batches.of("x".repeat(300));
        unfinished.place(RECORDS, 0);
        append(unfinished, 200);
        flipLengthOf(1);
        try (FileStore store = open()) {
            PartitionLog log = store.log(topic.id(), 0);
            assertThat(log.endOffset()).isEqualTo(RECORDS);
            assertThat(Batches.read(log, 2)).containsExactly("value 2", "value 3", "value 4");
        }
    }

    private void assertEndIsUnchanged() {
        try (FileStore store = open()) {
            PartitionLog log = store.log(topic.id(), 0);
            assertThat(log.endOffset()).isEqualTo(RECORDS);
            assertThat(log.append(Batches.of("new"))).isEqualTo(RECORDS);
            log.awaitDurable(RECORDS + 1);
            assertThat(Batches.read(log, RECORDS - 1)).containsExactly("value 4", "new");
        }
    }

    private void append(EncodedBatch batch, int bytes) throws IOException {
        Files.write(
                segment(),
                Arrays.copyOfRange(batch.array(), batch.at(), batch.at() + bytes),
                StandardOpenOption.APPEND);
    }

    /** The batch seems to be far longer than the file. */
    private void flipLengthOf(int record) throws IOException {
        byte[] bytes = Files.readAllBytes(segment());
        bytes[positions[record] + BatchHeader.LENGTH_AT + 1] ^= 1;
        Files.write(segment(), bytes);
    }

    private Path folder() {
        return directory.resolve("logs").resolve(topic.id().toString()).resolve("partition-0");
    }

    private Path segment() {
        return folder().resolve("00000000000000000000.log");
    }

    private FileStore open() {
        return FileStore.open(directory, FileStoreOptions.defaults().withAllowAnyFileSystem(true));
    }
}
