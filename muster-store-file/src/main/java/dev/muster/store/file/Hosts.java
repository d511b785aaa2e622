package dev.muster.store.file;

import dev.muster.store.UnsupportedStoreException;
import dev.muster.store.file.disk.Disk;
import dev.muster.store.file.disk.DiskFile;
import dev.muster.store.file.disk.Page;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * The processes that have the directory open. Each holds a lock for life on a file of its own and counts up a heartbeat
 * on a page beside it. A heartbeat that moves under another boot id is another machine: the kernel's locks and pages do
 * not reach there, so the directory is refused.
 */
final class Hosts implements AutoCloseable {
    private static final int PAGE_SIZE = 4096;
    private static final int BEAT_AT = 0;
    private static final int TIME_AT = 8;
    private static final String LOCK = ".lock";
    private static final String BEAT = ".beat";
    // Beats come every second. One seen not longer ago than this may be followed by another: wait and see.
    private static final long RECENT_MS = 10_000;
    private static final long WATCH_NANOS = 2_500_000_000L;

    private final Disk disk;
    private final Path folder;
    private final HostId self;
    private final Clock clock;
    private final Map<String, Long> foreignBeats = new HashMap<>();
    private DiskFile lock;
    private Page beat;

    Hosts(Disk disk, Path folder, HostId self, Clock clock) {
        this.disk = disk;
        this.folder = folder;
        this.self = self;
        this.clock = clock;
    }

    /** Makes this process known, unless another machine is at work here. */
    void register() throws IOException {
        disk.createFolders(folder);
        if (observeForeign(true)) {
            long until = System.nanoTime() + WATCH_NANOS;
            while (System.nanoTime() < until) {
                LockSupport.parkNanos(50_000_000);
                refuseIfForeignBeats();
            }
        }
        lock = disk.openForAppend(folder.resolve(self + LOCK));
        try {
            if (!lock.tryLock()) {
                throw new IOException("cannot lock " + lock + ", a file that only this process knows");
            }
            beat = disk.page(
                    folder.resolve(self + BEAT), ByteBuffer.allocate(PAGE_SIZE).array());
        } catch (IOException e) {
            close();
            throw e;
        }
        beat();
    }

    void beat() {
        beat.set(TIME_AT, clock.millis());
        beat.set(BEAT_AT, beat.get(BEAT_AT) + 1);
    }

    /** Called now and then; throws when another machine's heartbeat moved since the last call. */
    void refuseIfForeignBeats() throws IOException {
        observeForeign(false);
    }

    /** Whether a foreign heartbeat is recent enough to wait for. */
    private boolean observeForeign(boolean first) throws IOException {
        boolean recent = false;
        for (String name : disk.list(folder)) {
            if (!name.endsWith(BEAT) || name.startsWith(self.bootId().toString())) {
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
            long count = page.getLong(BEAT_AT);
            Long before = foreignBeats.put(name, count);
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

    /** Deletes the files of processes that are gone. Their names never come back, so this cannot hit a living one. */
    void sweep() throws IOException {
        for (String name : disk.list(folder)) {
            boolean ours = name.startsWith(self.bootId().toString());
            if (!name.endsWith(LOCK) || name.startsWith(self.toString())) {
                continue;
            }
            String stem = name.substring(0, name.length() - LOCK.length());
            // Without a heartbeat yet, it is about to take its lock.
            if (!ours && beatsLately(stem) || !disk.exists(folder.resolve(stem + BEAT))) {
                continue;
            }
            try (DiskFile other = disk.openForAppend(folder.resolve(name))) {
                if (other.tryLock()) {
                    disk.delete(folder.resolve(stem + BEAT));
                    disk.delete(folder.resolve(name));
                }
            }
        }
    }

    private boolean beatsLately(String stem) throws IOException {
        try {
            ByteBuffer page =
                    ByteBuffer.wrap(disk.readAll(folder.resolve(stem + BEAT))).order(ByteOrder.nativeOrder());
            return page.remaining() >= PAGE_SIZE && Math.abs(clock.millis() - page.getLong(TIME_AT)) < 60 * RECENT_MS;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    @Override
    public void close() {
        if (lock != null) {
            try {
                disk.delete(folder.resolve(self + BEAT));
                disk.delete(folder.resolve(self + LOCK));
            } catch (IOException e) {
                // Another process sweeps what is left.
                assert folder != null : e;
            }
            lock.close();
        }
    }
}
