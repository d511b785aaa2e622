package dev.muster.store.file;

import dev.muster.core.MusterException;
import dev.muster.core.SyncLevel;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.disk.Disk;
import dev.muster.disk.FileIdentity;
import dev.muster.disk.HeapPage;
import dev.muster.disk.NoRoomException;
import dev.muster.disk.Page;
import dev.muster.disk.PageStamp;
import dev.muster.store.DiskState;
import dev.muster.store.LogReplacedException;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.ReadOnlyException;
import dev.muster.store.StoreClosedException;
import dev.muster.store.StoreIoException;
import dev.muster.store.StoreNotFoundException;
import dev.muster.store.Topic;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.UnsupportedStoreException;
import dev.muster.store.file.group.FileGroups;
import dev.muster.store.file.host.FileHosts;
import dev.muster.store.file.host.HostFiles;
import dev.muster.store.file.host.ProcessIdentity;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.file.layout.StoreFormat;
import dev.muster.store.file.log.DiskErrors;
import dev.muster.store.file.log.FilePartition;
import dev.muster.store.file.log.LogEnvironment;
import dev.muster.store.file.log.RetentionSchedule;
import dev.muster.store.file.log.UnsyncedWatch;
import dev.muster.store.file.log.Waker;
import dev.muster.store.file.log.segment.PartitionKey;
import dev.muster.store.file.room.DiskPressure;
import dev.muster.store.file.topic.DeletedTopics;
import dev.muster.store.file.topic.TopicFolders;
import dev.muster.store.file.topic.TopicHandle;
import dev.muster.store.group.GroupStore;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * A store in a directory, opened by this process beside any number of others. Owns the open topics and partitions of
 * the process, its place among the hosts, and the thread that keeps the house. Safe for many threads.
 */
public final class FileStore implements LogStore {
    private static final System.Logger LOG = System.getLogger(FileStore.class.getName());

    private final Layout layout;
    private final UUID id;
    private final Disk disk;
    private final ProcessIdentity host;
    private final DiskPressure pressure;
    private final boolean readOnly;
    private final LogEnvironment env;
    private final Waker waker;
    private final UnsyncedWatch unsynced;
    /** Of topics that were looked up: names stay what they are, and ids never come back. */
    private final Map<TopicId, TopicName> names = new ConcurrentHashMap<>();

    private final DeletedTopics deletions;
    private final TopicFolders topics;
    private final ProducerIds producerIds;
    private final FileGroups groups;
    private final HostFiles hostFiles;
    private final FileHosts hosts;
    private final Housekeeping upkeep;
    private final Map<TopicId, TopicHandle> handles = new ConcurrentHashMap<>();
    private final OpenPartitions partitions = new OpenPartitions();
    private final AtomicBoolean closing = new AtomicBoolean();
    /** Changes of topics, as counted when the pages of topics were last looked at. */
    private long topicsLookedAt;

    /** The roles that this process has; guards the anchor. */
    private final List<RoleLock> roles = new ArrayList<>();

    /** On {@code muster.json}; locked while this process has a role. */
    private RoleLock anchor;

    /** The file that was {@code muster.json} at the last look. */
    private FileIdentity place;

    /** Publications that {@link #isStirred} has seen. */
    private long stirs;

    private volatile boolean closed;
    /** There was no room for the wake page: this process wakes no other. */
    private volatile boolean wakesAlone;

    private volatile MusterException refused;

    private FileStore(Layout layout, UUID id, FileStoreOptions options, boolean readOnly) throws IOException {
        this.layout = layout;
        this.id = id;
        this.disk = options.disk();
        this.readOnly = readOnly;
        this.host = options.host();
        this.pressure = new DiskPressure(disk, layout.root(), layout.reserve(), layout.settings(), readOnly);
        pressure.keep();
        this.place = disk.identity(layout.musterJson());
        Page wakePage = wakePage();
        this.hostFiles = readOnly ? null : new HostFiles(disk, layout, host, options.clock(), pressure);
        if (hostFiles != null) {
            hostFiles.register();
        }
        this.hosts = new FileHosts(disk, layout.hosts(), host, hostFiles);
        this.waker = new Waker(disk.machine(), wakePage, host.nonce().hashCode());
        this.unsynced = new UnsyncedWatch(disk.machine());
        this.upkeep = new Housekeeping(this, options, hostFiles);
        this.env = new LogEnvironment(
                disk, host.bootId(), options.clock(), options.lockPatience(), readOnly, waker, unsynced, pressure);
        this.deletions = new DeletedTopics(disk, layout.deletedTopics());
        this.topics = new TopicFolders(disk, layout, options.clock(), deletions, marks(), readOnly);
        this.producerIds = new ProducerIds(disk, layout.producerIds());
        this.groups = new FileGroups(
                layout,
                env,
                hosts,
                host,
                options.journalSegmentBytes(),
                this::checkOpen,
                this::checkSameStore,
                this::checkRegistered);
    }

