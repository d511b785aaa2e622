package dev.muster.store.file.log.recovery;

import dev.muster.disk.Disk;
import dev.muster.disk.FileIdentity;
import dev.muster.disk.Page;
import dev.muster.disk.PageStamp;
import dev.muster.store.file.log.segment.SegmentName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The words about one partition that all processes of one boot share. Ends only rise. The file's name contains the boot
 * id: after another boot the page is another file, and the process that recovers the partition first creates it.
 *
 * <pre>
 *   0  magic "MUSTCTL1"
 *   8  written end    records below this offset count in the log
 *  16  durable end    records below this offset are synced; top bit: frozen while records are given up
 *  24  start offset   records below this offset are not readable any more
 *  32  rolls          number of segments begun since this page was created
 *  40  lock turn      int: raised when a writer releases the lock
 *  44  lock waiters   int: set by a writer that waits for the lock
 *  48  journal end    size of the checkpoint file after the last change that other processes must read
 *  56  failed         a segment whose sync failed: base offset + 1
 * 4080 stamp          see {@link PageStamp}
 * </pre>
 */
public final class ControlPage {
    private static final long FROZEN = Long.MIN_VALUE;
    private static final int SIZE = 4096;
    private static final long MAGIC = 0x4D55_5354_4354_4C31L;
    private static final int MAGIC_AT = 0;
    private static final int WRITTEN_END_AT = 8;
    private static final int DURABLE_END_AT = 16;
    private static final int START_AT = 24;
    private static final int ROLLS_AT = 32;
    private static final int LOCK_TURN_AT = 40;
    private static final int LOCK_WAITERS_AT = 44;
    private static final int JOURNAL_END_AT = 48;
    private static final int FAILED_AT = 56;

    private final Page page;
    private final long stamp;
    // The highest values that this process has seen. They are used if the page was truncated or overwritten.
    private final AtomicLong seenWritten = new AtomicLong();
    private final AtomicLong seenDurable = new AtomicLong();
    private final AtomicLong seenStart = new AtomicLong();

    private ControlPage(Page page) {
        this.page = page;
        this.stamp = page.identity() == null ? 0 : page.identity().inode();
    }

    public static Path file(Path folder, UUID bootId) {
        return folder.resolve("control-" + bootId);
    }

    /** The page of this boot; null if there is none yet, or it cannot be used. */
    public static ControlPage openExisting(Disk disk, Path file, boolean readOnly) throws IOException {
        if (!disk.exists(file) || disk.size(file) < SIZE) {
            return null;
        }
        Page page = readOnly ? disk.pageForReading(file) : disk.page(file, null);
        ControlPage found = new ControlPage(page);
        return found.isValid() ? found : null;
    }

    /** The page of this boot. It is created with these ends if there is none yet. */
    public static ControlPage create(Disk disk, Path file, long writtenEnd, long durableEnd, long start)
            throws IOException {
        if (disk.exists(file) && openExisting(disk, file, true) == null) {
            // A page gets its name only when it is whole, so this one was truncated, overwritten or copied from another
            // place.
            disk.delete(file);
        }
        ControlPage page = new ControlPage(disk.page(file, content(writtenEnd, durableEnd, start)));
        // Another process may have created the page from an older state of the log.
        page.raiseStart(start);
        page.raiseWrittenEnd(writtenEnd);
        page.raiseDurableEnd(durableEnd);
        return page;
    }

    /** The contradiction between the words of this page; null if there is none. */
    public String problem() {
        long start = start();
        long durable = durableEnd();
        // Read last, because it is raised before the others.
        long written = writtenEnd();
        boolean orderly = 0 <= start && start <= written && 0 <= durable && durable <= written;
        return orderly ? null : "the ends on the control page contradict each other";
    }

    /** A page that is not shared, for a process that may only read. */
    public static ControlPage of(Page page) {
        return new ControlPage(page);
    }

    public static byte[] content(long writtenEnd, long durableEnd, long start) {
        ByteBuffer content = ByteBuffer.allocate(SIZE).order(ByteOrder.nativeOrder());
        content.putLong(MAGIC_AT, MAGIC)
                .putLong(WRITTEN_END_AT, writtenEnd)
                .putLong(DURABLE_END_AT, durableEnd)
                .putLong(START_AT, start);
        return content.array();
    }

    /** True if the page is whole and was created in its own file. */
    public boolean isValid() {
        return page.get(MAGIC_AT) == MAGIC && PageStamp.isOwn(page);
    }

