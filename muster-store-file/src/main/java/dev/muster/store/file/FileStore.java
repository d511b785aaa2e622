package dev.muster.store.file;

import dev.muster.core.MusterException;
import dev.muster.core.SyncLevel;
import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.disk.Disk;
import dev.muster.store.DiskState;
import dev.muster.store.LogStore;
import dev.muster.store.StoreNotFoundException;
import dev.muster.store.UnsupportedStoreException;
import dev.muster.store.file.group.FileGroups;
import dev.muster.store.file.host.FileHosts;
import dev.muster.store.file.host.HostFiles;
import dev.muster.store.file.host.ProcessIdentity;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.file.log.FilePartition;
import dev.muster.store.file.log.LogEnvironment;
import dev.muster.store.file.log.UnsyncedWatch;
import dev.muster.store.file.log.Waker;
import dev.muster.store.file.room.DiskPressure;
import dev.muster.store.file.topic.TopicHandles;
import dev.muster.store.group.GroupStore;
import dev.muster.store.runtime.StoreRuntime;
import dev.muster.store.watch.Registration;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A store in a directory, opened by this process beside any number of others: the contract {@link LogStore}. It builds
 * the parts of the store and closes them in the right order. {@link FileTopics} has the topics, {@link OpenPartitions}
 * the open partitions, {@link ClaimedRoles} the roles, and {@link Housekeeping} the thread that works by itself. Safe
 * for many threads.
 */
public final class FileStore implements LogStore {
    private static final System.Logger LOG = System.getLogger(FileStore.class.getName());

    private final Layout layout;
    private final UUID id;
    private final Disk disk;
    private final StoreAccess access;
    private final DiskPressure pressure;
    private final DirectoryIdentity directory;
    private final WakePage wakePage;
    private final HostFiles hostFiles;
    private final FileHosts hosts;
    private final UnsyncedWatch unsynced;
    private final TopicHandles handles;
    private final OpenPartitions partitions;
    private final FileTopics topics;
    private final ProducerIds producerIds;
    private final ClaimedRoles roles;
    private final FileGroups groups;
    private final Housekeeping housekeeping;
    private final AtomicBoolean closing = new AtomicBoolean();

    private FileStore(StoreOpening opening, FileStoreOptions options) throws IOException {
        ProcessIdentity host = options.host();
        StoreRuntime runtime = options.runtime();
        boolean readOnly = opening.readOnly();
        this.layout = opening.layout();
        this.id = opening.id();
        this.disk = options.disk();
        this.pressure = new DiskPressure(disk, runtime, layout.root(), layout.reserve(), layout.settings(), readOnly);
        pressure.maintain();
        this.access = new StoreAccess(layout.root(), readOnly, pressure);
        this.directory = new DirectoryIdentity(disk, layout, id, access, this::replaced);
        this.wakePage = new WakePage(
                disk,
                layout.wakePage(host.bootId()),
                pressure,
                readOnly,
                host.nonce().hashCode());
        this.hostFiles = readOnly ? null : new HostFiles(disk, layout, host, runtime.clock(), pressure);
        if (hostFiles != null) {
            hostFiles.register();
        }
        this.hosts = new FileHosts(disk, layout.hosts(), host, hostFiles);
        this.unsynced = new UnsyncedWatch(disk.machine());
        LogEnvironment env = new LogEnvironment(
                disk, host.bootId(), runtime, options.lockPatience(), readOnly, wakePage.waker(), unsynced, pressure);
        this.handles = new TopicHandles(disk, layout, host.bootId(), runtime, readOnly, access::checkOpen);
        this.partitions = new OpenPartitions(layout, env, handles, directory);
        this.topics = new FileTopics(access, directory, handles, partitions, pressure, wakePage.waker());
        this.producerIds = new ProducerIds(disk, layout.producerIds(), runtime);
        this.roles = new ClaimedRoles(disk, layout);
        ProcessPresence presence = new ProcessPresence(hostFiles, wakePage);
        this.groups = new FileGroups(
                layout,
                env,
                hosts,
                host,
                options.journalSegmentBytes(),
                access::checkOpen,
                directory::checkSameStore,
                presence::check);
        StoreParts parts = new StoreParts(
                layout, access, directory, pressure, hostFiles, wakePage, presence, topics, partitions, groups);
        this.housekeeping = new Housekeeping(parts, options);
    }

