package dev.muster.store.file.host;

import dev.muster.core.group.model.HostId;
import dev.muster.disk.Bell;
import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.FileIdentity;
import dev.muster.disk.HeapPage;
import dev.muster.disk.NoRoomException;
import dev.muster.disk.Page;
import dev.muster.disk.PageStamp;
import dev.muster.store.UnsupportedStoreException;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.file.room.DiskPressure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The files that make this process known to the others, and the files that dead processes left.
 *
 * <pre>
 *   &lt;host&gt;.lock   held for life: it decides whether the process is gone
 *   &lt;host&gt;.bell   rings when the process ends: a hint
 *   &lt;host&gt;.beat   a page: a counter of signs of life, the time of the last one, and whether the store was closed
 *   &lt;host&gt;.json   the time of the last sign of life, for people
 * </pre>
 *
 * The lock is created before the other files and deleted before them. A heartbeat that changes under another boot id
 * belongs to another machine. The kernel's locks and pages do not reach that machine, so the directory is refused.
 */
public final class HostFiles implements AutoCloseable {
    static final int PAGE_SIZE = 4096;
    static final int COUNT_AT = 0;
    static final int TIME_AT = 8;
    static final int CLOSED_AT = 16;
    private static final System.Logger LOG = System.getLogger(HostFiles.class.getName());
    static final String LOCK = ".lock";
    private static final String HEARTBEAT = ".beat";
    private static final String BELL = ".bell";
    // The count is raised every second. If it was last raised within this time, its process may be alive, and
    // registration waits for the next change.
    private static final long RECENT_MS = 10_000;
    /**
     * The time for which the last heartbeat of a dead process is kept. It shows since when the partitions of its
     * members waited.
     */
    private static final long KEPT_MS = 3_600_000;

    private static final long WATCH_NANOS = 2_500_000_000L;
    private static final int EARLIER_MAX = 16;

    private final Disk disk;
    private final DiskPressure pressure;
    private final Path folder;
    private final Path drafts;
    private final ProcessIdentity self;
    private final Clock clock;
    private final Map<String, Long> foreignHeartbeats = new HashMap<>();
    private DiskFile lock;
    private FileIdentity lockIdentity;
    private Bell bell;
    private volatile Page heartbeat;
    private volatile ReadableHeartbeat shown;
    private volatile boolean registered;
    private boolean closed;
    /** The bells of files that were deleted: other processes may have them open. */
    private final List<Bell> earlierBells = new ArrayList<>();

    private final List<Page> earlierHeartbeats = new CopyOnWriteArrayList<>();

    public HostFiles(Disk disk, Layout layout, ProcessIdentity self, Clock clock, DiskPressure pressure) {
        this.disk = disk;
        this.pressure = pressure;
        this.folder = layout.hosts();
        this.drafts = layout.drafts();
        this.self = self;
        this.clock = clock;
    }

    static Path lockFile(Path folder, HostId host) {
        return folder.resolve(host + LOCK);
    }

    static Path bellFile(Path folder, HostId host) {
        return folder.resolve(host + BELL);
    }

    static Path heartbeatFile(Path folder, HostId host) {
        return folder.resolve(host + HEARTBEAT);
    }

    /**
     * Makes this process known, unless another machine uses the directory. Without room for the files the process can
     * read all the same. {@link #isRegistered} is then false, and {@link #completeRegistration} tries again.
     */
    public void register() throws IOException {
        pressure.evenWhenFull(() -> {
            disk.createFolders(folder);
            return null;
        });
        if (observeForeign(true)) {
            long until = disk.machine().nanoTime() + WATCH_NANOS;
            while (disk.machine().nanoTime() < until) {
                disk.machine().pause(50_000_000);
                refuseIfForeignHeartbeats();
            }
        }
        try {
            completeRegistration();
        } catch (NoRoomException e) {
            LOG.log(System.Logger.Level.DEBUG, "other processes cannot see this one yet: {0}", e.getMessage());
            heartbeat = new HeapPage(new byte[PAGE_SIZE]);
        } catch (IOException e) {
            close();
            throw e;
        }
        renew();
    }

    /** True if other processes can see this one. */
    public boolean isRegistered() {
        return registered;
    }

