package dev.muster.store.file.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.group.model.GroupName;
import dev.muster.store.LogStore;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.Stores;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupJournal.Line;
import dev.muster.testkit.ExpectedTrouble;
import dev.muster.testkit.disk.CallGate;
import dev.muster.testkit.disk.DiskCall;
import dev.muster.testkit.disk.DiskCall.Kind;
import dev.muster.testkit.disk.FaultyDisk;
import dev.muster.testkit.disk.MemoryDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a process that is stopped at any point of an append of a line does not block others for long, whether it holds
 * the lock or not. When it continues, its line has the expected version or none, and the result is right. Method: stop
 * it before, then after, the n-th disk call of its append, for every n or some, while another process appends.
 */
@Tag("figures")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@ExtendWith(ExpectedTrouble.class)
abstract class StoppedJournalWriters {
    private static final Path DIRECTORY = Path.of("/data");
    private static final UUID BOOT = new UUID(1, 1);
    private static final GroupName GROUP = new GroupName("workers");
    /** The promised limit, judged with {@code -Pfigures}. */
    private static final Duration STALL_MAX = Duration.ofSeconds(1);

    private static final boolean JUDGED = Boolean.getBoolean("muster.figures");

    private static final int CALLS_MAX = 200;

    /** The step between the calls that are tried. */
    private final int step;

    private int landed;
    private int refused;

    StoppedJournalWriters(int step) {
        this.step = step;
    }

    /** @param padding the text that makes the stopped writer's line so long that it begins a new segment */
    @ParameterizedTest(name = "padding {0}, stopped after the call: {1}")
    @CsvSource({"10, false", "10, true", "5000, false", "5000, true"})
    void lineOfAStoppedWriterHasItsVersionOrNone(int padding, boolean after) throws Exception {
        Duration longest = Duration.ZERO;
        int n = 1;
        for (; n < CALLS_MAX; n += step) {
            AtomicInteger calls = new AtomicInteger();
            int place = n;
            Duration stall = stopAt(_ -> calls.incrementAndGet() == place, "at call " + place, after, padding);
            if (stall == null) {
                break;
            }
            longest = stall.compareTo(longest) > 0 ? stall : longest;
        }
        // The number of calls differs from trial to trial, so the loop can miss the place behind the write of the line.
        // The number of writes does not differ: a line that begins a new segment needs some before its own.
        AtomicInteger writes = new AtomicInteger();
        assertThat(stopAt(call -> isWrite(call) && writes.incrementAndGet() < 0, "nowhere", after, padding))
                .isNull();
        Duration behindItsWrite = stopAt(behindWrite(writes.get(), after), "behind its write", after, padding);
        assertThat(behindItsWrite).as("an append writes").isNotNull();
        System.out.printf(
                "stopped journal writer: padding=%d after=%s last place=%d longest stall=%s its line counted %d times,"
                        + " was refused %d times%n",
                padding, after, n - 1, longest, landed, refused);
        assertThat(n).as("places where it was stopped").isBetween(4, CALLS_MAX - 1);
        assertThat(landed).as("its line counts when it was written").isPositive();
        assertThat(refused)
                .as("its line is refused when the lock was not taken")
                .isPositive();
    }

    private static boolean isWrite(DiskCall call) {
        return call.is(Kind.APPEND) && call.isOn(".log");
    }

    /** The place behind the n-th write: that call itself if the stop comes after it, or the next call. */
    private static Predicate<DiskCall> behindWrite(int n, boolean after) {
        AtomicInteger writes = new AtomicInteger();
        return call -> {
            boolean isBehind = writes.get() == n;
            boolean isTheWrite = isWrite(call) && writes.incrementAndGet() == n;
            return after ? isTheWrite : isBehind;
        };
    }

    /**
     * @param place the predicate that gets the calls of the stopped writer's append, in order
     * @return the longest append of the other process; null if the append never comes to that place
     */
    private Duration stopAt(Predicate<DiskCall> place, String named, boolean after, int padding) throws Exception {
        MemoryDisk machine = new MemoryDisk();
        FaultyDisk disk = new FaultyDisk(machine.process());
        try (LogStore sleepersStore = open(disk);
                LogStore othersStore = open(new FaultyDisk(machine.process()))) {
            GroupJournal sleepers = sleepersStore.groups().open(GROUP);
            GroupJournal others = othersStore.groups().open(GROUP);
            assertThat(sleepers.append(0, "\"first\"")).isTrue();
            assertThat(others.append(1, "\"second\"")).isTrue();

            AtomicReference<Thread> sleeper = new AtomicReference<>();
            Predicate<DiskCall> here = call -> Thread.currentThread() == sleeper.get() && place.test(call);
            CallGate gate = after ? disk.stopAfter(here) : disk.stopBefore(here);
            String line = "\"of the sleeper " + "x".repeat(padding) + "\"";
            CompletableFuture<Boolean> sleeping = CompletableFuture.supplyAsync(
                    () -> {
                        sleeper.set(Thread.currentThread());
                        return sleepers.append(2, line);
                    },
                    task -> Thread.ofPlatform().daemon().start(task));
            if (!gate.awaitArrivalOr(sleeping)) {
                assertThat(sleeping.get()).isTrue();
                return null;
            }
            Duration longest = Duration.ZERO;
            List<String> expected = new ArrayList<>(List.of("\"first\"", "\"second\""));
            for (int i = 0; i < 10; i++) {
                long start = System.nanoTime();
                long version = others.endVersion();
                while (!others.append(version, "\"other " + i + "\"")) {
                    assertThat(others.endVersion())
                            .as("what took version %d is seen", version)
                            .isGreaterThan(version);
                    version = others.endVersion();
                }
                Duration took = Duration.ofNanos(System.nanoTime() - start);
                longest = took.compareTo(longest) > 0 ? took : longest;
                others.awaitDurable(version + 1);
                if (version > expected.size()) {
                    expected.add(line);
                }
                expected.add("\"other " + i + "\"");
            }
            if (JUDGED) {
                assertThat(longest)
                        .as("the other's longest append, sleeper stopped %s", named)
                        .isLessThan(STALL_MAX);
            }
            assertThat(texts(others)).isEqualTo(expected);
            assertThat(sleeping).isNotDone();
            gate.release();
            boolean counted = sleeping.get(2, TimeUnit.MINUTES);
            assertThat(counted).as("what the sleeper was told").isEqualTo(expected.contains(line));
            landed += counted ? 1 : 0;
            refused += counted ? 0 : 1;
            assertThat(sleepers.append(sleepers.endVersion(), "\"awake\"")).isTrue();
            expected.add("\"awake\"");
            assertThat(texts(others)).isEqualTo(expected);
            assertThat(texts(sleepers)).isEqualTo(expected);
            return longest;
        } finally {
            Stores.checkIsClean(machine, DIRECTORY, BOOT);
        }
    }

    private static LogStore open(FaultyDisk disk) {
        return FileStore.open(DIRECTORY, Stores.options(disk, BOOT).withJournalSegmentBytes(4096));
    }

    private static List<String> texts(GroupJournal journal) {
        List<Line> lines = new ArrayList<>();
        for (List<Line> read = journal.read(0); !read.isEmpty(); read = journal.read(lines.size())) {
            lines.addAll(read);
        }
        return lines.stream().map(Line::text).toList();
    }
}