    /**
     * Opens a directory.
     *
     * @throws StoreNotFoundException if the directory does not exist and must not be created
     * @throws UnsupportedStoreException if it cannot hold a store: see the message
     */
    public static FileStore open(Path directory, FileStoreOptions options) {
        return StoreOpening.open(directory, options);
    }

    static FileStore start(StoreOpening opening, FileStoreOptions options) throws IOException {
        FileStore store = new FileStore(opening, options);
        store.housekeeping.start();
        return store;
    }

    @Override
    public UUID id() {
        return id;
    }

    @Override
    public boolean readOnly() {
        return access.readOnly();
    }

    public Path directory() {
        return layout.root();
    }

    Layout layout() {
        return layout;
    }

    // ---- topics

    @Override
    public Topic create(TopicName name, int count, TopicSettings settings) {
        return topics.create(name, count, settings);
    }

    @Override
    public Optional<Topic> find(TopicName name) {
        return topics.find(name);
    }

    @Override
    public List<Topic> list() {
        return topics.list();
    }

    @Override
    public Topic addPartitions(TopicName name, int count) {
        return topics.addPartitions(name, count);
    }

    @Override
    public Topic alter(TopicName name, TopicSettings settings) {
        return topics.alter(name, settings);
    }

    @Override
    public void delete(TopicName name) {
        topics.delete(name);
    }

    @Override
    public boolean isDeleted(TopicId topic) {
        return topics.isDeleted(topic);
    }

    // ---- partitions

    @Override
    public FilePartition log(TopicId topic, int partition) {
        access.checkOpen();
        return partitions.get(topic, partition);
    }

    @Override
    public int partitions(TopicId topic) {
        return topics.partitions(topic);
    }

    @Override
    public long newProducerId() {
        access.checkWritable("make a producer");
        return access.evenWhenFull("make a producer id", producerIds::next);
    }

    // ---- groups and roles

    @Override
    public long topicsVersion() {
        access.checkOpen();
        return wakePage.waker().count(Waker.TOPICS);
    }

    @Override
    public Registration onTopicsChange(Runnable wake) {
        return wakePage.waker().subscribe(Waker.TOPICS, wake);
    }

    @Override
    public GroupStore groups() {
        access.checkOpen();
        return groups;
    }

    @Override
    public Optional<Claim> claim(String role) {
        access.checkWritable("take the role of " + role);
        return access.evenWhenFull("take the role of " + role, () -> roles.claim(role));
    }

    // ---- the disk

    @Override
    public Optional<DiskState> disk() {
        access.checkOpen();
        return pressure.state();
    }

    /**
     * Sets the room that is kept free of records ({@link DiskState#MIN_FREE}), for all processes that use the
     * directory.
     */
    public void keepFree(long bytes) {
        access.checkWritable("change the settings");
        Path draft = layout.drafts().resolve(disk.machine().newId() + ".json");
        StoreAccess.io("change the settings of " + layout.root(), () -> {
            pressure.setMinFree(bytes, draft);
            return null;
        });
    }

    /** Called after a directory of the same store, mostly a restored one, took the place of the opened one. */
    private void replaced() throws IOException {
        handles.forgetDeletions();
        groups.forgetDeletions();
        handles.forgetDeleted();
        roles.keep();
    }

    // ---- the end

    private static void flushIfSyncedByTime(FilePartition open) {
        try {
            if (open.topic().settings().sync() == SyncLevel.INTERVAL) {
                open.flush();
            }
        } catch (MusterException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot sync {0} at the end: {1}", open.topicId(), e.getMessage());
        }
    }

    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        housekeeping.close();
        // Before the partitions: a later sync would open their files again.
        unsynced.close();
        partitions.all().forEach(FileStore::flushIfSyncedByTime);
        access.close();
        partitions.all().forEach(FilePartition::close);
        groups.close();
        wakePage.waker().close();
        hosts.close();
        if (hostFiles != null) {
            hostFiles.close();
        }
    }
}
