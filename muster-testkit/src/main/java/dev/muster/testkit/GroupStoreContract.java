package dev.muster.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.muster.core.group.model.GroupName;
import dev.muster.store.LogStore;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.StoreClosedException;
import dev.muster.store.group.GroupDeletedException;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupJournal.Line;
import dev.muster.store.group.GroupJournal.View;
import dev.muster.store.group.GroupStore;
import dev.muster.store.group.LineTooLongException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The tests of groups that every store passes. A test of a store implements this interface and opens the store, for one
 * process and for a second one. Each test closes the stores that it opens.
 */
public interface GroupStoreContract extends HostsContract {
    GroupName WORKERS = new GroupName("workers");

    /** True if {@link #open} finds the data of an earlier store of the same test. */
    default boolean durable() {
        return true;
    }

    // ---- groups

    @Test
    default void openingAGroupCreatesIt() {
        try (LogStore store = open()) {
            GroupStore groups = store.groups();
            assertThat(groups.list()).isEmpty();
            assertThat(groups.find(WORKERS)).isEmpty();
            GroupJournal journal = groups.open(WORKERS);
            assertThat(journal.group()).isEqualTo(WORKERS);
            assertThat(journal.startVersion()).isZero();
            assertThat(journal.endVersion()).isZero();
            assertThat(journal.read(0)).isEmpty();
            assertThat(groups.list()).containsExactly(WORKERS);
            assertThat(groups.find(WORKERS)).containsSame(journal);
            assertThat(groups.open(WORKERS)).isSameAs(journal);
        }
    }

    @Test
    default void namesOfGroupsMayHaveAnyCharacters() {
        List<String> names = List.of(
                ".",
                "..",
                "../../escape",
                "a/b",
                "a%2Fb",
                "A",
                "a",
                ".hidden",
                "with space",
                "grüße ☃",
                "%",
                "%~",
                "-",
                "x".repeat(249),
                "/".repeat(249),
                "/".repeat(248) + "!");
        try (LogStore store = open();
                LogStore beside = openBeside(store)) {
            for (String name : names) {
                assertThat(store.groups().open(new GroupName(name)).append(0, "{\"of\":\"" + name + "\"}"))
                        .isTrue();
            }
            assertThat(store.groups().list())
                    .containsExactlyElementsOf(
                            names.stream().map(GroupName::new).sorted().toList());
            for (String name : names) {
                GroupJournal found = beside.groups().find(new GroupName(name)).orElseThrow();
                assertThat(texts(found)).containsExactly("{\"of\":\"" + name + "\"}");
            }
        }
    }

    @Test
    default void concurrentOpensOfAGroupShareOneJournal() {
        try (LogStore store = open();
                LogStore beside = openBeside(store)) {
            for (int round = 0; round < 5; round++) {
                GroupName name = new GroupName("race-" + round);
                List<Boolean> first = Together.run(8, thread -> {
                    LogStore own = thread % 2 == 0 ? store : beside;
                    return own.groups().open(name).append(0, "{\"thread\":" + thread + "}");
                });
                assertThat(first).containsOnlyOnce(true);
            }
        }
    }

    // ---- the journal

    @Test
    default void linesAreReadWithTheirVersions() {
        try (LogStore store = open();
                LogStore beside = openBeside(store)) {
            GroupJournal journal = store.groups().open(WORKERS);
            GroupJournal other = beside.groups().open(WORKERS);
            for (int i = 0; i < 50; i++) {
                GroupJournal turn = i % 3 == 0 ? other : journal;
                assertThat(turn.append(i, "{\"n\":" + i + ",\"text\":\"ä☃\"}")).isTrue();
                store.groups().hosts().renew();
                beside.groups().hosts().renew();
                assertThat(journal.endVersion()).isEqualTo(i + 1);
                assertThat(other.endVersion()).isEqualTo(i + 1);
            }
            for (GroupJournal each : List.of(journal, other)) {
                List<Line> lines = all(each, 7);
                assertThat(lines).hasSize(43);
                for (int i = 0; i < lines.size(); i++) {
                    assertThat(lines.get(i)).isEqualTo(new Line(i + 7, "{\"n\":" + (i + 7) + ",\"text\":\"ä☃\"}"));
                }
                assertThat(each.read(50)).isEmpty();
                assertThatExceptionOfType(OffsetOutOfRangeException.class).isThrownBy(() -> each.read(51));
            }
        }
    }

