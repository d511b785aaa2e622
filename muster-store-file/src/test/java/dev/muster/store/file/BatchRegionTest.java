package dev.muster.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.DamagedLogException;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.file.log.FilePartition;
import dev.muster.store.read.BatchRegion;
import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A region that a reader forwards without decoding has the batches that it would have read, up to the same end. Damage
 * that the headers show is reported before. Damage that only a checksum shows is left to the reader that decodes the
 * records.
 */
class BatchRegionTest {
    private static final int BATCHES = 40;
    private static final int RECORDS = 2;
    private static final int VALUE_BYTES = 4 << 10;
    private static final int DAMAGED = 17;

    @TempDir
    Path directory;

    private FileStore store;

    @BeforeEach
    void open() {
        store = FileStore.open(directory.resolve("data"), FileStoreOptions.defaults());
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void regionsHaveTheSameBytesAsReads() throws IOException {
        PartitionLog log = filledLog(TopicSettings.DEFAULT.withSegmentBytes(100 << 10));
        for (long from : List.of(0L, 1L, 2L, 27L, BATCHES * RECORDS - 1L)) {
            byte[] read = read(log, from);
            for (int bytesMax : new int[] {0, 1_000, 33 << 10, 60 << 10, 1 << 20}) {
                assertThat(passed(log, from, bytesMax).bytes())
                        .as("from offset %d, %d bytes at a time", from, bytesMax)
                        .isEqualTo(read);
            }
        }
    }

    @Test
    void largeRegionsStayInTheirFileAndSmallOnesDoNot() {
        PartitionLog log = filledLog(TopicSettings.DEFAULT);
        try (LogReader reader = log.reader(0)) {
            assertThat(reader.readRegion(100 << 10)).isInstanceOf(BatchRegion.InFile.class);
            assertThat(reader.position()).isEqualTo(24);
            assertThat(reader.memoryBytes()).as("nothing was read").isZero();
            assertThat(reader.readRegion(20 << 10)).isInstanceOf(BatchRegion.InMemory.class);
        }
        try (LogReader reader = log.reader(BATCHES * RECORDS - 3)) {
            assertThat(reader.readRegion(100 << 10))
                    .as("the last two batches")
                    .isInstanceOf(BatchRegion.InMemory.class);
            assertThat(reader.readRegion(100 << 10).length()).as("at the end").isZero();
        }
    }

    @Test
    void damagedHeaderIsReportedUnlessOnlyItsChecksumShowsIt() throws IOException {
        PartitionLog log = filledLog(TopicSettings.DEFAULT);
        byte[] whole = read(log, 0);
        int size = whole.length / BATCHES;
        byte[] segment = Files.readAllBytes(segment());
        int head = segment.length - (BATCHES - DAMAGED) * size;
        for (int at = 0; at < BatchHeader.SIZE; at++) {
            byte[] broken = segment.clone();
            broken[head + at] ^= 0x11;
            Files.write(segment(), broken);
            Passed passed = passed(log, 0, 1 << 20);
            if (isConfirmedByPlace(at)) {
                assertThat(passed.damages())
                        .as("byte %d of the head is broken", at)
                        .hasSize(1);
                assertThat(passed.damages().getFirst().firstOffset()).isEqualTo(DAMAGED * RECORDS);
                assertThat(passed.damages().getFirst().nextOffset()).isEqualTo((DAMAGED + 1) * RECORDS);
                assertThat(passed.bytes()).hasSize(whole.length - size);
            } else {
                whole[DAMAGED * size + at] ^= 0x11;
                assertThat(passed.damages())
                        .as("byte %d of the head is broken", at)
                        .isEmpty();
                assertThat(passed.bytes()).isEqualTo(whole);
                boolean isEpoch = at >= BatchHeader.LEADER_EPOCH_AT && at < BatchHeader.MAGIC_AT;
                assertThat(BatchHeader.crcHolds(passed.bytes(), DAMAGED * size))
                        .as("byte %d of the head is broken", at)
                        .isEqualTo(isEpoch);
                whole[DAMAGED * size + at] ^= 0x11;
            }
        }
    }

    @Test
    void damagedRecordIsForwardedWithItsChecksum() throws IOException {
        PartitionLog log = filledLog(TopicSettings.DEFAULT);
        byte[] whole = read(log, 0);
        int size = whole.length / BATCHES;
        byte[] segment = Files.readAllBytes(segment());
        segment[segment.length - (BATCHES - DAMAGED) * size + 1_000] ^= 1;
        Files.write(segment(), segment);

        assertThatExceptionOfType(DamagedLogException.class).isThrownBy(() -> read(log, 0));
        byte[] passed = passed(log, 0, 1 << 20).bytes();
        for (int i = 0; i < BATCHES; i++) {
            assertThat(BatchHeader.crcHolds(passed, i * size)).as("batch %d", i).isEqualTo(i != DAMAGED);
        }
    }

    @Test
    void lastBatchIsCheckedBeforeItIsForwarded() throws IOException {
        PartitionLog log = filledLog(TopicSettings.DEFAULT.withSegmentBytes(100 << 10));
        Path first = segment();
        byte[] segment = Files.readAllBytes(first);
        // Behind the last batch is the seal, of 61 bytes and more.
        segment[segment.length - 200] ^= 1;
        Files.write(first, segment);
        assertThat(passed(log, 0, 1 << 20).damages()).hasSize(1);
    }

    /**
     * True for a byte of the base offset, the length, the magic or the number of records, which the place of the batch
     * confirms.
     */
    private static boolean isConfirmedByPlace(int at) {
        return at < BatchHeader.LEADER_EPOCH_AT
                || at == BatchHeader.MAGIC_AT
                || at >= BatchHeader.LAST_OFFSET_DELTA_AT && at < BatchHeader.BASE_TIMESTAMP_AT;
    }

    private PartitionLog filledLog(TopicSettings settings) {
        PartitionLog log =
                store.log(store.create(new TopicName("orders"), 1, settings).id(), 0);
        for (int i = 0; i < BATCHES; i++) {
            String value = Character.toString('a' + i % 26).repeat(VALUE_BYTES);
            log.append(Batches.of(value, value));
        }
        ((FilePartition) log).sync();
        return log;
    }

    private static byte[] read(PartitionLog log, long from) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (LogReader reader = log.reader(from)) {
            for (LogSlice slice = reader.read(10_000); !slice.isEmpty(); slice = reader.read(10_000)) {
                write(slice.bytes(), all);
            }
        }
        return all.toByteArray();
    }