    /** Creates the missing files. Does nothing if all are there. */
    public synchronized void completeRegistration() throws IOException {
        if (registered) {
            return;
        }
        pressure.evenWhenFull(() -> {
            if (lock == null) {
                takeLock();
            }
            if (bell == null) {
                createBell();
            }
            heartbeat = disk.page(heartbeatFile(folder, self.hostId()), new byte[PAGE_SIZE]);
            return null;
        });
        registered = true;
        createReadable();
        renew();
    }

    /**
     * Creates the files of this process again that another program deleted. Other processes have the earlier bell and
     * heartbeat open, so these stay in use.
     *
     * @param all false to check the lock only
     */
    public synchronized void recreateMissing(boolean all) throws IOException {
        if (!registered || closed) {
            return;
        }
        boolean lockIsThere = isNameOf(lockFile(folder, self.hostId()), lockIdentity);
        if (lockIsThere && !all || !disk.exists(folder.getParent().getParent())) {
            return;
        }
        pressure.evenWhenFull(() -> {
            if (!lockIsThere) {
                LOG.log(System.Logger.Level.WARNING, "the files of this process in {0} were deleted", folder);
                disk.createFolders(folder);
                takeLock();
                createReadable();
            }
            if (bell != null && !disk.exists(bellFile(folder, self.hostId()))) {
                earlierBells.add(bell);
                createBell();
            }
            if (!PageStamp.isInPlace(disk, heartbeatFile(folder, self.hostId()), heartbeat)) {
                replaceHeartbeat();
            }
            return null;
        });
    }