    @Test
    default void onlyOneAppendGetsAVersion() {
        try (LogStore store = open();
                LogStore beside = openBeside(store)) {
            GroupJournal journal = store.groups().open(WORKERS);
            GroupJournal other = beside.groups().open(WORKERS);
            assertThat(journal.append(0, "\"a\"")).isTrue();
            assertThat(other.append(0, "\"b\"")).isFalse();
            assertThat(journal.append(0, "\"c\"")).isFalse();
            assertThat(other.append(1, "\"d\"")).isTrue();
            // A process that has missed these lines appends with an old version, and changes nothing.
            assertThat(journal.append(0, "\"a\"")).isFalse();
            assertThat(texts(journal)).containsExactly("\"a\"", "\"d\"");
            assertThat(texts(other)).containsExactly("\"a\"", "\"d\"");
        }
    }

    @Test
    default void anAppendBeyondTheNextVersionIsRefused() {
        try (LogStore store = open()) {
            GroupJournal journal = store.groups().open(WORKERS);
            assertThatIllegalArgumentException().isThrownBy(() -> journal.append(1, "\"a\""));
            assertThat(journal.append(0, "\"a\"")).isTrue();
            assertThatIllegalArgumentException().isThrownBy(() -> journal.append(2, "\"a\""));
            assertThatIllegalArgumentException().isThrownBy(() -> journal.awaitDurable(2));
            assertThat(texts(journal)).containsExactly("\"a\"");
        }
    }

    @Test
    default void concurrentAppendersNeverShareAVersion() {
        int threads = 8;
        int linesEach = 100;
        try (LogStore store = open();
                LogStore beside = openBeside(store)) {
            List<Set<Long>> won = Together.run(threads, thread -> {
                GroupJournal journal =
                        (thread % 2 == 0 ? store : beside).groups().open(WORKERS);
                Set<Long> versions = new HashSet<>();
                for (int line = 0; line < linesEach; ) {
                    long version = journal.endVersion();
                    if (journal.append(version, "{\"thread\":" + thread + ",\"line\":" + line + "}")) {
                        versions.add(version);
                        line++;
                    } else {
                        assertThat(journal.endVersion())
                                .as("end version after another line took the version")
                                .isGreaterThan(version);
                    }
                }
                journal.awaitDurable(journal.endVersion());
                return versions;
            });
            List<Line> lines = all(store.groups().open(WORKERS), 0);
            assertThat(lines).hasSize(threads * linesEach);
            for (int i = 0; i < lines.size(); i++) {
                assertThat(lines.get(i).version()).isEqualTo(i);
            }
            for (int thread = 0; thread < threads; thread++) {
                int self = thread;
                assertThat(lines.stream()
                                .filter(line -> line.text().startsWith("{\"thread\":" + self + ","))
                                .map(Line::version))
                        .as("versions of the lines of thread %d, each once and in order", thread)
                        .containsExactlyElementsOf(
                                won.get(thread).stream().sorted().toList());
            }
            assertThat(all(beside.groups().open(WORKERS), 0)).isEqualTo(lines);
        }
    }

    @Test
    default void aLineAboveTheLimitIsRefusedAndNotWritten() {
        try (LogStore store = open()) {
            GroupJournal journal = store.groups().open(WORKERS);
            if (journal.lineBytesMax() < 1 << 20) {
                String tooLong = "\"" + "x".repeat(journal.lineBytesMax()) + "\"";
                assertThatExceptionOfType(LineTooLongException.class).isThrownBy(() -> journal.append(0, tooLong));
                assertThat(journal.read(0)).isEmpty();
                String longest = tooLong.substring(2);
                assertThat(journal.append(0, "\"" + longest.substring(1))).isTrue();
            }
        }
    }

    @Test
    default void aLongJournalIsReadInSeveralCalls() {
        try (LogStore store = open()) {
            GroupJournal journal = store.groups().open(WORKERS);
            String longText = "\"" + "x".repeat(400_000) + "\"";
            for (int i = 0; i < 12; i++) {
                assertThat(i % 4 == 0 ? journal.appendSnapshot(i, longText) : journal.append(i, "\"" + i + "\""))
                        .isTrue();
            }
            assertThat(all(journal, 0)).hasSize(12);
            assertThat(journal.read(8).getFirst()).isEqualTo(new Line(8, longText));
        }
    }

    @Test
    default void aSnapshotMayHaveSeventeenMebibytes() {
        try (LogStore store = open();
                LogStore beside = openBeside(store)) {
            GroupJournal journal = store.groups().open(WORKERS);
            String snapshot = "\"" + "x".repeat(17 << 20) + "\"";
            assertThat(journal.append(0, "\"a\"")).isTrue();
            assertThat(journal.appendSnapshot(1, snapshot)).isTrue();
            journal.trim(1);
            journal.awaitDurable(2);
            assertThat(beside.groups().open(WORKERS).append(2, "\"b\"")).isTrue();
            assertThat(texts(journal)).containsExactly(snapshot, "\"b\"");
            assertThat(texts(beside.groups().open(WORKERS))).containsExactly(snapshot, "\"b\"");
        }
    }