    /**
     * Opens a directory.
     *
     * @throws StoreNotFoundException when it is not there and must not be made
     * @throws UnsupportedStoreException when it cannot hold a store: see the message
     */
    public static FileStore open(Path directory, FileStoreOptions options) {
        Layout layout = new Layout(directory.toAbsolutePath().normalize());
        Disk disk = options.disk();
        try {
            if (!disk.exists(layout.root())) {
                if (!options.createMissing() || options.readOnly()) {
                    throw new StoreNotFoundException(directory.toString());
                }
                disk.createRoot(layout.root());
            }
            if (!options.allowAnyFileSystem()) {
                disk.objection(layout.root()).ifPresent(objection -> {
                    throw new UnsupportedStoreException(
                            "cannot keep data in " + directory + ": " + objection,
                            "use a local disk (ext4, xfs, btrfs, zfs, tmpfs), or insist with --allow-any-filesystem");
                });
            }
            boolean readOnly = options.readOnly() || !disk.writable(layout.root());
            StoreFormat format = StoreFormat.openOrCreate(disk, layout, readOnly, options.createMissing());
            if (!readOnly) {
                disk.createFolders(layout.topics());
                disk.createFolders(layout.logs());
                disk.createFolders(layout.drafts());
                disk.createFolders(layout.trash());
                disk.syncFolder(layout.root());
                format.copyIfMissing(disk, layout);
            }
            FileStore store = new FileStore(layout, format.clusterId(), options, readOnly);
            store.upkeep.start();
            return store;
        } catch (IOException e) {
            throw noStore(disk, directory, layout.root(), e);
        }
    }

    private static RuntimeException noStore(Disk disk, Path directory, Path root, IOException e) {
        Optional<String> objection = fileInTheWay(disk, root).map(file -> file + " is a file");
        if (objection.isEmpty() && e instanceof NoSuchFileException && !disk.exists(root)) {
            objection = Optional.of("no directory can be made there");
        }
        return objection
                .<RuntimeException>map(why -> new UnsupportedStoreException(
                        "cannot keep data in " + directory + ": " + why,
                        "name a directory, or a place where one can be made"))
                .orElseGet(() -> DiskErrors.of("open " + directory, e));
    }

    private static Optional<Path> fileInTheWay(Disk disk, Path folder) {
        Path there = folder;
        while (there.getParent() != null && !disk.exists(there)) {
            there = there.getParent();
        }
        return disk.isFolder(there) ? Optional.empty() : Optional.of(there);
    }

    private Page wakePage() throws IOException {
        Path file = layout.wakePage(host.bootId());
        if (!readOnly) {
            try {
                return sharedWakePage();
            } catch (NoRoomException e) {
                // Without it this process looks once a second; the upkeep makes the page when there is room.
                LOG.log(System.Logger.Level.DEBUG, "no room for {0}: {1}", file, e.getMessage());
                wakesAlone = true;
                return new HeapPage(new byte[Waker.PAGE_SIZE]);
            }
        }
        return disk.exists(file) && PageStamp.isPage(disk, file)
                ? disk.pageForReading(file)
                : new HeapPage(new byte[Waker.PAGE_SIZE]);
    }

    private Page sharedWakePage() throws IOException {
        Path file = layout.wakePage(host.bootId());
        return pressure.evenWhenFull(() -> PageStamp.open(disk, file, new byte[Waker.PAGE_SIZE]));
    }

    @Override
    public Optional<DiskState> disk() {
        checkOpen();
        return pressure.state();
    }

    /**
     * Sets how much room is kept free of records ({@link DiskState#MIN_FREE}), for all processes that use the
     * directory.
     */
    public void keepFree(long bytes) {
        checkWritable("change the settings");
        Path draft = layout.drafts().resolve(disk.machine().newId() + ".json");
        io("change the settings of " + layout.root(), () -> {
            pressure.setMinFree(bytes, draft);
            return null;
        });
    }

    // ---- topics