    private boolean isNameOf(Path path, FileIdentity file) throws IOException {
        try {
            return disk.identity(path).equals(file);
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private void replaceHeartbeat() throws IOException {
        Page before = heartbeat;
        Page now = PageStamp.open(disk, heartbeatFile(folder, self.hostId()), new byte[PAGE_SIZE]);
        now.raise(COUNT_AT, before.get(COUNT_AT));
        if (PageStamp.isOwn(before)) {
            earlierHeartbeats.add(before);
        }
        if (earlierHeartbeats.size() > EARLIER_MAX) {
            earlierHeartbeats.removeFirst();
        }
        heartbeat = now;
        renew();
    }

    private void createReadable() {
        try {
            shown = ReadableHeartbeat.create(disk, folder, self, clock.millis());
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "no heartbeat for people: {0}", e.getMessage());
        }
    }

    /**
     * Locks a draft and gives it the name afterwards. So a lock file that is not locked always belongs to a process
     * that is gone, and other processes may treat it as dead and delete the file.
     */
    private void takeLock() throws IOException {
        Path draft = lockFile(drafts, self.hostId());
        disk.createFolders(drafts);
        DiskFile before = lock;
        DiskFile locked = disk.openForAppend(draft);
        try {
            if (!locked.tryLock()) {
                throw new IOException("cannot lock " + draft + ", a file that only this process knows");
            }
            disk.rename(draft, lockFile(folder, self.hostId()));
            lockIdentity = locked.identity();
            lock = locked;
        } finally {
            DiskFile unused = lock == locked ? before : locked;
            if (unused != null) {
                unused.close();
            }
        }
    }

    private void createBell() {
        Path file = bellFile(folder, self.hostId());
        try {
            bell = disk.bell(file);
        } catch (IOException e) {
            // Other processes will check the lock of this one now and then, instead of waiting for the bell.
            LOG.log(System.Logger.Level.DEBUG, "no bell at {0}: {1}", file, e.getMessage());
        }
    }

    /** Gives a sign of life. Any thread may call this at any time. */
    public void renew() {
        long millis = clock.millis();
        renew(heartbeat, millis);
        earlierHeartbeats.forEach(page -> renew(page, millis));
        ReadableHeartbeat readable = shown;
        if (readable != null) {
            readable.renew(millis);
        }
    }

    private static void renew(Page page, long millis) {
        page.set(TIME_AT, millis);
        long seen;
        do {
            seen = page.get(COUNT_AT);
        } while (!page.compareAndSet(COUNT_AT, seen, seen + 1));
    }

    /** Throws if the heartbeat of another machine changed since the last call. Called now and then. */
    public void refuseIfForeignHeartbeats() throws IOException {
        observeForeign(false);
    }

    /**
     * Reads the heartbeats of other boots.
     *
     * @return true if one of them is recent enough to wait for the next
     */
    private boolean observeForeign(boolean first) throws IOException {
        boolean recent = false;
        for (String name : disk.list(folder)) {
            if (!name.endsWith(HEARTBEAT) || name.startsWith(self.bootId().toString())) {
                continue;
            }
            ByteBuffer page;
            try {
                page = ByteBuffer.wrap(disk.readAll(folder.resolve(name))).order(ByteOrder.nativeOrder());
            } catch (NoSuchFileException e) {
                continue;
            }
            if (page.remaining() < PAGE_SIZE) {
                continue;
            }
            long count = page.getLong(COUNT_AT);
            Long before = foreignHeartbeats.put(name, count);
            if (!first && before != null && before != count) {
                throw new UnsupportedStoreException(
                        folder.getParent().getParent() + " is in use by another machine (its heartbeat " + name
                                + " moves)",
                        "one directory belongs to one machine: serve it over the network instead of sharing its disk");
            }
            recent |= Math.abs(clock.millis() - page.getLong(TIME_AT)) < RECENT_MS;
        }
        return recent;
    }

    /**
     * Deletes the files of processes that are gone. Their names are never used again, so this cannot delete files of a
     * living process.
     */
    public void deleteDead() throws IOException {
        Set<String> stems = new LinkedHashSet<>();
        for (String name : disk.list(folder)) {
            if (name.endsWith(LOCK)
                    || name.endsWith(BELL)
                    || name.endsWith(HEARTBEAT)
                    || name.endsWith(ReadableHeartbeat.SUFFIX)) {
                stems.add(name.substring(0, name.lastIndexOf('.')));
            }
        }
        stems.remove(self.toString());
        for (String stem : stems) {
            boolean ours = stem.startsWith(self.bootId().toString());
            if (ours || !hasRecentHeartbeat(stem, 60 * RECENT_MS)) {
                deleteFilesOf(stem);
            }
        }
    }

    private void deleteFilesOf(String stem) throws IOException {
        Path lockFile = folder.resolve(stem + LOCK);
        if (!disk.exists(lockFile) && self.seesRunning(disk.machine(), stem)) {
            // It will create its lock again, or has closed its store and deletes the other files itself.
            return;
        }
        if (disk.exists(lockFile)) {
            // The lock is held while the name is deleted. So a process that starts and one that sweeps cannot both take
            // the file for theirs.
            try (DiskFile left = disk.openForAppend(lockFile)) {
                if (!left.tryLock()) {
                    return;
                }
                disk.delete(lockFile);
            }
        }
        // Without a lock file there is no process, because the lock is created first.
        disk.delete(folder.resolve(stem + BELL));
        if (!hasRecentHeartbeat(stem, KEPT_MS)) {
            disk.delete(folder.resolve(stem + HEARTBEAT));
            disk.delete(folder.resolve(stem + ReadableHeartbeat.SUFFIX));
        }
        for (String draft : disk.list(drafts)) {
            if (draft.startsWith(stem)) {
                disk.deleteTree(drafts.resolve(draft));
            }
        }
    }

    private boolean hasRecentHeartbeat(String stem, long millis) throws IOException {
        try {
            ByteBuffer page = ByteBuffer.wrap(disk.readAll(folder.resolve(stem + HEARTBEAT)))
                    .order(ByteOrder.nativeOrder());
            return page.remaining() >= PAGE_SIZE && Math.abs(clock.millis() - page.getLong(TIME_AT)) < millis;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /**
     * Announces that the store is closed. No part of this process uses it any more. The bell rings last, when the lock
     * is free, so that a process that it wakes finds the lock free.
     */
    @Override
    public synchronized void close() {
        closed = true;
        HostId host = self.hostId();
        if (heartbeat != null && heartbeat.writable()) {
            heartbeat.set(CLOSED_AT, 1);
        }
        earlierHeartbeats.forEach(page -> page.set(CLOSED_AT, 1));
        delete(lockFile(folder, host));
        if (lock != null) {
            lock.close();
        }
        if (bell != null) {
            bell.close();
        }
        earlierBells.forEach(Bell::close);
        delete(bellFile(folder, host));
        delete(heartbeatFile(folder, host));
        delete(folder.resolve(host + ReadableHeartbeat.SUFFIX));
    }

    private void delete(Path file) {
        try {
            disk.delete(file);
        } catch (IOException e) {
            // Another process deletes the remaining files.
            LOG.log(System.Logger.Level.DEBUG, "cannot delete {0}: {1}", file, e.getMessage());
        }
    }
}
