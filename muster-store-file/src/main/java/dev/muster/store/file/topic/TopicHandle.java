package dev.muster.store.file.topic;

import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.disk.Disk;
import dev.muster.disk.HeapPage;
import dev.muster.disk.NoRoomException;
import dev.muster.disk.Page;
import dev.muster.disk.PageStamp;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.file.log.TopicView;
import dev.muster.store.runtime.StoreRuntime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * A topic in use by this process. A small page is shared by the processes of one boot. It shows all of them within
 * nanoseconds that the topic was deleted, or got more partitions or other settings.
 *
 * <pre>
 *   0  magic "MUSTTOP1"
 *   8  state        0 in use, 1 deleted
 *  16  partitions
 *  24  version      raised with every change of topic.json
 * </pre>
 */
public final class TopicHandle implements TopicView {
    private static final System.Logger LOG = System.getLogger(TopicHandle.class.getName());
    private static final int SIZE = 4096;
    private static final long MAGIC = 0x4D55_5354_544F_5031L;
    private static final int STATE_AT = 8;
    private static final int PARTITIONS_AT = 16;
    private static final int VERSION_AT = 24;
    private static final long DELETED = 1;
    private static final long UNKNOWN_VERSION = -1;

    private static final long LOOK_AGAIN_NANOS = 1_000_000_000;

    private final Opening opening;
    private volatile Page page;
    // Not null while the page is not shared, because there was no room for it or this process may only read.
    private volatile Opening missing;
    // The time of the last look for the shared page. Not used while the page is shared.
    private volatile long lookedNanos;
    private final Supplier<Topic> reload;
    private final Runnable usable;
    private volatile Known known;

    private record Known(Topic topic, long version) {}

    /** The parameters for opening the page that all processes share. */
    private record Opening(Disk disk, Path file, int partitions, StoreRuntime runtime, boolean readOnly) {
        /** The page that another process created; null if there is none. */
        Page find() throws IOException {
            if (!disk.exists(file) || !isPage(disk, file)) {
                return null;
            }
            return readOnly ? disk.pageForReading(file) : disk.page(file, null);
        }
    }

    private TopicHandle(
            Page page, Opening opening, boolean shared, Topic topic, Supplier<Topic> reload, Runnable usable) {
        this.page = page;
        this.opening = opening;
        this.missing = shared ? null : opening;
        this.lookedNanos = shared ? 0 : opening.runtime().nanoTime();
        this.reload = reload;
        this.usable = usable;
        // The topic was read before the page. So the first use reads it again, whatever version the page has.
        this.known = new Known(topic, UNKNOWN_VERSION);
    }

