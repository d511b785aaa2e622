package dev.muster.store.file.trouble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.group.model.GroupName;
import dev.muster.disk.Disk;
import dev.muster.disk.local.NativeDisk;
import dev.muster.store.DamagedLogException;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.Stores;
import dev.muster.store.file.check.CheckReport;
import dev.muster.store.file.finding.Finding;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupJournal.Line;
import dev.muster.testkit.ExpectedTrouble;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Damage in a journal is reported with file and version, and the lines before and behind it can be read. */
@ExtendWith(ExpectedTrouble.class)
class DamagedJournalTest {
    private static final GroupName GROUP = new GroupName("workers");
    private static final int LINES = 30;

    @TempDir
    Path directory;

    @BeforeEach
    void writeAJournal() {
        try (FileStore store = Stores.open(directory)) {
            GroupJournal journal = store.groups().open(GROUP);
            for (int i = 0; i < LINES; i++) {
                assertThat(journal.append(i, line(i))).isTrue();
            }
            journal.awaitDurable(LINES);
        }
    }

    private static String line(int i) {
        return "{\"line\":" + i + "}";
    }

    private Path segment() throws IOException {
        return segment(directory);
    }

    private static Path segment(Path data) throws IOException {
        try (Stream<Path> files = Files.walk(data.resolve("consumer-groups"))) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private void damage(String text, String by) throws IOException {
        Path file = segment();
        String content = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        assertThat(content).containsOnlyOnce(text);
        Files.write(file, content.replace(text, by).getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void anUntouchedJournalIsClean() {
        CheckReport report = Stores.check(directory);
        assertThat(report.findings()).isEmpty();
        assertThat(report.groups()).isEqualTo(1);
        assertThat(report.records()).isEqualTo(LINES);
    }

    @Test
    void changedLineIsReportedAndTheOthersStayReadable() throws IOException {
        damage(line(12), "{\"line\":21}");
        assertThat(Stores.damage(Stores.check(directory))).singleElement().satisfies(finding -> {
            assertThat(finding.topicPartition()).isEqualTo("group workers");
            assertThat(finding.offset()).isEqualTo(12);
            assertThat(finding.file()).isEqualTo(segment());
        });
        try (FileStore store = Stores.open(directory)) {
            GroupJournal journal = store.groups().open(GROUP);
            List<Line> read = new ArrayList<>(journal.read(0));
            assertThat(read).hasSize(12);
            assertThatThrownBy(() -> journal.read(12))
                    .isInstanceOfSatisfying(
                            DamagedLogException.class,
                            damage -> assertThat(damage.nextOffset()).isEqualTo(13));
            read.addAll(journal.read(13));
            assertThat(read)
                    .hasSize(LINES - 1)
                    .allSatisfy(line -> assertThat(line.text()).isEqualTo(line((int) line.version())));
            assertThat(journal.append(LINES, "{}")).isTrue();
            assertThat(journal.read(LINES)).containsExactly(new Line(LINES, "{}"));
        }
    }

    @Test
    void lineThatIsNoJsonIsReported() {
        try (FileStore store = Stores.open(directory)) {
            assertThat(store.groups().open(GROUP).append(LINES, "{\"torn\":")).isTrue();
        }
        assertThat(Stores.damage(Stores.check(directory))).singleElement().satisfies(finding -> {
            assertThat(finding.offset()).isEqualTo(LINES);
            assertThat(finding.problem()).contains("not JSON");
        });
    }

    @Test
    void unreadableGroupFileIsReported() throws IOException {
        Path file = directory.resolve("consumer-groups/workers/group.json");
        Files.writeString(file, "{\"format\":1}");
        assertThat(Stores.damage(Stores.check(directory)))
                .singleElement()
                .extracting(Finding::file)
                .isEqualTo(file);
        try (FileStore store = Stores.open(directory)) {
            assertThatThrownBy(() -> store.groups().open(GROUP)).hasMessageContaining("group.json");
            GroupName other = new GroupName("others");
            assertThat(store.groups().open(other).append(0, "{}")).isTrue();
            assertThat(store.groups().list()).containsExactly(other, GROUP);
        }
    }

    /**
     * The base offset, which no checksum covers, fills the end of a sector that did not reach the disk before a power
     * cut. The bytes behind it did. No caller had waited for these lines, so the journal ends before them.
     */
    @Test
    void lineWithoutItsFirstBytesEndsTheJournal() throws IOException {
        int sector = 512;
        Disk disk = NativeDisk.orFallback();
        Path data = directory.resolve("other");
        long position;
        int end = 0;
        try (FileStore store = FileStore.open(data, Stores.options(disk, new UUID(1, 1)))) {
            GroupJournal journal = store.groups().open(GROUP);
            String text = "{\"padding\":\"" + "x".repeat(200) + "\"}";
            journal.append(end++, text);
            long before = Files.size(segment(data));
            journal.append(end++, text);
            long overhead = Files.size(segment(data)) - before - text.length();
            long next = Files.size(segment(data)) + overhead + text.length();
            int more = Math.floorMod(sector - Long.BYTES - next, sector);
            journal.append(end++, text.replace("\"}", "y".repeat(more) + "\"}"));
            journal.awaitDurable(end);
            position = Files.size(segment(data));
            assertThat(position % sector).isEqualTo(sector - Long.BYTES);
            journal.append(end, "\"unsynced\"");
            journal.append(end + 1, "\"unsynced too\"");
        }
        Path file = segment(data);
        byte[] bytes = Files.readAllBytes(file);
        Arrays.fill(bytes, (int) position, (int) position + Long.BYTES, (byte) 0);
        Files.write(file, bytes);
        try (FileStore store = FileStore.open(data, Stores.options(disk, new UUID(2, 2)))) {
            GroupJournal journal = store.groups().open(GROUP);
            assertThat(journal.endVersion()).isEqualTo(end);
            assertThat(journal.read(0)).hasSize(end);
            assertThat(journal.append(end, "\"after\"")).isTrue();
            journal.awaitDurable(end + 1);
            assertThat(journal.read(end)).containsExactly(new Line(end, "\"after\""));
        }
    }
}
