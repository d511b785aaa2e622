package dev.muster.store.file;

import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicPartition;
import dev.muster.core.TopicSettings;
import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.HeapPage;
import dev.muster.disk.NoRoomException;
import dev.muster.disk.Page;
import dev.muster.disk.PageStamp;
import dev.muster.store.DiskFullException;
import dev.muster.store.LogReplacedException;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.UnsupportedStoreException;
import dev.muster.store.file.host.HostFiles;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.file.log.FilePartition;
import dev.muster.store.file.log.RetentionSchedule;
import dev.muster.store.file.topic.TopicFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The upkeep thread: heartbeats, syncs by time, and now and then retention for the whole directory, which one process
 * does for all. The lock for retention only avoids needless work. A process that finds the last round overdue continues
 * without the lock, and no step does harm if two processes take it.
 */
final class Housekeeping implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Housekeeping.class.getName());
    private static final long TICK_NANOS = 1_000_000_000;
    private static final long SHORTEST_TICK_NANOS = 10_000_000;
    private static final long STOPPED_LEADER_NANOS = Duration.ofSeconds(60).toNanos();
    private static final long RARE_FLUSH_NANOS = Duration.ofMinutes(2).toNanos();
    private static final long OTHER_MACHINES_NANOS = Duration.ofSeconds(30).toNanos();
    /** The interval on a full disk, where retention frees room. */
    private static final long FULL_DISK_NANOS = Duration.ofSeconds(10).toNanos();

    /**
     * The number of ticks between two looks at the wake-up page while nothing is published, so that an idle process
     * makes few calls.
     */
    private static final int IDLE_LOOK_TICKS = 5;

    private static final int ROUND_AT = 0;
    private static final int TOPICS_AT = 8;

    private final StoreParts store;
    private final Layout layout;
    private final Disk disk;
    private final HostFiles hosts;
    private final FileStoreOptions options;
    private final long tickNanos;
    private final Map<FilePartition, Long> flushed = new HashMap<>();
    private final Map<TopicPartition, Scheduled> scheduled = new HashMap<>();
    private final Thread thread;
    private volatile boolean closing;
    private Page page;
    /** True if there was no room for the page that all processes share. */
    private boolean alone;

    private RetentionClock time;
    private boolean reportedMonotonicClock;
    private long lookedForMachines;
    private long ticks;
    /** The sum of all counters of the wake page at the last tick. */
    private long publications;

    /** @param topic the topic that had the name when retention checked it; the name may be another topic's now */
    private record Scheduled(TopicId topic, RetentionSchedule schedule) {}

    Housekeeping(StoreParts store, FileStoreOptions options) {
        this.store = store;
        this.layout = store.layout();
        this.disk = options.disk();
        this.hosts = store.hostFiles();
        this.options = options;
        this.tickNanos = Math.clamp(options.retentionInterval().toNanos(), SHORTEST_TICK_NANOS, TICK_NANOS);
        this.thread = disk.machine().thread("muster-upkeep", this::run);
        this.lookedForMachines = disk.machine().nanoTime();
    }

    void start() {
        if (hosts != null) {
            thread.start();
        }
    }

    private void run() {
        try {
            do {
                tick();
            } while (pauseUnlessClosing());
        } catch (UnsupportedStoreException e) {
            LOG.log(System.Logger.Level.ERROR, e.getMessage());
            store.access().refuse(e);
        }
    }

    /**
     * Pauses until the next tick.
     *
     * @return false if the store is closing
     */
    private boolean pauseUnlessClosing() {
        long end = disk.machine().nanoTime() + tickNanos;
        for (long left = tickNanos;
                left > 0 && !closing;
                left = end - disk.machine().nanoTime()) {
            disk.machine().pause(left);
        }
        return !closing;
    }

    private void tick() {
        boolean published = hasPublications();
        if (published || ticks++ % IDLE_LOOK_TICKS == 0) {
            attempt("the check of the files of this process", () -> hosts.recreateMissing(published));
            attempt("the check of the wake page", this::checkWakePage);
        }
        if (published) {
            attempt("the check of the directory", store.directory()::checkReplaced);
        }
        attempt("heartbeat", hosts::renew);
        attempt("the check of the free space", store.pressure()::maintain);
        attempt("the registration of this process", store.presence()::complete);
        attempt("the search for other machines", this::lookForOtherMachines);
        attempt("the closing of deleted topics", this::closeDeleted);
        attempt("the check of topics", store.topics()::checkPages);
        store.openLogs().forEach(open -> attempt("the check of files", open::look));
        store.openLogs().forEach(open -> attempt("sync", () -> flushWhenDue(open)));
        flushed.keySet().retainAll(store.openLogs());
        attempt("retention", this::housekeep);
    }

    /** True if any process published something since the last tick. */
    private boolean hasPublications() {
        long now = store.wakePage().waker().sum();
        boolean changed = now != publications;
        publications = now;
        return changed;
    }

    /** Goes over to the wake page that has the name, if that is not the one in use. */
    private void checkWakePage() throws IOException {
        if (store.wakePage().isReplaced() && disk.exists(layout.coordinator())) {
            // An idle process learns of another directory only by its wake page.
            store.directory().checkReplaced();
            store.wakePage().renew();
        }
    }

    /** Closes the files of topics and groups that any process has deleted. */
    private void closeDeleted() {
        store.partitions().closeDeleted();
        store.groups().forgetDeleted();
    }

    /**
     * Looks for heartbeats of other machines. A process looks before it registers. Running processes look now and then,
     * in case a later one could not see them.
     */
    private void lookForOtherMachines() throws IOException {
        long now = disk.machine().nanoTime();
        if (now - lookedForMachines >= OTHER_MACHINES_NANOS) {
            lookedForMachines = now;
            hosts.refuseIfForeignHeartbeats();
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    /** Runs one step. A failed step is tried again in a second, and the other steps run all the same. */
    private void attempt(String what, Step step) {
        try {
            step.run();
        } catch (UnsupportedStoreException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            // A RuntimeException of Muster or of the JDK alike: this thread must continue with the other steps.
            if (!closing && !(e instanceof TopicDeletedException || e instanceof LogReplacedException)) {
                boolean expected = e instanceof NoRoomException || e instanceof DiskFullException;
                // A full disk is logged once, when its state changes.
                LOG.log(
                        expected && store.pressure().isFull() ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
                        what + " in " + layout.root() + " failed: " + e.getMessage());
            }
        }
    }

    /**
     * Syncs a partition if its interval is over. The kernel writes topics with {@code sync=os}; they are synced rarely,
     * so that recovery has less to read.
     */
    private void flushWhenDue(FilePartition open) {
        TopicSettings settings = open.topic().settings();
        long interval = switch (settings.sync()) {
            // A written record that is not durable belongs to a writer that is syncing it now, or is dead.
            case COMMIT -> 0;
            // Kafka's default of flush.ms is the largest long: Duration.toNanos would overflow.
            case INTERVAL ->
                TimeUnit.MILLISECONDS.toNanos(settings.flushInterval().toMillis());
            case OS -> RARE_FLUSH_NANOS;
        };
        long now = disk.machine().nanoTime();
        if (now - flushed.computeIfAbsent(open, first -> now) >= interval) {
            flushed.put(open, now);
            open.flush();
        }
    }

    /** The time of a new file. It is created in the folder of drafts, where files of a dead process are deleted. */
    private OptionalLong fileTime() throws IOException {
        Path draft = layout.drafts().resolve(options.host() + "-clock");
        return disk.timeOfNewFile(draft);
    }

    private void housekeep() throws IOException {
        if (!disk.machine().sharesMonotonicClock()) {
            // All times on the page are times of that clock.
            reportMonotonicClock();
            return;
        }
        if (page == null || alone || !PageStamp.isOwn(page)) {
            openPage();
            // The first round is due one interval after the first process of this boot started.
            page.compareAndSet(ROUND_AT, 0, disk.machine().nanoTime());
        }
        time.observe();
        long last = page.get(ROUND_AT);
        long since = disk.machine().nanoTime() - last;
        if (since < 0) {
            // A time in the future is wrong, and without this no round would ever be due.
            page.compareAndSet(ROUND_AT, last, disk.machine().nanoTime());
        }
        long interval = options.retentionInterval().toNanos();
        if (since < (store.pressure().isFull() ? Math.min(interval, FULL_DISK_NANOS) : interval)) {
            return;
        }
        Path leaderLock = layout.leaderLock();
        try (DiskFile lock = store.pressure().evenWhenFull(() -> disk.openForAppend(leaderLock))) {
            boolean leader = lock.tryLock();
            boolean overdue = since > options.retentionInterval().toNanos() + STOPPED_LEADER_NANOS;
            if ((leader || overdue)
                    && page.compareAndSet(ROUND_AT, last, disk.machine().nanoTime())) {
                time.advance(since);
                round();
            }
        }
    }

    private void reportMonotonicClock() {
        if (!reportedMonotonicClock) {
            reportedMonotonicClock = true;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the monotonic clock of this process is not that of its machine; other processes keep house");
        }
    }

    /**
     * Opens the page. Without room for it this process does the upkeep with a page of its own: two processes that do it
     * at once do no harm, and retention frees room.
     */
    private void openPage() throws IOException {
        Path file = layout.housekeepingPage(options.host().bootId());
        byte[] first =
                RetentionClock.firstPage(disk, layout, store.topics().list().isEmpty());
        try {
            page = store.pressure().evenWhenFull(() -> PageStamp.open(disk, file, first));
            alone = false;
        } catch (NoRoomException e) {
            if (page == null) {
                LOG.log(System.Logger.Level.DEBUG, "no room for {0}: {1}", file, e.getMessage());
                page = new HeapPage(first);
                alone = true;
            }
        }
        time = new RetentionClock(
                page,
                options.runtime().clock(),
                disk.machine(),
                options.host().pid(),
                RetentionClock.SETTLING,
                this::fileTime);
    }

    private void round() throws IOException {
        attempt("tidying topics", store.topics()::tidy);
        attempt("tidying groups", store.groups()::tidy);
        attempt("the removal of files of dead processes", hosts::deleteDead);
        List<Topic> topics = store.topics().list();
        OptionalLong now = time.millis();
        noticeTopics(topics);
        Set<TopicPartition> present = new HashSet<>();
        for (Topic topic : topics) {
            for (int i = 0; i < topic.partitions() && !closing; i++) {
                TopicPartition partition = new TopicPartition(topic.name(), i);
                present.add(partition);
                attempt("retention of " + partition, () -> retain(topic, partition, now));
            }
        }
        scheduled.keySet().retainAll(present);
    }

    private void retain(Topic topic, TopicPartition partition, OptionalLong now) throws IOException {
        Scheduled known = scheduled.get(partition);
        boolean notDue = known != null
                && known.topic().equals(topic.id())
                && known.schedule().lasts(topic.settings(), now.orElse(Long.MIN_VALUE));
        if (!notDue) {
            scheduled.put(
                    partition, new Scheduled(topic.id(), store.partitions().retain(topic, partition.partition(), now)));
        }
    }

    /** Announces changes of topics to all processes, if the process that made a change died before it announced it. */
    private void noticeTopics(List<Topic> topics) {
        // A hash of their text, which is the same in all processes. It is never 0, because a new page has 0.
        long seen = topics.stream().map(TopicFile::toJson).toList().hashCode() | 1L << 32;
        long before = page.get(TOPICS_AT);
        if (before != seen && page.compareAndSet(TOPICS_AT, before, seen) && before != 0) {
            store.topics().announce();
        }
    }

    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(thread);
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