    @Override
    public Topic create(TopicName name, int partitions, TopicSettings settings) {
        checkWritable("create a topic");
        checkCount(partitions);
        return io("create topic " + name, () -> {
            lookAtPlace();
            announceTopicsChange();
            checkNotKnown(name);
            pressure.admit(0);
            Topic made = topics.create(name, partitions, settings);
            waker.publish(Waker.TOPICS);
            return made;
        });
    }

    /** A topic that this process has seen, and that was not deleted, keeps its name while its files are missing. */
    private void checkNotKnown(TopicName name) throws IOException {
        if (topics.find(name).isPresent()) {
            return;
        }
        for (Map.Entry<TopicId, TopicName> known : names.entrySet()) {
            if (known.getValue().equals(name) && !isDeletedForGood(known.getKey())) {
                throw new StoreIoException(
                        "the files of topic \"" + name + "\" are missing in " + layout.topics() + " and "
                                + layout.log(known.getKey()) + ", and it was not deleted",
                        null);
            }
        }
    }

    @Override
    public boolean isDeleted(TopicId topic) {
        checkOpen();
        return io("look for topic " + topic, () -> isDeletedForGood(topic));
    }

    private boolean isDeletedForGood(TopicId topic) throws IOException {
        return isMarkedDeleted(topic) || deletions.has(topic);
    }

    @Override
    public Optional<Topic> find(TopicName name) {
        checkOpen();
        Optional<Topic> found = io("read topic " + name, () -> topics.find(name));
        found.ifPresent(this::notice);
        return found;
    }

    @Override
    public List<Topic> list() {
        checkOpen();
        List<Topic> found = io("list topics", topics::list);
        found.forEach(this::notice);
        return found;
    }

    /** The first process that sees a change announces it, if its maker failed half-way or died. */
    private void notice(Topic topic) {
        names.put(topic.id(), topic.name());
        TopicHandle handle = handles.get(topic.id());
        if (handle != null && !readOnly) {
            handle.notice(topic);
        }
    }

    @Override
    public Topic addPartitions(TopicName name, int partitions) {
        checkWritable("add partitions");
        checkCount(partitions);
        return io("add partitions to " + name, () -> {
            announceTopicsChange();
            pressure.admit(0);
            Topic changed = topics.addPartitions(name, partitions);
            shared(changed).announce(partitions);
            waker.publish(Waker.TOPICS);
            return changed;
        });
    }

    @Override
    public Topic alter(TopicName name, TopicSettings settings) {
        checkWritable("alter a topic");
        return evenWhenFull("alter topic " + name, () -> {
            Topic changed = topics.alter(name, settings);
            if (settings.sync() == SyncLevel.COMMIT) {
                // What was visible must be durable before visible means durable.
                for (int i = 0; i < changed.partitions(); i++) {
                    log(changed.id(), i).sync();
                }
            }
            shared(changed).announce(changed.partitions());
            waker.publish(Waker.TOPICS);
            return changed;
        });
    }

    @Override
    public void delete(TopicName name) {
        checkWritable("delete a topic");
        boolean[] first = new boolean[1];
        evenWhenFull("delete topic " + name, () -> {
            lookAtPlace();
            Topic topic = topics.findEvenDeleted(name).orElseThrow(() -> TopicFolders.noTopic(name));
            announceTopicsChange();
            boolean recorded = recordIfRoom(topic);
            // Then tell all processes that have it open: nothing is acknowledged from here on.
            first[0] |= markDeleted(topic);
            for (int i = 0; i < topic.partitions(); i++) {
                waker.publish(FilePartition.wakeWord(key(topic.id(), i)));
            }
            try {
                topics.delete(topic);
            } catch (TopicNotFoundException e) {
                // Others finish what they find begun.
                if (!first[0]) {
                    throw e;
                }
            }
            if (!recorded) {
                recordDeletion(topic);
            }
            waker.publish(Waker.TOPICS);
            partitions.closeAll(topic.id());
            return null;
        });
    }

    private void recordDeletion(Topic topic) throws IOException {
        pressure.evenWhenFull(() -> {
            topics.recordDeletion(topic);
            return null;
        });
    }

    /** @return False if the disk is full: the records, once they are gone, make room */
    private boolean recordIfRoom(Topic topic) throws IOException {
        try {
            recordDeletion(topic);
            return true;
        } catch (NoRoomException e) {
            LOG.log(System.Logger.Level.DEBUG, "topic {0} is deleted first: {1}", topic.name(), e.getMessage());
            return false;
        }
    }