    /** @param usable the check that throws if the whole store must not be used any more */
    public static TopicHandle open(
            Disk disk,
            Path file,
            Topic topic,
            StoreRuntime runtime,
            boolean readOnly,
            Supplier<Topic> reload,
            Runnable usable)
            throws IOException {
        Opening opening = new Opening(disk, file, topic.partitions(), runtime, readOnly);
        Page page = null;
        try {
            page = readOnly ? opening.find() : writablePage(disk, file, topic.partitions());
        } catch (NoRoomException e) {
            LOG.log(System.Logger.Level.DEBUG, "no room for {0}: {1}", file, e.getMessage());
        }
        TopicHandle handle = page != null
                ? new TopicHandle(page, opening, true, topic, reload, usable)
                : new TopicHandle(new HeapPage(content(topic.partitions())), opening, false, topic, reload, usable);
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
     * @return true if no other process did so before
     */
    public static boolean markDeleted(Disk disk, Path file, int partitions) throws IOException {
        try (Page page = writablePage(disk, file, partitions)) {
            return page.compareAndSet(STATE_AT, 0, DELETED);
        }
    }

    @Override
    public synchronized void share() throws IOException {
        if (missing != null) {
            use(writablePage(missing.disk(), missing.file(), missing.partitions()));
        }
    }

    /**
     * Looks for the shared page. Another process may have had room for the page, and may have marked the topic as
     * deleted on it.
     */
    private void lookForPage() {
        lookedNanos = opening.runtime().nanoTime();
        Opening wanted = missing;
        try {
            Page found = wanted == null ? null : wanted.find();
            if (found != null) {
                use(found);
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "cannot look for {0}: {1}", opening.file(), e.getMessage());
        }
    }

    /** Changes to the page that has the name, or creates one. The topic is then read again. */
    @Override
    public synchronized void look() throws IOException {
        Disk disk = opening.disk();
        Path file = opening.file();
        // If the folder is missing too, the topic was deleted or the directory removed, and its partitions find out.
        if (missing == null
                && !isDeleted()
                && !PageStamp.isInPlace(disk, file, page)
                && disk.exists(file.getParent())) {
            Page found = opening.readOnly()
                    ? opening.find()
                    : writablePage(disk, file, known.topic().partitions());
            if (found != null) {
                use(found);
            }
        }
    }

    private void use(Page shared) {
        page = shared;
        // The known topic was read before this page was in use.
        known = new Known(known.topic(), UNKNOWN_VERSION);
        missing = null;
    }

    private static boolean isPage(Disk disk, Path file) throws IOException {
        if (disk.size(file) < SIZE) {
            return false;
        }
        Page page = disk.pageForReading(file);
        return page.get(0) == MAGIC && PageStamp.isOwn(page);
    }

    /** True if the page of a topic marks it as deleted. Does not open the topic. */
    public static boolean isMarkedDeleted(Disk disk, Path file) throws IOException {
        if (!disk.exists(file)) {
            return false;
        }
        try {
            if (disk.size(file) < SIZE) {
                return false;
            }
            try (Page page = disk.pageForReading(file)) {
                return page.get(0) == MAGIC && PageStamp.isOwn(page) && page.get(STATE_AT) == DELETED;
            }
        } catch (NoSuchFileException e) {
            // The page was deleted together with the records.
            return true;
        }
    }

    /** The problem with the page of a topic that was not deleted; null if there is no problem, or no page. */
    static String problem(Disk disk, Path file, int partitions) throws IOException {
        if (!disk.exists(file)) {
            return null;
        }
        byte[] bytes = disk.readAll(file);
        ByteBuffer page = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        if (bytes.length < SIZE || page.getLong(0) != MAGIC) {
            return "not the page of a topic";
        }
        if (!PageStamp.isOwn(disk.pageForReading(file))) {
            return "a copy of a page";
        }
        if (page.getLong(STATE_AT) == DELETED) {
            return "the page marks the topic as deleted, and no deletion is recorded";
        }
        if (page.getLong(STATE_AT) != 0) {
            return "the page has an unknown state";
        }
        return page.getLong(PARTITIONS_AT) > partitions ? "the page counts partitions that are not there" : null;
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

    public int partitions() {
        checkNotDeleted();
        // Partitions are only added, so a page with a lower number was truncated.
        return Math.max(Math.toIntExact(page.get(PARTITIONS_AT)), known.topic().partitions());
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
        if (missing != null && opening.runtime().nanoTime() - lookedNanos > LOOK_AGAIN_NANOS) {
            lookForPage();
        }
        return page.get(STATE_AT) == DELETED;
    }

    /** Announces a change of topic.json to all processes, if its partitions or settings differ from the known ones. */
    public void notice(Topic now) {
        boolean grown = now.partitions() > page.get(PARTITIONS_AT);
        boolean altered = !now.settings().equals(topic().settings());
        if (grown || altered) {
            announce(now.partitions());
        }
    }

    /** Makes all processes read topic.json again. */
    public void announce(int partitions) {
        page.raise(PARTITIONS_AT, partitions);
        long version;
        do {
            version = page.get(VERSION_AT);
        } while (!page.compareAndSet(VERSION_AT, version, version + 1));
    }
}