    private record Passed(byte[] bytes, List<DamagedLogException> damages) {}

    private static Passed passed(PartitionLog log, long from, int bytesMax) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        List<DamagedLogException> damages = new ArrayList<>();
        try (LogReader reader = log.reader(from)) {
            while (true) {
                try {
                    BatchRegion batches = reader.readRegion(bytesMax);
                    if (batches.length() == 0) {
                        return new Passed(all.toByteArray(), damages);
                    }
                    int before = all.size();
                    write(batches, all);
                    assertThat(all.size() - before).isEqualTo(batches.length());
                } catch (DamagedLogException e) {
                    damages.add(e);
                    reader.seek(e.nextOffset());
                }
            }
        }
    }

    private static void write(BatchRegion batches, ByteArrayOutputStream all) throws IOException {
        switch (batches) {
            case BatchRegion.InMemory memory -> write(memory.bytes(), all);
            case BatchRegion.InFile file -> {
                WritableByteChannel target = Channels.newChannel(all);
                try (BatchRegion.Source source = file.open()) {
                    for (int sent = 0; sent < file.length(); ) {
                        sent += (int) source.transferTo(sent, target);
                    }
                }
            }
        }
    }

    private static void write(ByteBuffer bytes, ByteArrayOutputStream all) {
        all.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
    }

    private Path segment() throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
    }
}
