package dev.muster.store.file;

import dev.muster.core.MusterException;
import dev.muster.core.SyncLevel;
import dev.muster.store.Topic;
import dev.muster.store.UnsupportedStoreException;
import dev.muster.store.file.disk.Disk;
import dev.muster.store.file.disk.DiskFile;
import dev.muster.store.file.disk.Page;
import dev.muster.store.file.log.FilePartition;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The thread that keeps the house: heartbeats, syncs by time, and now and then retention for the whole directory, which
 * one process does for all. The lock for that is a courtesy too: who finds the last round overdue although somebody
 * holds the lock goes without it, and no step does harm when two take it.
 */
final class Upkeep implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Upkeep.class.getName());
    private static final long TICK_MS = 1000;
    private static final long STOPPED_LEADER_NANOS = Duration.ofSeconds(60).toNanos();
    private static final int PAGE_SIZE = 4096;
    private static final int ROUND_AT = 0;

    private final FileStore store;
    private final Disk disk;
    private final Hosts hosts;
    private final FileStoreOptions options;
    private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final Map<FilePartition, Long> flushed = new HashMap<>();
    private final Thread thread;
    private volatile boolean closed;
    private Page page;

    Upkeep(FileStore store, FileStoreOptions options, Hosts hosts) {
        this.store = store;
        this.disk = options.disk();
        this.hosts = hosts;
        this.options = options;
        this.thread = Thread.ofPlatform().daemon().name("muster-upkeep").unstarted(this::run);
    }

    void start() {
        if (hosts != null) {
            thread.start();
        }
    }

    /** For work that nobody waits for. */
    void execute(Runnable task) {
        tasks.add(task);
    }

    private void run() {
        long nextTick = System.nanoTime();
        while (!closed) {
            try {
                long wait = Math.max(0, nextTick - System.nanoTime());
                Runnable task = tasks.poll(wait, TimeUnit.NANOSECONDS);
                if (task != null) {
                    task.run();
                }
                if (System.nanoTime() - nextTick >= 0) {
                    nextTick = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TICK_MS);
                    tick();
                }
            } catch (InterruptedException e) {
                // Only close() ends this thread, and it says so.
                assert !closed || e != null;
            } catch (UnsupportedStoreException e) {
                LOG.log(System.Logger.Level.ERROR, e.getMessage());
                store.refuse(e);
                return;
            } catch (IOException | MusterException e) {
                if (!closed) {
                    LOG.log(
                            System.Logger.Level.WARNING,
                            "upkeep of " + store.directory() + " failed: " + e.getMessage());
                }
            }
        }
    }

    private void tick() throws IOException {
        hosts.beat();
        hosts.refuseIfForeignBeats();
        store.forgetDeleted();
        flushByTime();
        housekeep();
    }

    private void flushByTime() {
        long now = System.nanoTime();
        for (FilePartition open : store.openPartitions(SyncLevel.INTERVAL)) {
            long interval = open.topic().settings().flushInterval().toNanos();
            if (now - flushed.getOrDefault(open, now - interval) >= interval) {
                flushed.put(open, now);
                open.flush();
            }
        }
        flushed.keySet().retainAll(store.openPartitions());
    }

    private void housekeep() throws IOException {
        if (page == null) {
            Path file = store.layout().housekeepingPage(options.host().bootId());
            page = disk.page(file, new byte[PAGE_SIZE]);
            // The first round is due one interval after the first process of this boot came.
            page.compareAndSet(ROUND_AT, 0, System.nanoTime());
        }
        long last = page.get(ROUND_AT);
        long since = System.nanoTime() - last;
        if (since < options.retentionInterval().toNanos()) {
            return;
        }
        try (DiskFile lock = disk.openForAppend(store.layout().leaderLock())) {
            boolean leader = lock.tryLock();
            boolean overdue = since > options.retentionInterval().toNanos() + STOPPED_LEADER_NANOS;
            if ((leader || overdue) && page.compareAndSet(ROUND_AT, last, System.nanoTime())) {
                round();
            }
        }
    }

    private void round() throws IOException {
        store.emptyTrash();
        hosts.sweep();
        for (Topic topic : store.list()) {
            for (int i = 0; i < topic.partitions() && !closed; i++) {
                try {
                    ((FilePartition) store.log(topic.id(), i)).retain();
                } catch (MusterException e) {
                    LOG.log(
                            System.Logger.Level.DEBUG,
                            "no retention for " + topic.name() + "-" + i + ": " + e.getMessage());
                }
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
