package dev.muster.store.file;

import dev.muster.core.TopicId;
import dev.muster.store.Topic;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.file.disk.Disk;
import dev.muster.store.file.disk.HeapPage;
import dev.muster.store.file.disk.Page;
import dev.muster.store.file.log.TopicView;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * A topic in use by this process. A small page, shared by the processes of one boot, tells all of them within
 * nanoseconds when the topic was deleted, got partitions or other settings.
 *
 * <pre>
 *   0  magic "MUSTTOP1"
 *   8  state        0 in use, 1 deleted
 *  16  partitions
 *  24  version      raised with every change of topic.json
 * </pre>
 */
final class TopicHandle implements TopicView {
    private static final int SIZE = 4096;
    private static final long MAGIC = 0x4D55_5354_544F_5031L;
    private static final int STATE_AT = 8;
    private static final int PARTITIONS_AT = 16;
    private static final int VERSION_AT = 24;
    private static final long DELETED = 1;
    private static final long UNKNOWN_VERSION = -1;

    private final Page page;
    private final Supplier<Topic> reload;
    private final Runnable usable;
    private volatile Known known;

    private record Known(Topic topic, long version) {}

    private TopicHandle(Page page, Topic topic, Supplier<Topic> reload, Runnable usable) {
        this.page = page;
        this.reload = reload;
        this.usable = usable;
        // The topic was read before the page was: whatever version the page has, the first use reads it again.
        this.known = new Known(topic, UNKNOWN_VERSION);
    }

    /** @param usable throws when the whole store must not be used any more */
    static TopicHandle open(
            Disk disk, Path file, Topic topic, boolean readOnly, Supplier<Topic> reload, Runnable usable)
            throws IOException {
        Page page;
        if (!readOnly) {
            page = writablePage(disk, file, topic.partitions());
        } else {
            page = disk.exists(file) && isPage(disk, file)
                    ? disk.pageForReading(file)
                    : new HeapPage(content(topic.partitions()));
        }
        TopicHandle handle = new TopicHandle(page, topic, reload, usable);
        if (!readOnly) {
            handle.notice(topic);
        }
        return handle;
    }

    private static byte[] content(int partitions) {
        ByteBuffer content = ByteBuffer.allocate(SIZE).order(ByteOrder.nativeOrder());
        return content.putLong(0, MAGIC).putLong(PARTITIONS_AT, partitions).array();
    }

    private static Page writablePage(Disk disk, Path file, int partitions) throws IOException {
        if (disk.exists(file) && !isPage(disk, file)) {
            disk.delete(file);
        }
        return disk.page(file, content(partitions));
    }

    /**
     * Marks a topic as deleted for all processes that have it open, without opening it.
     *
     * @return True if no other process did so before
     */
    static boolean markDeleted(Disk disk, Path file, int partitions) throws IOException {
        try (Page page = writablePage(disk, file, partitions)) {
            return page.compareAndSet(STATE_AT, 0, DELETED);
        }
    }

    private static boolean isPage(Disk disk, Path file) throws IOException {
        return disk.size(file) >= SIZE && disk.pageForReading(file).get(0) == MAGIC;
    }

    /** Whether a topic was deleted, told without opening it. */
    static boolean isMarkedDeleted(Disk disk, Path file) throws IOException {
        if (!disk.exists(file)) {
            return false;
        }
        try {
            if (disk.size(file) < SIZE) {
                return false;
            }
            try (Page page = disk.pageForReading(file)) {
                return page.get(0) == MAGIC && page.get(STATE_AT) == DELETED;
            }
        } catch (NoSuchFileException e) {
            // It goes with the records.
            return true;
        }
    }

    @Override
    public Topic topic() {
        Known now = known;
        long version = page.get(VERSION_AT);
        if (now.version() != version) {
            now = new Known(reload.get(), version);
            known = now;
        }
        return now.topic();
    }

    TopicId id() {
        return known.topic().id();
    }

    int partitions() {
        checkNotDeleted();
        return Math.toIntExact(page.get(PARTITIONS_AT));
    }

    @Override
    public void checkNotDeleted() {
        usable.run();
        if (isDeleted()) {
            throw new TopicDeletedException(known.topic().name().value());
        }
    }

    @Override
    public boolean isDeleted() {
        return page.get(STATE_AT) == DELETED;
    }

    /** This is what topic.json says now: tells all processes when they do not know it yet. */
    void notice(Topic now) {
        boolean grown = now.partitions() > page.get(PARTITIONS_AT);
        boolean altered = !now.settings().equals(topic().settings());
        if (grown || altered) {
            announce(now.partitions());
        }
    }

    /** Tells all processes to read topic.json again. */
    void announce(int partitions) {
        page.raise(PARTITIONS_AT, partitions);
        long version;
        do {
            version = page.get(VERSION_AT);
        } while (!page.compareAndSet(VERSION_AT, version, version + 1));
    }
}
