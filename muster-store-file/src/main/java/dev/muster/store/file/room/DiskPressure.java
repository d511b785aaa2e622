package dev.muster.store.file.room;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskSpace;
import dev.muster.disk.NoRoomException;
import dev.muster.store.DiskFullException;
import dev.muster.store.DiskState;
import dev.muster.store.DiskState.Level;
import dev.muster.store.runtime.StoreRuntime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The room on the disk as this process last measured it, and the level that follows from it. Every process measures for
 * itself. The level depends only on values that all processes see: the free space, the reserve, and the setting of the
 * directory. Below {@link DiskState#MIN_FREE} records are refused. Everything else may still take room and, at the very
 * end, the reserve. Safe for many threads.
 *
 * <p>The free space is measured once per second ({@link #maintain}), and also after this process has written a quarter
 * of the room.
 */
public final class DiskPressure {
    private static final System.Logger LOG = System.getLogger(DiskPressure.class.getName());
    private static final long MIN_FREE_MAX = 64L << 20;
    private static final int MIN_FREE_SHARE = 50;
    private static final long LOW_MAX = 1L << 30;
    private static final int LOW_SHARE = 20;
    private static final long BUDGET_MIN = 64L << 10;
    private static final long BUDGET_MAX = 64L << 20;
    /** The time after which a refused writer measures again. */
    private static final long MEASURE_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long IDLE_MEASURE_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** The largest age of a measurement that an append relies on. */
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long WARN_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Disk disk;
    private final StoreRuntime runtime;
    private final Path root;
    private final DiskReserve reserve;
    private final DirectorySettings settings;
    private final boolean readOnly;
    private final ReentrantLock measuring = new ReentrantLock();
    /** The number of bytes that this process may still append before it measures again. */
    private final AtomicLong budget = new AtomicLong();

    /** The budget as the last measurement set it. If the budget differs, this process has appended since. */
    private volatile long measuredBudget;

    /**
     * True if the last measurement found the whole reserve. If not, {@link #maintain} works even if this process
     * appends nothing.
     */
    private volatile boolean reserveIsWhole;

    private volatile DiskState state;
    private volatile long measuredNanos;
    private Level loggedLevel = Level.OK;
    private long warnedNanos;

    /** A step that may fail because there is no room. */
    public interface Call<T> {
        T run() throws IOException;
    }

    /**
     * @param reserve the folder of the reserve
     * @param settings the file with the settings of the directory
     */
    public DiskPressure(Disk disk, StoreRuntime runtime, Path root, Path reserve, Path settings, boolean readOnly) {
        this.disk = disk;
        this.runtime = runtime;
        this.root = root;
        this.reserve = new DiskReserve(disk, reserve);
        this.settings = new DirectorySettings(disk, settings);
        this.readOnly = readOnly;
        this.measuredNanos = runtime.nanoTime();
        this.warnedNanos = measuredNanos - WARN_AGAIN_NANOS;
    }

    /** The state now; empty if the size of the disk is not known. */
    public Optional<DiskState> state() {
        measuring.lock();
        try {
            measureLocked();
        } finally {
            measuring.unlock();
        }
        return Optional.ofNullable(state);
    }

    /** True if records are refused, as far as this process knows. */
    public boolean isFull() {
        DiskState last = state;
        return last != null && last.level() == Level.FULL;
    }

    /**
     * Measures the free space, and creates the missing part of the reserve if there is room. Called once per second. A
     * process that appends nothing to a disk with room measures once a minute, so that an idle member makes no calls.
     */
    public void maintain() {
        if (isIdle()) {
            return;
        }
        DiskSpace space = disk.space(root);
        if (space.isKnown() && !readOnly) {
            try {
                reserve.fill(space.totalBytes(), space.freeBytes() - minFree(space) / 2);
            } catch (IOException e) {
                // There is no room yet, or this user may not write in the folder: the store works without a reserve.
                LOG.log(System.Logger.Level.DEBUG, "the reserve of {0} is not complete: {1}", root, e.getMessage());
            }
        }
        measure();
    }

    private boolean isIdle() {
        DiskState last = state;
        return last != null
                && last.level() == Level.OK
                && (reserveIsWhole || readOnly)
                && budget.get() == measuredBudget
                && runtime.nanoTime() - measuredNanos < IDLE_MEASURE_NANOS;
    }

    /**
     * Refuses records if there is too little room for them.
     *
     * @param bytes the size of the batch to append
     * @throws DiskFullException if the disk is {@link Level#FULL}, or would be after the append
     */
    public void admit(long bytes) {
        DiskState last = state;
        if (last == null) {
            return;
        }
        if (last.level() == Level.FULL) {
            if (runtime.nanoTime() - measuredNanos >= MEASURE_AGAIN_NANOS) {
                measure();
            }
        } else if (budget.addAndGet(-bytes) < 0 || runtime.nanoTime() - measuredNanos >= STALE_NANOS) {
            measure();
        } else {
            return;
        }
        DiskState now = state;
        if (now == null) {
            return;
        }
        boolean fits = now.minFreeBytes() == 0 || now.freeBytes() - bytes >= now.minFreeBytes();
        if (now.level() == Level.FULL || !fits) {
            throw new DiskFullException(now);
        }
    }

    /**
     * Sets {@link DiskState#MIN_FREE} for all processes.
     *
     * @param draft the path of a temporary file that no other process writes
     */
    public void setMinFree(long bytes, Path draft) throws IOException {
        OptionalLong now = settings.diskMinFree();
        if (now.isEmpty() || now.getAsLong() != bytes) {
            evenWhenFull(() -> {
                settings.setDiskMinFree(bytes, draft);
                return null;
            });
        }
        measure();
    }

    /** Measures again after a write found no room, because the last measurement is outdated. */
    public void foundNoRoom() {
        measure();
    }

    /**
     * Runs a step that must work on a full disk too. If it finds no room, a piece of the reserve is released and the
     * step is run again. So the step must be repeatable.
     */
    public <T> T evenWhenFull(Call<T> step) throws IOException {
        boolean left = true;
        while (true) {
            try {
                return step.run();
            } catch (NoRoomException e) {
                if (!left) {
                    throw e;
                }
            } catch (DiskFullException e) {
                if (!left || !(e.getCause() instanceof NoRoomException)) {
                    throw e;
                }
            }
            // The step is repeated once even without a piece, because another process may have released the last one.
            left = !readOnly && reserve.release();
        }
    }

    private void measure() {
        if (measuring.tryLock()) {
            try {
                measureLocked();
            } finally {
                measuring.unlock();
            }
        }
    }

    private void measureLocked() {
        try {
            DiskSpace space = disk.space(root);
            if (space.isKnown()) {
                update(space);
            } else {
                state = null;
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "cannot read the free space of {0}: {1}", root, e.getMessage());
        }
        measuredNanos = runtime.nanoTime();
    }

    private void update(DiskSpace space) throws IOException {
        long min = minFree(space);
        // The missing part of the reserve will take room, so it does not count as free. Every process then sees the
        // same free space, however large the reserve is at the moment.
        long missing = reserve.missingBytes(space.totalBytes());
        reserveIsWhole = missing == 0;
        long free = Math.max(0, space.freeBytes() - missing);
        long low = min + Math.min(LOW_MAX, space.totalBytes() / LOW_SHARE);
        Level level = free < min ? Level.FULL : free < low ? Level.LOW : Level.OK;
        state = new DiskState(level, free, space.totalBytes(), min);
        measuredBudget = Math.clamp((free - min) / 4, BUDGET_MIN, BUDGET_MAX);
        budget.set(measuredBudget);
        logChange(state);
    }

    private long minFree(DiskSpace space) {
        return settings.diskMinFree().orElse(Math.min(MIN_FREE_MAX, space.totalBytes() / MIN_FREE_SHARE));
    }

    /** Logs a change for the worse and its end. A change that comes and goes is not logged too often. */
    private void logChange(DiskState now) {
        if (now.level() == loggedLevel) {
            return;
        }
        long nanos = runtime.nanoTime();
        if (now.level().compareTo(loggedLevel) > 0
                && nanos - warnedNanos < WARN_AGAIN_NANOS
                && loggedLevel != Level.OK) {
            return;
        }
        String room = " (" + (now.freeBytes() >> 10) + " KiB free, " + (now.minFreeBytes() >> 10)
                + " KiB are kept, see " + DiskState.MIN_FREE + ")";
        switch (now.level()) {
            case FULL -> {
                warnedNanos = nanos;
                LOG.log(
                        System.Logger.Level.WARNING,
                        "the disk of " + root + " is full: records are refused until there is room" + room);
            }
            case LOW -> {
                if (loggedLevel == Level.FULL) {
                    LOG.log(System.Logger.Level.INFO, "the disk of " + root + " has room: records are accepted" + room);
                } else {
                    LOG.log(System.Logger.Level.WARNING, "the disk of " + root + " is nearly full" + room);
                }
            }
            case OK -> LOG.log(System.Logger.Level.INFO, "the disk of " + root + " has room again" + room);
        }
        loggedLevel = now.level();
    }
}
