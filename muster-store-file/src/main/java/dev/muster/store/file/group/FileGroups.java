package dev.muster.store.file.group;

import dev.muster.core.TopicSettings;
import dev.muster.core.group.model.GroupName;
import dev.muster.disk.NoRoomException;
import dev.muster.store.ReadOnlyException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.file.host.ProcessIdentity;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.file.log.DiskErrors;
import dev.muster.store.file.log.FilePartition;
import dev.muster.store.file.log.LogEnvironment;
import dev.muster.store.file.log.segment.PartitionKey;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupStore;
import dev.muster.store.group.Hosts;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/** The groups of a directory. Owns the journals that this process has open. Safe for many threads. */
public final class FileGroups implements GroupStore, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(FileGroups.class.getName());
    private static final int ATTEMPTS = 100;

    private final Layout layout;
    private final LogEnvironment env;
    private final GroupFolders folders;
    private final Hosts hosts;
    private final String process;
    private final long writerId;
    private final TopicSettings settings;
    private final Runnable usable;
    private final Runnable sameStore;
    private final Runnable registered;
    private final Map<GroupName, FileGroupJournal> journals = new ConcurrentHashMap<>();
    /** Held during changes of the journals. These need disk calls, so the map itself must not be locked. */
    private final ReentrantLock opening = new ReentrantLock();

    /**
     * @param segmentBytes the size at which a segment of a journal is closed
     * @param usable the check that throws if the store must not be used any more
     * @param sameStore the check that throws if the directory is missing or belongs to another store
     * @param registered the check that throws if other processes cannot see this one
     */
    public FileGroups(
            Layout layout,
            LogEnvironment env,
            Hosts hosts,
            ProcessIdentity process,
            long segmentBytes,
            Runnable usable,
            Runnable sameStore,
            Runnable registered) {
        this.layout = layout;
        this.env = env;
        this.process = process.toString();
        this.folders = new GroupFolders(env.disk(), layout, this.process, env.bootId(), env.runtime());
        this.hosts = hosts;
        this.writerId = process.nonce().getLeastSignificantBits() & Long.MAX_VALUE;
        this.settings = GroupHandle.SETTINGS.withSegmentBytes(segmentBytes);
        this.usable = usable;
        this.sameStore = sameStore;
        this.registered = registered;
    }

    @Override
    public List<GroupName> list() {
        usable.run();
        return io("list the groups", () -> List.copyOf(folders.list()));
    }

    @Override
    public Optional<GroupJournal> find(GroupName group) {
        return Optional.ofNullable(journal(group, false, false));
    }

    @Override
    public Optional<GroupJournal> findDamaged(GroupName group) {
        return Optional.ofNullable(journal(group, false, true));
    }

    @Override
    public Optional<String> nameProblem(GroupName group) {
        usable.run();
        return io("read group " + group, () -> folders.nameFile(group).problem());
    }

    @Override
    public void restoreName(GroupName group) {
        usable.run();
        if (env.readOnly()) {
            throw new ReadOnlyException("repair group " + group + " in " + layout.root());
        }
        io("repair group " + group, () -> {
            folders.restoreName(group);
            return null;
        });
    }

    @Override
    public GroupJournal open(GroupName group) {
        return journal(group, true, false);
    }

    private FileGroupJournal journal(GroupName name, boolean create, boolean damaged) {
        usable.run();
        FileGroupJournal known = journals.get(name);
        if (known != null && known.isInUse()) {
            return known;
        }
        opening.lock();
        try {
            // Checked again: if the store was closed meanwhile, a journal opened now would never be closed.
            usable.run();
            FileGroupJournal present = journals.get(name);
            if (present != null && present.isInUse()) {
                return present;
            }
            if (present != null) {
                if (present.log().hasLostFiles()) {
                    sameStore.run();
                }
                present.close();
                journals.remove(name);
            }
            FileGroupJournal opened = io("open group " + name, () -> lookUp(name, create, damaged));
            if (opened != null) {
                journals.put(name, opened);
            }
            return opened;
        } finally {
            opening.unlock();
        }
    }

    /**
     * Finds or creates the group and opens its journal. Other processes may delete it and create it again meanwhile, so
     * it makes several attempts.
     */
    private FileGroupJournal lookUp(GroupName name, boolean create, boolean damaged) throws IOException {
        NoSuchFileException vanished = null;
        for (int i = 0; i < ATTEMPTS; i++) {
            Optional<GroupFile> found = damaged ? folders.nameFile(name).group() : folders.find(name);
            if (found.isEmpty() && !create) {
                return null;
            }
            if (found.isEmpty() && env.readOnly()) {
                throw new ReadOnlyException("make group " + name + " in " + layout.root());
            }
            GroupFile group = found.isPresent() ? found.get() : env.pressure().evenWhenFull(() -> folders.create(name));
            try {
                GroupHandle handle = handle(group);
                if (!handle.isDeleted()) {
                    return openJournal(handle);
                }
                if (env.readOnly()) {
                    return null;
                }
                if (folders.isRecorded(group)) {
                    // The process that deleted it did not finish the deletion.
                    folders.delete(group);
                } else {
                    folders.dropWrongPage(group);
                }
            } catch (NoSuchFileException e) {
                vanished = e;
            } catch (TopicNotFoundException e) {
                vanished = new NoSuchFileException(folders.journal(group).toString());
            }
        }
        throw vanished;
    }

    private GroupHandle handle(GroupFile group) throws IOException {
        return GroupHandle.open(
                env.disk(),
                folders.journal(group),
                group,
                settings,
                env.bootId(),
                env.runtime(),
                env.readOnly(),
                usable,
                folders::settleTaken);
    }

    private FileGroupJournal openJournal(GroupHandle handle) throws IOException {
        GroupFile group = handle.group();
        FilePartition log = FilePartition.open(key(group), handle, env);
        if (!env.readOnly() && !handle.isNamedDurably()) {
            folders.makeNameDurable();
            handle.setNamedDurably();
        }
        ViewFiles views =
                new ViewFiles(env.disk(), folders.folder(group.name()), layout.drafts(), process + "." + group.id());
        return new FileGroupJournal(handle, log, views, env, hosts, writerId, registered);
    }

    private PartitionKey key(GroupFile group) {
        return PartitionKey.journal(group.id(), folders.journal(group));
    }

    @Override
    public void delete(GroupJournal journal) {
        usable.run();
        GroupFile group = ((FileGroupJournal) journal).handle().group();
        if (env.readOnly()) {
            throw new ReadOnlyException("delete group " + group.name() + " in " + layout.root());
        }
        if (((FileGroupJournal) journal).log().hasLostFiles()) {
            // The group was removed with its files. A restored group of this id must stay.
            return;
        }
        io(
                "delete group " + group.name(),
                () -> env.pressure().evenWhenFull(() -> {
                    try {
                        GroupHandle handle = handle(group);
                        handle.share();
                        boolean recorded = recordIfRoom(group.id(), group.name());
                        // Then the mark for all processes that have it open: nothing is acknowledged from here on.
                        handle.markDeleted();
                        env.waker().publish(FilePartition.wakeWord(key(group)));
                        folders.delete(group);
                        if (!recorded) {
                            recordIfRoom(group.id(), group.name());
                        }
                    } catch (NoSuchFileException e) {
                        // Its folder, whose id is never used again, is missing: another process has deleted it.
                        assert env.disk().exists(layout.root()) : e;
                    }
                    forgetDeleted();
                    return null;
                }));
    }

    @Override
    public void remove(GroupName group) {
        usable.run();
        if (env.readOnly()) {
            throw new ReadOnlyException("delete group " + group + " in " + layout.root());
        }
        io(
                "delete group " + group,
                () -> env.pressure().evenWhenFull(() -> {
                    for (UUID id : folders.journals(group)) {
                        recordIfRoom(id, group);
                    }
                    folders.remove(group, id -> {
                        Path journal = folders.folder(group).resolve(GroupFile.JOURNAL + id);
                        env.waker().publish(FilePartition.wakeWord(PartitionKey.journal(id, journal)));
                    });
                    forgetDeleted();
                    return null;
                }));
    }

    /**
     * Records the deletion of a group.
     *
     * @return false if the disk is full; the deletion of the group's files will make room
     */
    private boolean recordIfRoom(UUID id, GroupName name) throws IOException {
        try {
            env.pressure().evenWhenFull(() -> {
                folders.recordDeletion(id, name);
                return null;
            });
            return true;
        } catch (NoRoomException e) {
            LOG.log(System.Logger.Level.DEBUG, "group {0} is deleted first: {1}", name, e.getMessage());
            return false;
        }
    }

    @Override
    public Hosts hosts() {
        return hosts;
    }

    /** The journals in use. The upkeep syncs lines that other processes left unsynced. */
    public Stream<FilePartition> openLogs() {
        return journals.values().stream().map(FileGroupJournal::log);
    }

    /** Closes the files of groups that any process has deleted. */
    public void forgetDeleted() {
        opening.lock();
        try {
            journals.values().removeIf(journal -> {
                boolean deleted = journal.handle().isDeleted();
                if (deleted) {
                    journal.close();
                }
                return deleted;
            });
        } finally {
            opening.unlock();
        }
    }

    /** Drops the known deletions after another directory, a restored one, took the place of the opened one. */
    public void forgetDeletions() {
        folders.forgetDeletions();
    }

    /** Finishes deletions of processes that died during them. */
    public void tidy() throws IOException {
        folders.tidy();
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

    @Override
    public void close() {
        opening.lock();
        try {
            journals.values().forEach(FileGroupJournal::close);
        } finally {
            opening.unlock();
        }
    }
}
