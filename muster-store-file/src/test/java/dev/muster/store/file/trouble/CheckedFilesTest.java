package dev.muster.store.file.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.CompressionKind;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.core.group.model.GroupName;
import dev.muster.disk.DiskFile;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.BatchBuilder;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.Stores;
import dev.muster.store.file.check.CheckReport;
import dev.muster.store.file.check.DirectoryCheck;
import dev.muster.store.file.finding.Finding;
import dev.muster.store.file.layout.FileKind;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupJournal.View;
import dev.muster.testkit.ExpectedTrouble;
import dev.muster.testkit.NumberedRecords;
import dev.muster.testkit.disk.MemoryDisk;
import dev.muster.testkit.disk.PacedMachine;
import dev.muster.testkit.disk.SimulatedProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Goal: the check reports every change of a file, and a repair corrects it if that is possible. Method: a directory
 * with a file of every kind; each in turn is deleted, emptied, cut, and one of its bits flipped. The expected results
 * are in {@link #expected}: a new kind of file does not compile without its line there.
 */
@ExtendWith(ExpectedTrouble.class)
class CheckedFilesTest {
    private static final Path ROOT = Path.of("/data");
    private static final UUID BOOT = new UUID(3, 3);
    private static final TopicName ORDERS = new TopicName("orders");
    private static final GroupName WORKERS = new GroupName("workers & co");
    private static final int RECORDS = 12;
    private static final int LINES = 5;

    private enum Act {
        DELETE,
        EMPTY,
        CUT,
        FLIP
    }

    /** The expected result of a change. */
    private enum Outcome {
        /** Nothing is lost, and the check need not report the file. */
        HARMLESS,
        /** The check reports the file. */
        FOUND,
        /** The check reports the file, and finds nothing more after a repair. */
        REPAIRED
    }

    /** The files as they were written, before any change. */
    private final Map<Path, byte[]> files = new TreeMap<>();

    private SimulatedProcess disk;
    private Set<String> baseline = new TreeSet<>();

    /**
     * The expected results for a kind of file.
     *
     * @return the results by change: delete, empty, cut, flip
     */
    private static List<Outcome> expected(FileKind kind) {
        Outcome ok = Outcome.HARMLESS;
        Outcome found = Outcome.FOUND;
        Outcome repaired = Outcome.REPAIRED;
        return switch (kind) {
            case MUSTER_JSON, MUSTER_JSON_COPY, TOPIC_JSON, TOPIC_JSON_COPY, GROUP_JSON ->
                List.of(repaired, repaired, repaired, repaired);
            case TOPIC_PAGE, GROUP_PAGE, PARTITION_PAGE, JOURNAL_PAGE -> List.of(ok, repaired, repaired, repaired);
            case SEGMENT, JOURNAL_SEGMENT -> List.of(found, found, found, found);
            // The index of the active segment is written again, and its former size is not known.
            case INDEX -> List.of(repaired, repaired, repaired, repaired);
            case CHECKPOINT -> List.of(repaired, repaired, found, found);
            // A journal of one segment has none of these.
            case JOURNAL_INDEX, JOURNAL_CHECKPOINT, JOURNAL_NOTE -> List.of();
            case NOTE, TIMELINE -> List.of(ok, ok, ok, ok);
            case VIEW -> List.of(ok, repaired, repaired, ok);
            // Its problems are reported when the store is opened: see DirectorySettings.
            case SETTINGS, RESERVE, HOST_JSON, HOST_LOCK, HOST_BELL, HOST_HEARTBEAT, LOCK -> List.of(ok, ok, ok, ok);
            case WAKE_PAGE, HOUSEKEEPING_PAGE -> List.of(ok, repaired, repaired, ok);
            case PRODUCER_IDS -> List.of(repaired, repaired, repaired, ok);
            // If a line is lost, a deleted topic counts as missing, which loses no data. The groups' files are deleted
            // by then.
            case DELETED_TOPICS, DELETED_GROUPS -> List.of(ok, ok, found, found);
            case DRAFT, TRASH -> List.of(ok, ok, ok, ok);
        };
    }

    @BeforeEach
    void writeAFileOfEveryKind() throws IOException {
        MemoryDisk machine = new MemoryDisk();
        PacedMachine pace = new PacedMachine();
        SimulatedProcess process = machine.process(pace);
        LogStore store = Stores.open(process, ROOT, BOOT);
        // Now the files of the upkeep exist, and no others will be created.
        pace.awaitRest();
        Topic topic = store.create(
                ORDERS,
                1,
                TopicSettings.DEFAULT
                        .with("retention.ms", "-1")
                        .with("segment.bytes", "1024")
                        .with("index.interval.bytes", "128"));
        PartitionLog log = store.log(topic.id(), 0);
        for (int i = 0; i < RECORDS; i++) {
            log.awaitDurable(log.append(NumberedRecords.batch(i, 1)) + 1);
        }
        log.trim(3);
        BatchBuilder numbered = new BatchBuilder(new byte[1024], CompressionKind.NONE);
        assertThat(numbered.tryAppend(0, null, new byte[] {1}, List.of())).isTrue();
        log.awaitDurable(log.append(numbered.finish(store.newProducerId(), (short) 0, 0)) + 1);
        log.keepNote("producers", new byte[] {1, 2, 3, 4});
        store.create(new TopicName("gone"), 1, TopicSettings.DEFAULT);
        store.delete(new TopicName("gone"));
        store.groups().delete(store.groups().open(new GroupName("gone")));
        var claim = store.claim("kafka-server").orElseThrow();
        GroupJournal journal = store.groups().open(WORKERS);
        for (int i = 0; i < LINES; i++) {
            assertThat(journal.append(i, "{\"line\":" + i + "}")).isTrue();
        }
        journal.awaitDurable(LINES);
        journal.views()
                .orElseThrow()
                .publish(List.of(
                        new View("assignments.json", "{\"generation\":1}\n"),
                        new View("generation.txt", "1\n"),
                        new View("members/a.json", "{}\n"),
                        new View("offsets/orders/partition-0.offset", "{\"offset\":3,\"version\":4}\n")));
        assertThat(journal.views().orElseThrow().extend("timeline.jsonl", _ -> "{}\n"))
                .isTrue();
        claim.close();
        process.kill();
        Stores.endThreadsOf(store);
        disk = machine.process();
        write(ROOT.resolve(".coordinator/drafts/left.json"), new byte[] {1, 2});
        write(ROOT.resolve(".trash/left.topic/topic.json"), new byte[] {1, 2});
        write(ROOT.resolve("settings.json"), "{\"muster.disk.min.free\":4096}\n".getBytes(StandardCharsets.UTF_8));
        write(ROOT.resolve(".coordinator/reserve/piece-0"), new byte[64]);
        files.clear();
        collect(ROOT);
        baseline = told(check(false));
    }

    private void collect(Path place) throws IOException {
        for (String name : disk.list(place)) {
            Path file = place.resolve(name);
            if (FileKind.of(ROOT.relativize(file)).isPresent()
                    && disk.list(file).isEmpty()) {
                files.put(file, disk.readAll(file));
            } else {
                assertThat(disk.isFolder(file)).isTrue();
                collect(file);
            }
        }
    }

    private void write(Path file, byte[] content) throws IOException {
        disk.createFolders(file.getParent());
        disk.delete(file);
        try (DiskFile writing = disk.openForAppend(file)) {
            writing.append(content, 0, content.length);
        }
    }

    private CheckReport check(boolean repair) {
        return DirectoryCheck.run(ROOT, Stores.options(disk, BOOT), repair, _ -> {});
    }

    private static Set<String> told(CheckReport report) {
        return report.findings().stream()
                .map(finding ->
                        finding.severity() + " " + finding.file() + " " + finding.offset() + ": " + finding.problem())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static FileKind kind(Path file) {
        return FileKind.of(ROOT.relativize(file))
                .orElseThrow(() -> new AssertionError(file + " is of no kind: add it to FileKind and to this test"));
    }

    @Test
    void everyFileHasAKindAndEveryKindExists() {
        Set<FileKind> there = EnumSet.noneOf(FileKind.class);
        files.keySet().forEach(file -> there.add(kind(file)));
        Set<FileKind> missing = EnumSet.complementOf(EnumSet.copyOf(there));
        assertThat(missing)
                .containsExactlyInAnyOrder(FileKind.JOURNAL_INDEX, FileKind.JOURNAL_CHECKPOINT, FileKind.JOURNAL_NOTE);
    }

    @Test
    void wholeDirectoryHasNoDamage() {
        assertThat(baseline).noneMatch(told -> told.startsWith("DAMAGE"));
        assertThat(baseline).allMatch(told -> told.contains("/hosts/") || told.contains("/left."));
    }

    @Test
    void checkReportsEveryChangeOfAFileAndRepairCorrectsIt() throws IOException {
        int cases = 0;
        int count = files.size();
        List<String> wrong = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            for (Act act : Act.values()) {
                writeAFileOfEveryKind();
                Path file = List.copyOf(files.keySet()).get(i);
                byte[] content = done(act, file);
                if (content == files.get(file)) {
                    continue;
                }
                cases++;
                disk.delete(file);
                if (content != null) {
                    write(file, content);
                }
                try {
                    verify(file, outcome(file, act, expected(kind(file))));
                } catch (AssertionError | RuntimeException e) {
                    wrong.add(act + " " + file + ": " + e);
                }
            }
        }
        assertThat(wrong).isEmpty();
        System.out.println("checked files: " + cases + " cases in " + count + " files");
    }

    /**
     * The expected outcome of a change to a file. Deleting, emptying or cutting the index of the last segment is
     * harmless, because only that index may end at any entry.
     */
    private Outcome outcome(Path file, Act act, List<Outcome> outcomes) {
        boolean active = kind(file) == FileKind.INDEX && file.equals(lastIndex());
        boolean anyEnd = act == Act.DELETE || act == Act.EMPTY || act == Act.CUT;
        return active && anyEnd
                ? Outcome.HARMLESS
                : outcomes.get(List.of(Act.values()).indexOf(act));
    }

    private Path lastIndex() {
        return files.keySet().stream()
                .filter(file -> kind(file) == FileKind.INDEX)
                .reduce((_, last) -> last)
                .orElseThrow();
    }

    /**
     * Changes the content of a file.
     *
     * @return the changed content; null to delete the file; the same array if there is nothing to change
     */
    private byte[] done(Act act, Path file) {
        byte[] content = files.get(file);
        return switch (act) {
            case DELETE -> null;
            case EMPTY -> content.length == 0 ? content : new byte[0];
            case CUT -> content.length < 2 ? content : Arrays.copyOf(content, content.length / 2);
            case FLIP -> {
                if (content.length == 0) {
                    yield content;
                }
                byte[] flipped = content.clone();
                flipped[kind(file).name().endsWith("PAGE") ? 0 : content.length / 2] ^= 4;
                yield flipped;
            }
        };
    }

    private void verify(Path file, Outcome outcome) {
        CheckReport report = check(false);
        Set<String> news = told(report);
        news.removeAll(baseline);
        if (outcome == Outcome.HARMLESS) {
            assertThat(news).noneMatch(told -> told.startsWith("DAMAGE"));
            return;
        }
        assertThat(report.findings())
                .as("findings about %s", file)
                .anyMatch(finding -> !baseline.contains(told(finding)) && about(finding, file));
        if (outcome == Outcome.REPAIRED) {
            assertThat(report.findings().stream()
                            .filter(finding -> !baseline.contains(told(finding)))
                            .toList())
                    .allMatch(finding -> !finding.repair().isEmpty());
            check(true);
            assertThat(told(check(false))).as("after the repair").isEmpty();
            isWhole();
        }
    }

    private static String told(Finding finding) {
        return finding.severity() + " " + finding.file() + " " + finding.offset() + ": " + finding.problem();
    }

    private static boolean about(Finding finding, Path file) {
        // A missing segment is reported with the segment before it.
        boolean beside = kind(file) == FileKind.SEGMENT
                && file.getParent().equals(finding.file().getParent());
        return finding.file().equals(file) || finding.file().equals(file.getParent()) || beside;
    }

    private void isWhole() {
        try (FileStore store = Stores.open(disk, ROOT, BOOT)) {
            Topic topic = store.find(ORDERS).orElseThrow();
            assertThat(store.log(topic.id(), 0).endOffset()).isEqualTo(RECORDS + 1);
            assertThat(store.log(topic.id(), 0).startOffset()).isEqualTo(3);
            assertThat(store.groups().list()).containsExactly(WORKERS);
            assertThat(store.groups().open(WORKERS).endVersion()).isEqualTo(LINES);
        }
    }

    private void delete(Predicate<FileKind> which) throws IOException {
        for (Path file : files.keySet()) {
            if (which.test(kind(file))) {
                disk.delete(file);
            }
        }
    }

    @Test
    void lossOfMusterJsonAndItsCopyIsReported() throws IOException {
        delete(kind -> kind == FileKind.MUSTER_JSON || kind == FileKind.MUSTER_JSON_COPY);
        assertThat(check(true).findings())
                .anyMatch(finding -> finding.file().endsWith("muster.json")
                        && finding.severity() == Finding.Severity.DAMAGE
                        && finding.repair().isEmpty());
    }

    @Test
    void emptyJournalBesideViewsWithLinesIsDamage() throws IOException {
        delete(kind -> kind.name().startsWith("JOURNAL") || kind == FileKind.GROUP_PAGE);
        assertThat(check(false).findings())
                .anyMatch(finding -> finding.severity() == Finding.Severity.DAMAGE
                        && finding.topicPartition().equals("group " + WORKERS)
                        && finding.repair().contains("group repair"));
    }

    @Test
    void recordsWithoutATopicAreReported() throws IOException {
        delete(kind -> kind == FileKind.TOPIC_JSON || kind == FileKind.TOPIC_JSON_COPY);
        assertThat(check(true).findings())
                .anyMatch(finding -> finding.severity() == Finding.Severity.DAMAGE
                        && finding.problem().contains("unknown topic"));
    }

    @Test
    void repairIsOnlyReportedUnlessRequested() throws IOException {
        Path json = ROOT.resolve("topics/orders/topic.json");
        write(json, "{".getBytes(StandardCharsets.UTF_8));
        assertThat(check(false).clean()).isFalse();
        assertThat(disk.readAll(json)).hasSize(1);
        assertThat(check(true).clean()).isTrue();
        assertThat(disk.readAll(json)).isEqualTo(files.get(json));
    }
}
