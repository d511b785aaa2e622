package dev.muster.store.file.group;

import dev.muster.core.SyncLevel;
import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
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
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * A group in use by this process, as its journal sees it: a topic of one partition whose lines are visible as soon as
 * they are written. A small page in the journal's folder is shared by the processes of one boot. It shows all of them
 * within nanoseconds that the group was deleted.
 *
 * <pre>
 *   0  magic "MUSTGRP1"
 *   8  state        0 in use, 1 deleted
 *  16  named        1 if the folder's name is known to be durable
 *  24  reports      number of reports that the journal cannot be read
 * </pre>
 */
final class GroupHandle implements TopicView {
    private static final System.Logger LOG = System.getLogger(GroupHandle.class.getName());
    private static final int SIZE = 4096;
    private static final long MAGIC = 0x4D55_5354_4752_5031L;
    private static final int STATE_AT = 8;
    private static final int NAMED_AT = 16;
    private static final int REPORTS_AT = 24;
    private static final long DELETED = 1;

    /**
     * The settings of a journal. A line that a caller waits for is durable, as at {@code sync=commit}, although lines
     * are visible before. Snapshots and trims keep the journal short, so age and retention do not apply.
     */
    static final TopicSettings SETTINGS = TopicSettings.DEFAULT
            .withSync(SyncLevel.COMMIT)
            // A snapshot may be as long as the group is large, and without snapshots a journal only grows.
            .with("max.message.bytes", Integer.toString(Integer.MAX_VALUE))
            .with("segment.ms", Long.toString(Duration.ofDays(36_500).toMillis()))
            .with("retention.ms", "-1");

    private static final long LOOK_AGAIN_NANOS = 1_000_000_000;

    private final GroupFile group;
    private final Topic topic;
    private final Runnable usable;
    private final FolderRestorer restorer;
    private final Disk disk;
    private final StoreRuntime runtime;
    private final Path file;
    private volatile Page page;
    // Not null in a process that may only read and opened the group before there was a page: finds the page once it
    // exists.
    private volatile Supplier<Page> missing;
    // Not null while there is no room for the page: creates it.
    private volatile PageCreator creator;
    // The time of the last look for a page. Not used while none is missing.
    private volatile long lookedNanos;

    private interface PageCreator {
        Page page() throws IOException;
    }

    /** Restores folders that processes moved away by mistake, see {@link GroupFolders#settleTaken}. */
    interface FolderRestorer {
        void run() throws IOException;
    }

    private GroupHandle(
            Disk disk,
            StoreRuntime runtime,
            Path file,
            GroupFile group,
            TopicSettings settings,
            Page page,
            Supplier<Page> missing,
            Runnable usable,
            FolderRestorer restorer) {
        this.disk = disk;
        this.runtime = runtime;
        this.file = file;
        this.group = group;
        this.page = page;
        this.missing = missing;
        this.lookedNanos = missing == null ? 0 : runtime.nanoTime();
        this.usable = usable;
        this.restorer = restorer;
        TopicName name = new TopicName(group.journal());
        this.topic = new Topic(name, new TopicId(group.id()), 1, settings, group.createdAt());
    }

    /** @param usable the check that throws if the whole store must not be used any more */
    static GroupHandle open(
            Disk disk,
            Path journal,
            GroupFile group,
            TopicSettings settings,
            UUID bootId,
            StoreRuntime runtime,
            boolean readOnly,
            Runnable usable,
            FolderRestorer restorer)
            throws IOException {
        Path file = pageFile(journal, bootId);
        byte[] content = content();
        if (readOnly) {
            Page shared = shared(disk, file, true);
            return shared != null
                    ? new GroupHandle(disk, runtime, file, group, settings, shared, null, usable, () -> {})
                    : new GroupHandle(
                            disk,
                            runtime,
                            file,
                            group,
                            settings,
                            new HeapPage(content),
                            () -> shared(disk, file, true),
                            usable,
                            () -> {});
        }
        PageCreator creator = () -> writablePage(disk, file);
        try {
            return new GroupHandle(disk, runtime, file, group, settings, creator.page(), null, usable, restorer);
        } catch (NoRoomException e) {
            LOG.log(System.Logger.Level.DEBUG, "no room for {0}: {1}", file, e.getMessage());
            GroupHandle alone = new GroupHandle(
                    disk,
                    runtime,
                    file,
                    group,
                    settings,
                    new HeapPage(content),
                    () -> shared(disk, file, false),
                    usable,
                    restorer);
            alone.creator = creator;
            return alone;
        }
    }

    @Override
    public synchronized void share() throws IOException {
        if (creator != null) {
            Page shared = creator.page();
            if (isNamedDurably()) {
                shared.set(NAMED_AT, 1);
            }
            page = shared;
            missing = null;
            creator = null;
        }
    }

