package dev.muster.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.disk.HeapPage;
import dev.muster.disk.Machine;
import dev.muster.disk.Page;
import dev.muster.disk.local.NativeDisk;
import dev.muster.store.file.layout.Layout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The time that retention uses is never ahead of the time on which the processes of a machine agree. */
class RetentionClockTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration ROUND = Duration.ofMinutes(5);
    private static final Duration MONTH = Duration.ofDays(30);
    private static final long TRUTH_MS = Instant.parse("2026-11-18T12:00:00Z").toEpochMilli();
    private static final Logger RETENTION_CLOCK = Logger.getLogger(RetentionClock.class.getName());

    /** The clock reports thousands of jumps. */
    @BeforeAll
    static void silenceReports() {
        RETENTION_CLOCK.setLevel(Level.OFF);
    }

    @AfterAll
    static void allowReports() {
        RETENTION_CLOCK.setLevel(null);
    }

    @TempDir
    private Path folder;

    /** The time that really passed since the test began. */
    private long nanos;
    /** The time by which the clock of the machine is ahead of the true time. */
    private Duration jump = Duration.ZERO;

    private Page page = pageOfNewDirectory();
    private final Wrong right = new Wrong(Duration.ZERO);

    private Page pageOfNewDirectory() {
        try {
            return new HeapPage(
                    RetentionClock.firstPage(NativeDisk.orFallback(), new Layout(Path.of("no-such-folder")), true));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A process whose clock is ahead of that of the machine. */
    private final class Wrong extends Clock implements Machine {
        private final Duration ahead;
        /** True if the file system has the same wrong clock, as on a machine with a wrong clock. */
        private boolean filesAgree = true;

        private RetentionClock time;

        Wrong(Duration ahead) {
            this.ahead = ahead;
            this.time = opened();
        }

        private RetentionClock opened() {
            return new RetentionClock(
                    page,
                    this,
                    this,
                    4711,
                    RetentionClock.SETTLING,
                    () -> OptionalLong.of(filesAgree ? millis() : truth() + jump.toMillis()));
        }

        @Override
        public long millis() {
            return truth() + jump.plus(ahead).toMillis();
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(millis());
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public long nanoTime() {
            return nanos + 77;
        }

        @Override
        public void pause(long waited) {
            throw new AssertionError("the clock waits for nothing");
        }

        @Override
        public Thread thread(String name, Runnable work) {
            throw new AssertionError("the clock has no thread");
        }

        @Override
        public UUID newId() {
            throw new AssertionError("the clock needs no id");
        }
    }

    private long truth() {
        return TRUTH_MS + TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    /**
     * Lets time pass: all these processes check their clocks every minute, and one does the upkeep every five minutes.
     */
    private void pass(Duration time, Wrong... processes) {
        for (long end = nanos + time.toNanos(); nanos < end; nanos += MINUTE.toNanos()) {
            for (Wrong process : processes) {
                process.time.observe();
            }
            if (nanos % ROUND.toNanos() == 0 && processes.length > 0) {
                processes[processes.length - 1].time.advance(ROUND.toNanos());
            }
        }
    }

    private void assertTime(Duration ahead) {
        assertThat(right.time.millis()).as("time is known").isPresent();
        assertThat(Duration.ofMillis(right.time.millis().getAsLong() - truth()))
                .isBetween(ahead.minusMinutes(5), ahead.plusMinutes(5));
    }

    private void assertWaits() {
        assertThat(right.time.millis()).isEmpty();
    }

    @Test
    void newDirectoryUsesTheFirstClockAtOnce() {
        pass(MINUTE, right);
        assertTime(Duration.ZERO);
        assertThat(right.time.problem()).isEmpty();
    }

    @Test
    void clockAheadMovesNothingAndIsReported() {
        pass(MINUTE, right);
        Wrong ahead = new Wrong(MONTH);
        pass(Duration.ofHours(30), right, ahead);
        assertTime(Duration.ZERO);
        nanos -= MINUTE.toNanos();
        assertThat(right.time.problem().orElseThrow()).contains("process 4711 is 30 days ahead of");
    }

    @Test
    void timeRetentionWaitsWhileAClockIsBehind() {
        pass(MINUTE, right);
        Wrong behind = new Wrong(MONTH.negated());
        pass(MINUTE, right, behind);
        assertWaits();
        assertThat(right.time.problem().orElseThrow())
                .contains("30 days behind")
                .contains("waits");
        pass(Duration.ofMinutes(58), right);
        assertWaits();
        pass(Duration.ofMinutes(3), right);
        assertTime(Duration.ZERO);
    }

    @Test
    void clockThatDiffersFromTheMachinesIsIgnored() {
        for (Duration off : new Duration[] {MONTH, MONTH.negated()}) {
            page = pageOfNewDirectory();
            right.time = right.opened();
            Wrong wrong = new Wrong(off);
            wrong.filesAgree = false;
            pass(Duration.ofHours(2), wrong);
            assertThat(wrong.time.millis()).as("it applies no time retention").isEmpty();
            pass(MINUTE, right);
            pass(Duration.ofHours(2), right, wrong);
            assertTime(Duration.ZERO);
            assertThat(wrong.time.millis()).isEmpty();
            nanos -= MINUTE.toNanos();
            assertThat(right.time.problem().orElseThrow())
                    .contains("process 4711 is 30 days " + (off.isNegative() ? "behind" : "ahead of"))
                    .contains("it is ignored")
                    .doesNotContain("waits");
        }
    }

    @Test
    void invalidTimeOnThePageIsCorrected() {
        pass(MINUTE, right);
        for (int at = 32; at <= 72; at += 8) {
            page.set(at, Long.MAX_VALUE - 1);
        }
        pass(Duration.ofMinutes(70), right);
        assertTime(Duration.ZERO);
        assertThat(right.time.problem()).isEmpty();
    }

    /** The first clock has nothing to be compared with until a second process starts. */
    @Test
    void firstClockAheadIsCorrectedByTheOthers() {
        pass(MINUTE, new Wrong(MONTH));
        pass(MINUTE, right);
        assertWaits();
        pass(Duration.ofMinutes(61), right);
        assertTime(Duration.ZERO);
    }

    @Test
    void jumpAheadForLessThanAnHourMovesNothing() {
        pass(MINUTE, right);
        for (int i = 0; i < 3; i++) {
            jump = MONTH;
            pass(Duration.ofMinutes(59), right);
            assertWaits();
            jump = Duration.ZERO;
            pass(Duration.ofMinutes(5), right);
            assertTime(Duration.ZERO);
        }
    }

    @Test
    void lastingJumpAheadIsFollowedStepByStep() {
        pass(MINUTE, right);
        jump = MONTH;
        pass(Duration.ofMinutes(59), right);
        assertWaits();
        pass(Duration.ofMinutes(61), right);
        long ahead = right.time.millis().orElseThrow() - truth();
        assertThat(Duration.ofMillis(ahead)).isBetween(Duration.ofHours(20), Duration.ofHours(26));
        pass(Duration.ofHours(31), right);
        assertTime(MONTH);
        assertThat(right.time.problem()).isEmpty();
    }

    @Test
    void lastingJumpBackIsFollowedAfterAnHour() {
        pass(MINUTE, right);
        jump = MONTH.negated();
        pass(Duration.ofMinutes(50), right);
        assertWaits();
        pass(Duration.ofMinutes(15), right);
        assertTime(MONTH.negated());
    }

    private void reboot() throws IOException {
        byte[] content = new byte[4096];
        ByteBuffer out = ByteBuffer.wrap(content).order(ByteOrder.nativeOrder());
        for (int at = 0; at < content.length; at += Long.BYTES) {
            out.putLong(at, page.get(at));
        }
        Layout layout = new Layout(folder);
        Files.createDirectories(layout.coordinator());
        Files.write(layout.housekeepingPage(UUID.randomUUID()), content);
        page = new HeapPage(RetentionClock.firstPage(NativeDisk.orFallback(), layout, false));
        right.time = right.opened();
    }

    @Test
    void afterAShortRebootTheTimeIsKnownAtOnce() throws IOException {
        pass(Duration.ofHours(3), right);
        reboot();
        nanos += Duration.ofMinutes(30).toNanos();
        pass(MINUTE, right);
        assertTime(Duration.ZERO);
    }

    @Test
    void afterARebootAWrongClockDoesNotChangeTheTime() throws IOException {
        pass(Duration.ofHours(3), right);
        reboot();
        jump = MONTH;
        pass(Duration.ofMinutes(59), right);
        assertWaits();
        jump = Duration.ZERO;
        pass(Duration.ofHours(3), right);
        assertTime(Duration.ZERO);
    }

    @Test
    void withoutAKnownTimeRetentionWaitsForAnHour() throws IOException {
        page = new HeapPage(RetentionClock.firstPage(NativeDisk.orFallback(), new Layout(folder), false));
        right.time = right.opened();
        pass(Duration.ofMinutes(59), right);
        assertWaits();
        pass(Duration.ofMinutes(3), right);
        assertTime(Duration.ZERO);
    }

    /** Jumps that do not last an hour, and processes with clocks of their own beside one that has the machine's. */
    @Test
    void noJumpOfAClockMovesTheTimeAhead() {
        for (int run = 0; run < 200; run++) {
            long seed = Long.getLong("muster.seed", new Random().nextLong());
            Random random = new Random(seed);
            page = pageOfNewDirectory();
            jump = Duration.ZERO;
            right.time = right.opened();
            pass(MINUTE, right);
            for (int step = 0; step < 50; step++) {
                jump = random.nextBoolean() ? Duration.ZERO : Duration.ofMinutes(random.nextInt(-90_000, 90_000));
                Wrong other = new Wrong(Duration.ofMinutes(random.nextInt(-90_000, 90_000)));
                passAndCheck(Duration.ofMinutes(random.nextInt(1, 50)), seed, right, other);
                jump = Duration.ZERO;
                passAndCheck(Duration.ofMinutes(random.nextInt(1, 90)), seed, right);
            }
            pass(Duration.ofHours(2), right);
            assertTime(Duration.ZERO);
        }
    }

    private void passAndCheck(Duration time, long seed, Wrong... processes) {
        for (long minute = 0; minute < time.toMinutes(); minute++) {
            pass(MINUTE, processes);
            right.time
                    .millis()
                    .ifPresent(now -> assertThat(now)
                            .as("-Dmuster.seed=%d", seed)
                            .isLessThanOrEqualTo(truth() + Duration.ofMinutes(6).toMillis()));
        }
    }
}
