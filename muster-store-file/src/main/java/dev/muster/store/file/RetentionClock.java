package dev.muster.store.file;

import dev.muster.disk.BootId;
import dev.muster.disk.Disk;
import dev.muster.disk.HeapPage;
import dev.muster.disk.Machine;
import dev.muster.disk.Page;
import dev.muster.disk.local.NativeDisk;
import dev.muster.store.file.layout.Layout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The time that retention uses: an agreed time, which all processes of this boot share on the housekeeping page. It
 * runs with the machine's monotonic clock, so that no jump of a wall clock moves it. The rules:
 *
 * <ol>
 *   <li>A process whose clock is not that of its machine does not take part, and applies no time retention. Its clock
 *       is compared with that of the file system, which is the kernel's. The process reports the difference.
 *   <li>A process whose clock is within five minutes of the agreed time agrees with it. Any other process reports the
 *       time of its clock, and applies no time retention.
 *   <li>Time retention waits while a process has an earlier clock than the agreed time, and one settling time longer.
 *   <li>When all processes have agreed on another time for one settling time (an hour), the agreed time follows: back
 *       at once, ahead by at most 24 times the time that has passed, and at most a day, in each round of housekeeping.
 *   <li>The first process of a boot sets the agreed time to its clock if the directory is new, or if its clock is not
 *       more than two hours ahead of the last agreed time of the boot before. Otherwise the time of the boot before
 *       continues, or nothing is agreed for one settling time.
 * </ol>
 *
 * <p>A time on the page is the difference between wall clock and monotonic clock in milliseconds. Used by the thread of
 * the {@link Housekeeping}; {@link #problem} reads the page only. See ADR 22.
 */
public final class RetentionClock {
    static final Duration SETTLING = Duration.ofHours(1);
    private static final System.Logger LOG = System.getLogger(RetentionClock.class.getName());
    private static final String PAGE_NAME = "housekeeping-";
    private static final int PAGE_SIZE = 4096;
    private static final int AGREED_AT = 16;
    private static final int CANDIDATE_AT = 24;
    private static final int CANDIDATE_SINCE_AT = 32;
    private static final int EARLIER_SEEN_AT = 40;
    private static final int LAST_MS_AT = 48;
    private static final int BEFORE_AT = 56;
    private static final int OTHER_AT = 64;
    private static final int OTHER_SEEN_AT = 72;
    private static final int OTHER_PID_AT = 80;
    private static final int OTHER_IS_IGNORED_AT = 88;
    /**
     * The value in place of the last agreed time of the boot before: the directory has nothing that retention could
     * delete.
     */
    private static final long NEW_DIRECTORY = 1;

    private static final long TOLERANCE_MS = Duration.ofMinutes(5).toMillis();
    private static final long RESTART_MS = Duration.ofHours(2).toMillis();
    private static final long CATCH_UP = 24;
    private static final long STEP_MAX_MS = Duration.ofDays(1).toMillis();
    /**
     * The time after which a report of another time is old. Processes look every second, so a process without a report
     * for this long is gone, or agrees by now.
     */
    private static final long PRESENT_NANOS = Duration.ofSeconds(10).toNanos();

    private final Page page;
    private final Clock clock;
    private final Machine machine;
    private final long pid;
    private final long settlingNanos;
    private final FileTime fileTime;
    /**
     * The clock of this process when it was last compared with that of the file system; 0 before the first comparison.
     */
    private long compared;

    private boolean machinesClock;
    private boolean agrees;
    private boolean reported;

    /** The clock of the file system. */
    interface FileTime {
        /** The time in milliseconds since 1970; empty if the file system does not report it. */
        OptionalLong millis() throws IOException;
    }

    RetentionClock(Page page, Clock clock, Machine machine, long pid, Duration settling, FileTime fileTime) {
        this.page = page;
        this.clock = clock;
        this.machine = machine;
        this.pid = pid;
        this.settlingNanos = settling.toNanos();
        this.fileTime = fileTime;
    }

    /** The first content of this boot's page: the last agreed time of the boots before, read from their pages. */
    static byte[] firstPage(Disk disk, Layout layout, boolean newDirectory) throws IOException {
        long before = newDirectory ? NEW_DIRECTORY : 0;
        for (String name : disk.list(layout.coordinator())) {
            if (name.startsWith(PAGE_NAME)) {
                ByteBuffer other = ByteBuffer.wrap(
                                disk.readAll(layout.coordinator().resolve(name)))
                        .order(ByteOrder.nativeOrder());
                if (other.remaining() >= PAGE_SIZE) {
                    before = Math.max(before, other.getLong(LAST_MS_AT));
                }
            }
        }
        byte[] first = new byte[PAGE_SIZE];
        ByteBuffer.wrap(first).order(ByteOrder.nativeOrder()).putLong(BEFORE_AT, before);
        return first;
    }

    /** Compares the clock of this process with the agreed time. Called every second. */
    void observe() {
        correctFutureTimes();
        long own = notZero(clock.millis() - monotonicMs());
        compareWithFiles(own);
        long agreed = page.get(AGREED_AT);
        if (agreed == 0 && machinesClock) {
            agreed = begin(own);
        }
        agrees = machinesClock && agreed != 0 && near(own, agreed);
        if (agrees) {
            if (page.get(CANDIDATE_AT) != 0) {
                page.set(CANDIDATE_AT, 0);
            }
            page.set(LAST_MS_AT, agreed + monotonicMs());
            reported = false;
            return;
        }
        if (agreed != 0) {
            page.set(OTHER_AT, own);
            page.set(OTHER_PID_AT, pid);
            page.set(OTHER_IS_IGNORED_AT, machinesClock ? 0 : 1);
            page.set(OTHER_SEEN_AT, now());
        }
        if (machinesClock) {
            if (agreed != 0 && own < agreed) {
                page.set(EARLIER_SEEN_AT, now());
            }
            propose(own, agreed);
        }
        report();
    }

    /** Corrects times on the page that are in the future: they become the present. */
    private void correctFutureTimes() {
        for (int at : new int[] {EARLIER_SEEN_AT, CANDIDATE_SINCE_AT, OTHER_SEEN_AT}) {
            long seen = page.get(at);
            if (seen != 0 && seen - now() > 0) {
                page.compareAndSet(at, seen, now());
            }
        }
    }

    private void compareWithFiles(long own) {
        if (compared != 0 && near(own, compared)) {
            return;
        }
        compared = own;
        try {
            OptionalLong files = fileTime.millis();
            machinesClock = files.isEmpty() || near(clock.millis(), files.getAsLong());
        } catch (IOException e) {
            // This happens on a full disk. The other rules still apply.
            machinesClock = true;
            LOG.log(System.Logger.Level.DEBUG, "the clock of the file system is not known: {0}", e.getMessage());
        }
    }

    /** The agreed time at the beginning of a boot; 0 if there is none yet. */
    private long begin(long own) {
        long before = page.get(BEFORE_AT);
        if (before == 0) {
            return 0;
        }
        long atMost = before == NEW_DIRECTORY ? Long.MAX_VALUE : before - monotonicMs();
        boolean plausible = before == NEW_DIRECTORY || own <= atMost + RESTART_MS;
        page.compareAndSet(AGREED_AT, 0, plausible ? own : notZero(atMost));
        return page.get(AGREED_AT);
    }

    private void propose(long own, long agreed) {
        long candidate = page.get(CANDIDATE_AT);
        if (candidate == 0 || !near(own, candidate)) {
            // The time is written first: a process that reads the new candidate then reads the new time, too.
            page.set(CANDIDATE_SINCE_AT, now());
            page.set(CANDIDATE_AT, own);
        } else if (isSettled() && (agreed == 0 || candidate < agreed)) {
            follow(agreed, candidate);
        }
    }

    /** True while the agreed time follows a later one that this process and all others agree on. */
    private boolean isCatchingUp(long agreed) {
        long candidate = page.get(CANDIDATE_AT);
        return agreed != 0
                && candidate > agreed
                && near(notZero(clock.millis() - monotonicMs()), candidate)
                && isSettled();
    }

    private boolean isSettled() {
        return machine.nanoTime() - page.get(CANDIDATE_SINCE_AT) >= settlingNanos;
    }

    private void follow(long agreed, long to) {
        if (page.compareAndSet(AGREED_AT, agreed, to)) {
            page.set(EARLIER_SEEN_AT, 0);
            LOG.log(System.Logger.Level.INFO, "time retention uses the time {0} from now on", instant(to));
        }
    }

    /** Takes a step towards a later time that all processes agree on. Called once in each round of housekeeping. */
    void advance(long nanosSinceLastRound) {
        long agreed = page.get(AGREED_AT);
        long candidate = page.get(CANDIDATE_AT);
        if (machinesClock && isCatchingUp(agreed)) {
            long step = Math.clamp(CATCH_UP * (nanosSinceLastRound / 1_000_000), 0, STEP_MAX_MS);
            follow(agreed, Math.min(candidate, agreed + step));
        }
    }

    /** The time that retention uses now; empty while it waits, or if this process must not apply it. */
    OptionalLong millis() {
        long agreed = page.get(AGREED_AT);
        long earlier = page.get(EARLIER_SEEN_AT);
        boolean mayApply = agrees || machinesClock && isCatchingUp(agreed);
        boolean waits = !mayApply || agreed == 0 || earlier != 0 && machine.nanoTime() - earlier < settlingNanos;
        return waits ? OptionalLong.empty() : OptionalLong.of(agreed + monotonicMs());
    }

    private void report() {
        if (!reported) {
            reported = true;
            problem(page, machine, settlingNanos).ifPresent(text -> LOG.log(System.Logger.Level.WARNING, text));
        }
    }

    /**
     * The problem with the clocks of processes that use a directory, as a sentence; empty if there is no problem, or if
     * it is not known.
     */
    public static Optional<String> problem(Path directory) {
        Disk disk = NativeDisk.orFallback();
        Path file = new Layout(directory).housekeepingPage(BootId.read());
        try (Page page = disk.exists(file) ? disk.pageForReading(file) : new HeapPage(new byte[PAGE_SIZE])) {
            return page.size() < PAGE_SIZE ? Optional.empty() : problem(page, disk.machine(), SETTLING.toNanos());
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "cannot read {0}: {1}", file, e.getMessage());
            return Optional.empty();
        }
    }

    /** The problem as in {@link #problem(Path)}. */
    Optional<String> problem() {
        return problem(page, machine, settlingNanos);
    }

    /** The problem as in {@link #problem()}, from a page of another process. */
    static Optional<String> problem(Page page, Machine machine, long settlingNanos) {
        long agreed = page.get(AGREED_AT);
        if (agreed == 0) {
            return Optional.empty();
        }
        long now = machine.nanoTime();
        long seen = page.get(OTHER_SEEN_AT);
        long aheadMs = page.get(OTHER_AT) - agreed;
        boolean present = seen != 0 && now - seen < PRESENT_NANOS && Math.abs(aheadMs) > TOLERANCE_MS;
        long earlier = page.get(EARLIER_SEEN_AT);
        boolean waits = earlier != 0 && now - earlier < settlingNanos;
        if (!present && !waits) {
            return Optional.empty();
        }
        Instant agreedTime = Instant.ofEpochMilli(agreed + now / 1_000_000).truncatedTo(ChronoUnit.SECONDS);
        String clocks = "the clock of process " + page.get(OTHER_PID_AT) + (present ? " is " : " was ")
                + durationText(Math.abs(aheadMs)) + (aheadMs > 0 ? " ahead of" : " behind") + " the agreed time ("
                + agreedTime
                + ")";
        String settling = durationText(settlingNanos / 1_000_000);
        if (waits) {
            return Optional.of(clocks + "; time retention waits until no clock has been behind for " + settling);
        }
        return Optional.of(clocks
                + (page.get(OTHER_IS_IGNORED_AT) == 0
                        ? "; time retention follows once all processes have agreed on another time for " + settling
                        : " and differs from that of the machine; it is ignored"));
    }

    private static String durationText(long millis) {
        Duration time = Duration.ofMillis(millis + Math.min(millis / 100, 60_000));
        if (time.toDays() >= 2) {
            return time.toDays() + " days";
        }
        if (time.toHours() >= 2) {
            return time.toHours() + " hours";
        }
        return time.toMinutes() >= 2
                ? time.toMinutes() + " minutes"
                : String.format(Locale.ROOT, "%.1f seconds", millis / 1e3);
    }

    private static boolean near(long own, long other) {
        return Math.abs(own - other) <= TOLERANCE_MS;
    }

    private Instant instant(long difference) {
        return Instant.ofEpochMilli(difference + monotonicMs());
    }

    private long monotonicMs() {
        return machine.nanoTime() / 1_000_000;
    }

    /** The time of the monotonic clock, never 0. On the page 0 means never. */
    private long now() {
        return notZero(machine.nanoTime());
    }

    private static long notZero(long number) {
        return number == 0 ? 1 : number;
    }
}