    /** @return True if no other process did so before */
    private boolean markDeleted(Topic topic) throws IOException {
        if (!disk.exists(layout.log(topic.id()))) {
            // Its records are missing: only its name is left to go.
            return true;
        }
        TopicHandle open = handles.get(topic.id());
        if (open != null) {
            open.share();
        }
        return TopicHandle.markDeleted(disk, layout.topicPage(topic.id(), env.bootId()), topic.partitions());
    }

    /** The handle of a topic with the page by which all processes hear of changes, which takes room once in a boot. */
    private TopicHandle shared(Topic topic) throws IOException {
        TopicHandle handle = handle(topic);
        handle.share();
        return handle;
    }

    /** Announces a change before it is made: others look again later, in case this process dies before it is done. */
    private void announceTopicsChange() {
        waker.publish(Waker.TOPICS);
    }

    private TopicFolders.Marks marks() {
        return new TopicFolders.Marks() {
            @Override
            public boolean has(TopicId topic) throws IOException {
                return isMarkedDeleted(topic);
            }

            @Override
            public void set(TopicId topic) throws IOException {
                TopicHandle.markDeleted(disk, layout.topicPage(topic, env.bootId()), 0);
            }
        };
    }

    private boolean isMarkedDeleted(TopicId topic) throws IOException {
        TopicHandle known = handles.get(topic);
        return known != null
                ? known.isDeleted()
                : TopicHandle.isMarkedDeleted(disk, layout.topicPage(topic, env.bootId()));
    }

    private static void checkCount(int partitions) {
        if (partitions < 1 || partitions > PARTITIONS_MAX) {
            throw new MusterException(
                    "a topic has 1 to " + PARTITIONS_MAX + " partitions, not " + partitions,
                    "choose a number in that range");
        }
    }

    // ---- partitions

    @Override
    public PartitionLog log(TopicId topic, int partition) {
        checkOpen();
        PartitionKey key = key(topic, partition);
        FilePartition known = partitions.find(key);
        if (known != null && !known.isDeleted()) {
            if (!known.hasLostFiles()) {
                return known;
            }
            letGoOfReplaced(key, known);
        }
        TopicHandle handle = io("open topic " + topic, () -> handle(topic));
        boolean there;
        try {
            there = partition >= 0 && (partition < handle.partitions() || partition < countAnew(handle));
        } catch (TopicDeletedException e) {
            throw new TopicNotFoundException("topic with id " + topic + " (it was deleted)");
        }
        if (!there) {
            throw new TopicNotFoundException(
                    "partition " + partition + " of topic \"" + handle.topic().name() + "\"");
        }
        return partitions.open(key, absent -> FilePartition.open(absent, handle, env));
    }

    /** The next caller opens what is in the directory now, if it is still the directory of this store. */
    private void letGoOfReplaced(PartitionKey key, FilePartition replaced) {
        checkSameStore();
        io("look at " + layout.root(), () -> {
            lookAtPlace();
            return null;
        });
        handles.remove(key.topic());
        partitions.close(key, replaced);
    }

    /** Throws when the directory is gone, or another store is in its place. */
    private void checkSameStore() {
        UUID there;
        try {
            there = StoreFormat.clusterId(disk, layout);
        } catch (NoSuchFileException e) {
            throw new LogReplacedException(e.getFile() + " was removed");
        } catch (IOException e) {
            throw DiskErrors.of("read " + layout.musterJson(), e);
        }
        if (!there.equals(id)) {
            throw new LogReplacedException(layout.root() + " was replaced by another data directory (cluster id "
                    + there + " instead of " + id + ")");
        }
    }

    /**
     * Partitions are there before their maker tells of them, and it may die in between: what topic.json says counts.
     */
    private int countAnew(TopicHandle handle) {
        Topic now = reload(handle.topic());
        notice(now);
        return now.partitions();
    }

    private PartitionKey key(TopicId topic, int partition) {
        return new PartitionKey(topic, partition, layout.partition(topic, partition));
    }

    @Override
    public int partitions(TopicId topic) {
        checkOpen();
        return io("open topic " + topic, () -> handle(topic)).partitions();
    }

    private TopicHandle handle(TopicId id) throws IOException {
        TopicHandle known = handles.get(id);
        if (known != null) {
            return known;
        }
        TopicName name = names.get(id);
        if (name == null) {
            // To read all topics for each of them would take as long as their square.
            topics.list().forEach(topic -> names.put(topic.id(), topic.name()));
            name = names.get(id);
        }
        Optional<Topic> found = name == null ? Optional.empty() : topics.find(name);
        return handle(found.filter(topic -> topic.id().equals(id))
                .orElseThrow(() -> new TopicNotFoundException("topic with id " + id)));
    }

