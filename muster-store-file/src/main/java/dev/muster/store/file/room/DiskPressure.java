package dev.muster.store.file.room;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskSpace;
import dev.muster.disk.NoRoomException;
import dev.muster.store.DiskFullException;
import dev.muster.store.DiskState;
import dev.muster.store.DiskState.Level;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The room on the disk as this process last saw it, and what follows from it. Every process looks for itself; the level
 * depends on nothing but what all of them see: the free space, the reserve, and the setting of the directory. Below
 * {@link DiskState#MIN_FREE} records are refused, while everything else may still take room and, at the very end, the
 * reserve. Safe for many threads.
 *
 * <p>The free space is looked at once per second ({@link #keep}), and in between after a quarter of the room was
 * written by this process.
 */
public final class DiskPressure {
    private static final System.Logger LOG = System.getLogger(DiskPressure.class.getName());
    private static final long MIN_FREE_MAX = 64L << 20;
    private static final int MIN_FREE_SHARE = 50;
    private static final long LOW_MAX = 1L << 30;
    private static final int LOW_SHARE = 20;
    private static final long BUDGET_MIN = 64L << 10;
    private static final long BUDGET_MAX = 64L << 20;
    /** A refused writer looks again by itself after so long. */
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long IDLE_LOOK_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** An append relies on a look that is younger than this. */
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long WARN_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Disk disk;
    private final Path root;
    private final DiskReserve reserve;
    private final DirectorySettings settings;
    private final boolean readOnly;
    private final ReentrantLock looking = new ReentrantLock();
    /** Bytes that this process may still append before it looks again. */
    private final AtomicLong budget = new AtomicLong();

    /** The budget as the last look set it: another value means that this process has appended since. */
    private volatile long budgetAfterLook;

    /** What the last look found: false sends {@link #keep} to work also where nothing is appended. */
    private volatile boolean reserveIsWhole;

    private volatile DiskState state;
    private volatile long lookedNanos;
    private Level told = Level.OK;
    private long warnedNanos;

    /** A step that may find no room. */
    public interface Call<T> {
        T run() throws IOException;
    }

    /**
     * @param reserve the folder of the reserve
     * @param settings the file with the settings of the directory
     */
    public DiskPressure(Disk disk, Path root, Path reserve, Path settings, boolean readOnly) {
        this.disk = disk;
        this.root = root;
        this.reserve = new DiskReserve(disk, reserve);
        this.settings = new DirectorySettings(disk, settings);
        this.readOnly = readOnly;
        this.lookedNanos = disk.machine().nanoTime();
        this.warnedNanos = lookedNanos - WARN_AGAIN_NANOS;
    }

    /** The state now; empty when the size of the disk is not known. */
    public Optional<DiskState> state() {
        looking.lock();
        try {
            lookLocked();
        } finally {
            looking.unlock();
        }
        return Optional.ofNullable(state);
    }

    /** Whether records are refused, as far as this process knows. */
    public boolean isFull() {
        DiskState last = state;
        return last != null && last.level() == Level.FULL;
    }

    /**
     * Looks, and makes the missing part of the reserve where there is room. Called once per second. A process that
     * appends nothing to a disk with room looks once a minute: it costs an idle member nothing.
     */
    public void keep() {
        if (isIdle()) {
            return;
        }
        DiskSpace space = disk.space(root);
        if (space.isKnown() && !readOnly) {
            try {
                reserve.fill(space.totalBytes(), space.freeBytes() - minFree(space) / 2);
            } catch (IOException e) {
                // No room yet, or this user may not write there: the store works without a reserve.
                LOG.log(System.Logger.Level.DEBUG, "the reserve of {0} is not complete: {1}", root, e.getMessage());
            }
        }
        look();
    }

    private boolean isIdle() {
        DiskState last = state;
        return last != null
                && last.level() == Level.OK
                && (reserveIsWhole || readOnly)
                && budget.get() == budgetAfterLook
                && disk.machine().nanoTime() - lookedNanos < IDLE_LOOK_NANOS;
    }

    /**
     * Refuses records when there is too little room for them.
     *
     * @param bytes size of what is about to be appended
     * @throws DiskFullException when the disk is {@link Level#FULL}, or would be
     */
    public void admit(long bytes) {
        DiskState last = state;
        if (last == null) {
            return;
        }
        if (last.level() == Level.FULL) {
            if (disk.machine().nanoTime() - lookedNanos >= LOOK_AGAIN_NANOS) {
                look();
            }
        } else if (budget.addAndGet(-bytes) < 0 || disk.machine().nanoTime() - lookedNanos >= STALE_NANOS) {
            look();
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
     * @param draft a file that no other process writes
     */
    public void setMinFree(long bytes, Path draft) throws IOException {
        OptionalLong now = settings.diskMinFree();
        if (now.isEmpty() || now.getAsLong() != bytes) {
            evenWhenFull(() -> {
                settings.setDiskMinFree(bytes, draft);
                return null;
            });
        }
        look();
    }

    /** A write found no room: whatever was seen last is out of date. */
    public void foundNoRoom() {
        look();
    }

    /**
     * Runs a step that must work on a full disk too. When it finds no room a piece of the reserve is released and the
     * step is run again: it must be one that can be repeated.
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
            // Also without a piece once more: another process may have released the last one.
            left = !readOnly && reserve.release();
        }
    }

    private void look() {
        if (looking.tryLock()) {
            try {
                lookLocked();
            } finally {
                looking.unlock();
            }
        }
    }

    private void lookLocked() {
        try {
            DiskSpace space = disk.space(root);
            if (space.isKnown()) {
                judge(space);
            } else {
                state = null;
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "cannot look at the free space of {0}: {1}", root, e.getMessage());
        }
        lookedNanos = disk.machine().nanoTime();
    }

    private void judge(DiskSpace space) throws IOException {
        long min = minFree(space);
        // What the reserve lacks is going to be taken: so every process sees the same, however far the reserve is.
        long missing = reserve.missingBytes(space.totalBytes());
        reserveIsWhole = missing == 0;
        long free = Math.max(0, space.freeBytes() - missing);
        long low = min + Math.min(LOW_MAX, space.totalBytes() / LOW_SHARE);
        Level level = free < min ? Level.FULL : free < low ? Level.LOW : Level.OK;
        state = new DiskState(level, free, space.totalBytes(), min);
        budgetAfterLook = Math.clamp((free - min) / 4, BUDGET_MIN, BUDGET_MAX);
        budget.set(budgetAfterLook);
        tell(state);
    }

    private long minFree(DiskSpace space) {
        return settings.diskMinFree().orElse(Math.min(MIN_FREE_MAX, space.totalBytes() / MIN_FREE_SHARE));
    }

    /** Logs a change for the worse, not too often where it comes and goes, and its end. */
    private void tell(DiskState now) {
        if (now.level() == told) {
            return;
        }
        long nanos = disk.machine().nanoTime();
        if (now.level().compareTo(told) > 0 && nanos - warnedNanos < WARN_AGAIN_NANOS && told != Level.OK) {
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
                if (told == Level.FULL) {
                    LOG.log(System.Logger.Level.INFO, "the disk of " + root + " has room: records are accepted" + room);
                } else {
                    LOG.log(System.Logger.Level.WARNING, "the disk of " + root + " is nearly full" + room);
                }
            }
            case OK -> LOG.log(System.Logger.Level.INFO, "the disk of " + root + " has room again" + room);
        }
        told = now.level();
    }
}