    private static Page writablePage(Disk disk, Path file) throws IOException {
        if (disk.exists(file) && !isPage(disk, file)) {
            disk.delete(file);
        }
        return disk.page(file, content());
    }

    /** Changes to the page that has the name, or creates one. */
    @Override
    public synchronized void look() throws IOException {
        // If the folder is missing too, the group was deleted or the directory removed, and its journal finds out.
        if (creator == null
                && page.writable()
                && !isDeleted()
                && !PageStamp.isInPlace(disk, file, page)
                && disk.exists(file.getParent())) {
            page = writablePage(disk, file);
        }
    }

    @Override
    public void restoreFolder() throws IOException {
        restorer.run();
    }

    private static Page shared(Disk disk, Path file, boolean readOnly) {
        try {
            if (!isPage(disk, file)) {
                return null;
            }
            return readOnly ? disk.pageForReading(file) : disk.page(file, null);
        } catch (IOException e) {
            return null;
        }
    }

    /** True if the page of a group marks it as deleted. Does not open the group. */
    static boolean isMarkedDeleted(Disk disk, Path journal, UUID bootId) throws IOException {
        Path file = pageFile(journal, bootId);
        return isPage(disk, file) && disk.pageForReading(file).get(STATE_AT) == DELETED;
    }

    /** Marks a group as deleted for all processes that have it open, wherever its folder is now. */
    static void markDeleted(Disk disk, Path journal, UUID bootId) throws IOException {
        writablePage(disk, pageFile(journal, bootId)).set(STATE_AT, DELETED);
    }

    /** The problem with the page of a group that was not deleted; null if there is no problem, or no page. */
    static String problem(Disk disk, Path journal, UUID bootId) throws IOException {
        Path file = pageFile(journal, bootId);
        if (!disk.exists(file)) {
            return null;
        }
        byte[] bytes = disk.readAll(file);
        ByteBuffer page = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        if (bytes.length < SIZE || page.getLong(0) != MAGIC) {
            return "not the page of a group";
        }
        if (!PageStamp.isOwn(disk.pageForReading(file))) {
            return "a copy of a page";
        }
        long state = page.getLong(STATE_AT);
        if (state == DELETED) {
            return "the page says that the group was deleted, and deleted-groups.jsonl does not";
        }
        return state == 0 ? null : "the page has an unknown state";
    }

    private static byte[] content() {
        ByteBuffer content = ByteBuffer.allocate(SIZE).order(ByteOrder.nativeOrder());
        return content.putLong(0, MAGIC).array();
    }

    static Path pageFile(Path journal, UUID bootId) {
        return journal.resolve("group-" + bootId);
    }

    private static boolean isPage(Disk disk, Path file) throws IOException {
        if (!disk.exists(file) || disk.size(file) < SIZE) {
            return false;
        }
        Page page = disk.pageForReading(file);
        return page.get(0) == MAGIC && PageStamp.isOwn(page);
    }

    GroupFile group() {
        return group;
    }

    @Override
    public Topic topic() {
        return topic;
    }

    @Override
    public boolean showsUnsynced() {
        return true;
    }

    /** True, because all processes have applied these lines: a state without them would be another one. */
    @Override
    public boolean showsLost() {
        return true;
    }

    @Override
    public boolean isDeleted() {
        if (missing != null && runtime.nanoTime() - lookedNanos > LOOK_AGAIN_NANOS) {
            lookForPage();
        }
        return page.get(STATE_AT) == DELETED;
    }

    private void lookForPage() {
        lookedNanos = runtime.nanoTime();
        Supplier<Page> looking = missing;
        Page shared = looking == null ? null : looking.get();
        if (shared != null) {
            page = shared;
            missing = null;
            creator = null;
        }
    }

    @Override
    public void checkNotDeleted() {
        usable.run();
        if (isDeleted()) {
            throw new TopicDeletedException(topic.name().value());
        }
    }

    void markDeleted() {
        page.set(STATE_AT, DELETED);
    }

    boolean isNamedDurably() {
        return page.get(NAMED_AT) != 0;
    }

    void setNamedDurably() {
        page.set(NAMED_AT, 1);
    }

    /**
     * Counts a report of damage.
     *
     * @return false if the page may not be written
     */
    boolean countDamageReport() {
        Page shared = page;
        if (!shared.writable()) {
            return false;
        }
        for (long seen = shared.get(REPORTS_AT);
                !shared.compareAndSet(REPORTS_AT, seen, seen + 1);
                seen = shared.get(REPORTS_AT)) {
            // Another process counted its report at the same time.
        }
        return true;
    }

    long damageReports() {
        return page.get(REPORTS_AT);
    }
}