    /** The handle of a topic that was just looked up. */
    TopicHandle handle(Topic topic) throws IOException {
        TopicHandle known = handles.get(topic.id());
        if (known != null) {
            return known;
        }
        if (!readOnly) {
            topics.copyIfMissing(topic);
        }
        TopicHandle opened;
        try {
            opened = TopicHandle.open(
                    disk,
                    layout.topicPage(topic.id(), env.bootId()),
                    topic,
                    readOnly,
                    () -> reload(topic),
                    this::checkOpen);
        } catch (NoSuchFileException e) {
            if (!disk.exists(layout.log(topic.id())) && isDeletedForGood(topic.id())) {
                throw new TopicNotFoundException("topic with id " + topic.id() + " (it was deleted)");
            }
            throw e;
        }
        TopicHandle raced = handles.putIfAbsent(topic.id(), opened);
        return raced != null ? raced : opened;
    }

    private Topic reload(Topic old) {
        Optional<Topic> now = io("read topic " + old.name(), () -> topics.find(old.name()))
                .filter(topic -> topic.id().equals(old.id()));
        if (now.isEmpty() && io("read topic " + old.name(), () -> isMarkedDeleted(old.id()))) {
            throw new TopicDeletedException(old.name().value());
        }
        // Its files are missing for the moment: what was known of it stays true.
        return now.orElse(old);
    }

    @Override
    public long newProducerId() {
        checkWritable("make a producer");
        return evenWhenFull("make a producer id", producerIds::next);
    }

    @Override
    public UUID id() {
        return id;
    }

    @Override
    public Optional<Claim> claim(String role) {
        checkWritable("take the role of " + role);
        return evenWhenFull("take the role of " + role, () -> {
            synchronized (roles) {
                Optional<RoleLock> lock = RoleLock.take(disk, layout.role(role));
                if (lock.isEmpty()) {
                    return Optional.empty();
                }
                if (!anchored()) {
                    lock.get().close();
                    return Optional.empty();
                }
                roles.add(lock.get());
                return Optional.of(() -> letGo(lock.get()));
            }
        });
    }

    /**
     * A cleaner may delete the file of a role under the process that has it. So a process with a role also holds the
     * lock on {@code muster.json}, without which there is no store.
     *
     * @return False if another process has it
     */
    private boolean anchored() throws IOException {
        if (anchor == null) {
            anchor = RoleLock.take(disk, layout.musterJson()).orElse(null);
        }
        return anchor != null;
    }

    private void letGo(RoleLock role) {
        synchronized (roles) {
            role.close();
            roles.remove(role);
            if (roles.isEmpty() && anchor != null) {
                anchor.close();
                anchor = null;
            }
        }
    }

    /**
     * Looks whether {@code muster.json} is still the file that it was. If it is another one, the directory was
     * replaced, mostly by a restored one: what was deleted in the one before may be there again, and the locks of this
     * process are on files that have no name.
     */
    synchronized void lookAtPlace() throws IOException {
        FileIdentity now;
        try {
            now = disk.identity(layout.musterJson());
        } catch (NoSuchFileException e) {
            // It may be missing for the moment. Where the directory is gone its partitions find out.
            return;
        }
        if (now.equals(place)) {
            return;
        }
        try {
            checkSameStore();
        } catch (LogReplacedException e) {
            LOG.log(System.Logger.Level.ERROR, e.getMessage());
            refuse(e);
            return;
        }
        deletions.forget();
        groups.forgetDeletions();
        handles.values().removeIf(TopicHandle::isDeleted);
        keepRoles();
        place = now;
    }

    /** Takes the locks again that are not on the files with the names. */
    private void keepRoles() throws IOException {
        synchronized (roles) {
            if (roles.isEmpty()) {
                return;
            }
            for (RoleLock role : roles) {
                keep(role);
            }
            keep(anchor);
        }
    }

    private void keep(RoleLock role) throws IOException {
        if (!role.keep()) {
            throw new UnsupportedStoreException(
                    layout.root() + " was replaced, and another process has taken "
                            + role.file().getFileName() + " in it",
                    "stop this process, or the other one and start this one again");
        }
    }