    @Test
    default void listenersAreCalledForAppendsOfAnyProcess() throws Exception {
        try (LogStore store = open();
                LogStore beside = openBeside(store)) {
            GroupJournal journal = store.groups().open(WORKERS);
            GroupJournal other = beside.groups().open(WORKERS);
            Semaphore calls = new Semaphore(0);
            Thread self = Thread.currentThread();
            try (var _ = journal.onAppend(() -> {
                assertThat(Thread.currentThread()).isNotSameAs(self);
                calls.release();
            })) {
                other.append(0, "\"a\"");
                assertThat(calls.tryAcquire(TIME_MAX_SECONDS, TimeUnit.SECONDS)).isTrue();
                calls.drainPermits();
                journal.append(1, "\"b\"");
                assertThat(calls.tryAcquire(TIME_MAX_SECONDS, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    @Test
    default void aTrimRemovesOnlyEarlierLines() {
        try (LogStore store = open();
                LogStore beside = openBeside(store)) {
            GroupJournal journal = store.groups().open(WORKERS);
            GroupJournal other = beside.groups().open(WORKERS);
            for (int i = 0; i < 10; i++) {
                journal.append(i, "\"" + i + "\"");
            }
            other.trim(6);
            assertThat(journal.startVersion()).isEqualTo(6);
            assertThat(texts(journal)).containsExactly("\"6\"", "\"7\"", "\"8\"", "\"9\"");
            assertThatExceptionOfType(OffsetOutOfRangeException.class).isThrownBy(() -> journal.read(5));
            journal.trim(3);
            assertThat(other.startVersion()).isEqualTo(6);
            assertThatExceptionOfType(OffsetOutOfRangeException.class).isThrownBy(() -> journal.trim(11));
            assertThat(journal.append(10, "\"10\"")).isTrue();
            other.trim(11);
            assertThat(journal.read(11)).isEmpty();
            assertThat(other.append(11, "\"11\"")).isTrue();
            assertThat(texts(journal)).containsExactly("\"11\"");
        }
    }

    @Test
    default void linesAreReadAfterTheStoreIsOpenedAgain() {
        assumeTrue(durable());
        try (LogStore store = open()) {
            GroupJournal journal = store.groups().open(WORKERS);
            journal.append(0, "\"a\"");
            journal.append(1, "\"b\"");
            journal.awaitDurable(2);
        }
        try (LogStore store = open()) {
            GroupJournal journal = store.groups().find(WORKERS).orElseThrow();
            assertThat(texts(journal)).containsExactly("\"a\"", "\"b\"");
            assertThat(journal.append(1, "\"c\"")).isFalse();
            assertThat(journal.append(2, "\"c\"")).isTrue();
        }
    }

    @Test
    default void viewsThatCannotBeWrittenDoNotThrow() {
        try (LogStore store = open()) {
            GroupJournal journal = store.groups().open(WORKERS);
            assertThatCode(() -> publish(
                            journal,
                            List.of(
                                    new View("generation.txt", "7\n"),
                                    new View("members/a.json", "{}\n"),
                                    new View("members/a.json", null),
                                    new View("members/b.json", null),
                                    new View("../../escaped", "no"),
                                    new View("group.json", "no"),
                                    new View("/etc/escaped", "no"),
                                    new View("", "no"))))
                    .doesNotThrowAnyException();
            assertThat(journal.append(0, "\"a\"")).isTrue();
        }
    }

    private static void publish(GroupJournal journal, List<View> views) {
        journal.views().ifPresent(there -> there.publish(views));
    }

    // ---- deleting

    @Test
    default void allOpenJournalsOfADeletedGroupThrow() throws Exception {
        try (LogStore store = open();
                LogStore beside = openBeside(store)) {
            GroupJournal journal = store.groups().open(WORKERS);
            GroupJournal other = beside.groups().open(WORKERS);
            journal.append(0, "\"a\"");
            assertThat(texts(other)).containsExactly("\"a\"");
            Semaphore called = new Semaphore(0);
            try (var _ = other.onAppend(called::release)) {
                store.groups().delete(journal);
                assertThat(called.tryAcquire(TIME_MAX_SECONDS, TimeUnit.SECONDS))
                        .isTrue();
            }
            for (GroupJournal each : List.of(journal, other)) {
                assertThatExceptionOfType(GroupDeletedException.class).isThrownBy(() -> each.append(1, "\"b\""));
                assertThatExceptionOfType(GroupDeletedException.class).isThrownBy(() -> each.awaitDurable(1));
                assertThatExceptionOfType(GroupDeletedException.class).isThrownBy(each::endVersion);
                assertThatExceptionOfType(GroupDeletedException.class).isThrownBy(() -> each.read(0));
                assertThatExceptionOfType(GroupDeletedException.class).isThrownBy(() -> each.trim(1));
                assertThatCode(() -> publish(each, List.of(new View("generation.txt", "7"))))
                        .doesNotThrowAnyException();
            }
            assertThat(beside.groups().find(WORKERS)).isEmpty();
            assertThat(beside.groups().list()).isEmpty();
        }
    }

    @Test
    default void aGroupCreatedAgainIsEmpty() {
        try (LogStore store = open();
                LogStore beside = openBeside(store)) {
            GroupJournal old = store.groups().open(WORKERS);
            old.append(0, "\"old\"");
            for (int round = 0; round < 3; round++) {
                GroupJournal ended = beside.groups().open(WORKERS);
                beside.groups().delete(ended);
                beside.groups().delete(ended);
                GroupJournal fresh = (round % 2 == 0 ? store : beside).groups().open(WORKERS);
                assertThat(fresh.endVersion()).isZero();
                assertThat(fresh.append(0, "\"new\"")).isTrue();
                assertThat(texts(beside.groups().open(WORKERS))).containsExactly("\"new\"");
                assertThatExceptionOfType(GroupDeletedException.class).isThrownBy(() -> old.append(1, "\"late\""));
            }
        }
    }

    @Test
    default void aLateDeleteLeavesTheGroupCreatedAgain() {
        try (LogStore store = open();
                LogStore beside = openBeside(store)) {
            GroupJournal late = store.groups().open(WORKERS);
            beside.groups().delete(beside.groups().open(WORKERS));
            GroupJournal fresh = beside.groups().open(WORKERS);
            assertThat(fresh.append(0, "\"new\"")).isTrue();
            store.groups().delete(late);
            assertThat(fresh.append(1, "\"more\"")).isTrue();
            assertThat(texts(store.groups().open(WORKERS))).containsExactly("\"new\"", "\"more\"");
        }
    }

    @Test
    default void concurrentDeletesAndOpensLeaveOneUsableGroup() {
        try (LogStore store = open();
                LogStore beside = openBeside(store)) {
            Together.run(6, thread -> {
                GroupStore groups = (thread % 2 == 0 ? store : beside).groups();
                for (int i = 0; i < 20; i++) {
                    if (thread < 2) {
                        groups.find(WORKERS).ifPresent(groups::delete);
                    } else {
                        appendUnlessDeleted(groups.open(WORKERS));
                    }
                }
                return null;
            });
            GroupJournal journal = store.groups().open(WORKERS);
            // Without this read, the end version may not count the last lines of the other store yet.
            List<Line> written = all(journal, journal.startVersion());
            long end =
                    written.isEmpty() ? journal.endVersion() : written.getLast().version() + 1;
            assertThat(beside.groups().open(WORKERS).append(end, "\"last\"")).isTrue();
            assertThat(texts(journal)).last().isEqualTo("\"last\"");
            assertThat(store.groups().list()).containsExactly(WORKERS);
        }
    }

    private static void appendUnlessDeleted(GroupJournal journal) {
        try {
            journal.append(journal.endVersion(), "\"line\"");
            journal.awaitDurable(journal.endVersion());
        } catch (GroupDeletedException e) {
            assertThat(e).isNotNull();
        }
    }

    @Test
    default void groupsOfAClosedStoreThrow() {
        LogStore store = open();
        GroupJournal journal = store.groups().open(WORKERS);
        GroupStore groups = store.groups();
        store.close();
        assertThatExceptionOfType(StoreClosedException.class).isThrownBy(() -> journal.append(0, "\"a\""));
        assertThatExceptionOfType(StoreClosedException.class).isThrownBy(journal::endVersion);
        assertThatExceptionOfType(StoreClosedException.class).isThrownBy(() -> groups.open(WORKERS));
        assertThatExceptionOfType(StoreClosedException.class).isThrownBy(() -> groups.find(WORKERS));
        assertThatExceptionOfType(StoreClosedException.class).isThrownBy(groups::list);
    }

    private static List<Line> all(GroupJournal journal, long from) {
        List<Line> lines = new ArrayList<>();
        long next = from;
        for (List<Line> read = journal.read(next); !read.isEmpty(); read = journal.read(next)) {
            lines.addAll(read);
            next = read.getLast().version() + 1;
        }
        return lines;
    }

    private static List<String> texts(GroupJournal journal) {
        return all(journal, journal.startVersion()).stream().map(Line::text).toList();
    }
}