    /** True if the page is valid and this is its name. */
    public boolean isInPlace(Disk disk, Path file) throws IOException {
        if (!isValid()) {
            return false;
        }
        try {
            return identity() != null && identity().equals(disk.identity(file));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** The identity of the file that the page was mapped from; null for a page that is not shared. */
    public FileIdentity identity() {
        return page.identity();
    }

    public long writtenEnd() {
        return seen(page.get(WRITTEN_END_AT), seenWritten);
    }

    /**
     * The value on the page; the last known value if the page was truncated or overwritten. Ends only rise, so a lower
     * value is wrong.
     */
    private long seen(long value, AtomicLong before) {
        if (value < before.get() || page.get(PageStamp.AT) != stamp) {
            return before.get();
        }
        raiseSeen(value, before);
        return value;
    }

    private static void raiseSeen(long offset, AtomicLong before) {
        for (long known = before.get(); known < offset; known = before.get()) {
            if (before.compareAndSet(known, offset)) {
                return;
            }
        }
    }

    public boolean raiseWrittenEnd(long offset) {
        raiseSeen(offset, seenWritten);
        return page.raise(WRITTEN_END_AT, offset);
    }

    public long durableEnd() {
        return seen(page.get(DURABLE_END_AT) & ~FROZEN, seenDurable);
    }

    /**
     * Raises the durable end.
     *
     * @return false if it was that high already, or is frozen
     */
    public boolean raiseDurableEnd(long offset) {
        while (true) {
            long seen = page.get(DURABLE_END_AT);
            if (seen < 0 || seen >= offset) {
                return false;
            }
            if (page.compareAndSet(DURABLE_END_AT, seen, offset)) {
                raiseSeen(offset, seenDurable);
                return true;
            }
        }
    }

    /**
     * True if a process is giving up records that could not be synced. Until that is recorded, no record becomes
     * durable.
     */
    public boolean durableEndIsFrozen() {
        return page.get(DURABLE_END_AT) < 0;
    }

    /**
     * Freezes the durable end and returns it. If it is frozen already, returns the frozen value: the process that froze
     * it may have died, and any process may then finish the work. That process records the lost records and thaws the
     * durable end.
     */
    public long freezeDurableEnd() {
        while (true) {
            long seen = page.get(DURABLE_END_AT);
            if (seen < 0 || page.compareAndSet(DURABLE_END_AT, seen, seen | FROZEN)) {
                return seen(seen & ~FROZEN, seenDurable);
            }
        }
    }

    public void thawDurableEnd(long frozenAt, long offset) {
        // If this fails, another process has finished the same work.
        var _ = page.compareAndSet(DURABLE_END_AT, frozenAt | FROZEN, offset);
    }

    public long start() {
        return seen(page.get(START_AT), seenStart);
    }

    public boolean raiseStart(long offset) {
        return page.raise(START_AT, offset);
    }

    public long rolls() {
        return page.get(ROLLS_AT);
    }

    public void countRoll() {
        long seen;
        do {
            seen = page.get(ROLLS_AT);
        } while (!page.compareAndSet(ROLLS_AT, seen, seen + 1));
    }

    public long journalEnd() {
        return page.get(JOURNAL_END_AT);
    }

    public boolean raiseJournalEnd(long size) {
        return page.raise(JOURNAL_END_AT, size);
    }

    /** Takes over the values that only the other page of the same partition has. */
    public void takeOver(ControlPage other) {
        raiseStart(other.start());
        long failed = other.page.get(FAILED_AT);
        if (failed != 0) {
            page.set(FAILED_AT, failed);
        }
    }

    public boolean failed(SegmentName segment) {
        return page.get(FAILED_AT) == segment.base() + 1;
    }

    public void setFailed(SegmentName segment) {
        page.set(FAILED_AT, segment.base() + 1);
    }

    public int lockTurn() {
        return page.getInt(LOCK_TURN_AT);
    }

    /** Announces that a writer waits for the lock. The next writer that releases the lock passes the turn. */
    public void announceLockWaiter() {
        page.getAndSetInt(LOCK_WAITERS_AT, 1);
    }

    /** Parks until a writer releases the lock, or the time is over. */
    public void awaitLockTurn(int seen, long timeoutNanos) {
        page.awaitChange(new int[] {LOCK_TURN_AT}, new int[] {seen}, timeoutNanos);
    }

    public void passLockTurn() {
        if (page.getInt(LOCK_WAITERS_AT) != 0) {
            page.getAndSetInt(LOCK_WAITERS_AT, 0);
            page.getAndAddInt(LOCK_TURN_AT, 1);
            page.wakeAll(LOCK_TURN_AT);
        }
    }
}