    @Override
    public GroupStore groups() {
        checkOpen();
        return groups;
    }

    @Override
    public boolean readOnly() {
        return readOnly;
    }

    public Path directory() {
        return layout.root();
    }

    // ---- for the upkeep

    /** Of topics and of groups. */
    List<FilePartition> openPartitions() {
        return Stream.concat(partitions.all().stream(), groups.openLogs()).toList();
    }

    /** Goes over to the wake page that has the name, where that is not the one in use. */
    void lookAtWakePage() throws IOException {
        Path file = layout.wakePage(host.bootId());
        if (!wakesAlone && !waker.isInPlace(disk, file) && disk.exists(layout.coordinator())) {
            // Nothing tells a process that is idle of another directory but this.
            lookAtPlace();
            waker.use(sharedWakePage());
        }
    }

    /** True if any process published something since the last call. */
    boolean isStirred() {
        long now = waker.sum();
        boolean stirred = now != stirs;
        stirs = now;
        return stirred;
    }

    /**
     * Costs nothing unless a topic was changed since the last call: looks whether the pages of topics have their names.
     */
    void lookAtTopics() throws IOException {
        long now = waker.count(Waker.TOPICS);
        if (now != topicsLookedAt) {
            for (TopicHandle handle : handles.values()) {
                handle.look();
            }
            topicsLookedAt = now;
        }
    }

    /** Lets go of the files of topics that another process has deleted. */
    void forgetDeleted() {
        partitions.all().stream()
                .filter(FilePartition::isDeleted)
                .map(FilePartition::topicId)
                .distinct()
                .forEach(partitions::closeAll);
        groups.forgetDeleted();
    }

    Layout layout() {
        return layout;
    }

    /** Applies retention to a partition, and closes it again if this process does not use it. */
    RetentionSchedule retain(Topic topic, int partition, OptionalLong now) throws IOException {
        PartitionKey key = key(topic.id(), partition);
        FilePartition open = partitions.find(key);
        if (open != null && !open.hasLostFiles()) {
            return open.retain(now);
        }
        try (FilePartition own = FilePartition.open(key, handle(topic), env)) {
            return own.retain(now);
        }
    }

    /** From now on everything is refused with this. */
    void refuse(MusterException reason) {
        refused = reason;
    }

    /** The first process that sees a change of topics announces it, if its maker died before it did. */
    void tellTopicsChange() {
        waker.publish(Waker.TOPICS);
    }

    DiskPressure pressure() {
        return pressure;
    }

    /** Makes what there was no room for when the store was opened: then other processes see and wake this one. */
    void joinOthers() throws IOException {
        if (hostFiles != null && !hostFiles.isRegistered()) {
            hostFiles.completeRegistration();
        }
        if (wakesAlone) {
            waker.use(sharedWakePage());
            wakesAlone = false;
        }
    }

    /** Throws when other processes cannot see this one: a member in it would be expelled. */
    private void checkRegistered() {
        if (hostFiles != null && !hostFiles.isRegistered()) {
            io("make this process known", () -> {
                joinOthers();
                return null;
            });
        }
    }

    /** Takes away what was deleted, and so looks first whether that is still there to be deleted. */
    void tidyTopics() throws IOException {
        lookAtPlace();
        topics.tidy();
    }

    void tidyGroups() throws IOException {
        groups.tidy();
    }

    // ---- life and errors

    private void checkOpen() {
        if (refused != null) {
            throw refused;
        }
        if (closed) {
            throw new StoreClosedException("the store in " + layout.root());
        }
    }

    private void checkWritable(String what) {
        checkOpen();
        if (readOnly) {
            throw new ReadOnlyException(what + " in " + layout.root());
        }
    }

    private interface Call<T> {
        T run() throws IOException;
    }

    private static <T> T io(String what, Call<T> call) {
        try {
            return call.run();
        } catch (IOException e) {
            throw DiskErrors.of(what, e);
        }
    }

    /** For changes that need little room and may give some back: they may use the reserve. */
    private <T> T evenWhenFull(String what, Call<T> call) {
        return io(what, () -> pressure.evenWhenFull(call::run));
    }

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
        upkeep.close();
        // Before the partitions: a later sync would open their files again.
        unsynced.close();
        partitions.all().forEach(FileStore::flushIfSyncedByTime);
        closed = true;
        partitions.all().forEach(FilePartition::close);
        groups.close();
        waker.close();
        hosts.close();
        if (hostFiles != null) {
            hostFiles.close();
        }
    }
}
