package dev.muster.store.file.group;

import dev.muster.core.MusterException;
import dev.muster.core.group.model.GroupName;
import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.PoliteLock;
import dev.muster.store.StoreIoException;
import dev.muster.store.file.layout.DeletionLog;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.group.DamagedGroupException;
import dev.muster.store.runtime.StoreRuntime;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Creates, finds and deletes groups in the directory. Whole folders appear and vanish by one rename. The journal in a
 * folder has an id in its name, so a late process with an old path finds nothing there.
 */
final class GroupFolders {
    private static final System.Logger LOG = System.getLogger(GroupFolders.class.getName());
    private static final String TAKEN = ".taken-group";
    private static final String TRASHED_GROUP = ".group";
    /** The number of attempts to create a group, because other processes may create and delete it meanwhile. */
    private static final int ATTEMPTS = 20;

    private final Disk disk;
    private final Layout layout;
    private final String process;
    private final UUID bootId;
    private final StoreRuntime runtime;
    private final DeletionLog deletions;

    /**
     * @param process the name of this process. Drafts begin with it, so that other processes can delete the drafts of a
     *     dead one
     */
    GroupFolders(Disk disk, Layout layout, String process, UUID bootId, StoreRuntime runtime) {
        this.disk = disk;
        this.layout = layout;
        this.process = process;
        this.bootId = bootId;
        this.runtime = runtime;
        this.deletions = new DeletionLog(disk, layout.deletedGroups());
    }

    Path folder(GroupName name) {
        return layout.groups().resolve(EscapedName.of(name.value()));
    }

    Path journal(GroupFile group) {
        return folder(group.name()).resolve(group.journal());
    }

    /**
     * Finds a group.
     *
     * @throws DamagedGroupException if there is a journal and the file that holds the group's name is missing or
     *     damaged
     */
    Optional<GroupFile> find(GroupName name) throws IOException {
        NameFile file = nameFile(name);
        if (file.problem().isPresent()) {
            throw new DamagedGroupException(
                    name.value(),
                    folder(name).resolve(GroupFile.FILE).toString(),
                    -1,
                    file.problem().get(),
                    null);
        }
        return file.group();
    }

    /**
     * The content of the file that holds a group's name, or a replacement.
     *
     * @param group the group in the file. If the file is missing or damaged, the group that the only journal in the
     *     folder names; empty if there is no such group
     * @param problem the problem with the file; empty if there is none
     */
    record NameFile(Optional<GroupFile> group, Optional<String> problem) {}

    NameFile nameFile(GroupName name) throws IOException {
        Path folder = folder(name);
        NameFile file = readName(name, folder, List.of());
        if (file.problem().isEmpty()) {
            return file;
        }
        List<UUID> journals = journals(folder);
        if (journals.isEmpty()) {
            // The folder is missing, or has only views that were written while the group was deleted.
            return new NameFile(Optional.empty(), Optional.empty());
        }
        // The file is read again, because the group may have been created between the two looks.
        return readName(name, folder, journals);
    }

    private NameFile readName(GroupName name, Path folder, List<UUID> journals) throws IOException {
        String problem;
        try {
            Optional<GroupFile> found = read(folder);
            if (found.isPresent() && found.get().name().equals(name)) {
                return new NameFile(found, Optional.empty());
            }
            problem = found.isPresent() ? "it names the group \"" + found.get().name() + "\"" : "the file is missing";
        } catch (StoreIoException e) {
            if (e.getCause() == null) {
                // The file has a format of another version and is not damaged.
                throw e;
            }
            problem = "it cannot be understood: " + e.getCause().getMessage();
        }
        Optional<GroupFile> only = journals.size() == 1
                ? Optional.of(
                        new GroupFile(name, journals.getFirst(), runtime.clock().instant()))
                : Optional.empty();
        return new NameFile(only, Optional.of(problem));
    }

    /** The ids of the journals of a group. There is exactly one unless the group is damaged. */
    List<UUID> journals(GroupName name) throws IOException {
        return journals(folder(name));
    }

    /** The ids of the journals in a folder. */
    private List<UUID> journals(Path folder) throws IOException {
        List<UUID> journals = new ArrayList<>();
        for (String file : disk.list(folder)) {
            if (file.startsWith(GroupFile.JOURNAL)) {
                try {
                    journals.add(UUID.fromString(file.substring(GroupFile.JOURNAL.length())));
                } catch (IllegalArgumentException e) {
                    LOG.log(System.Logger.Level.DEBUG, "{0} is no journal", folder.resolve(file));
                }
            }
        }
        return journals;
    }

    /** Writes the file that holds a group's name again. */
    void restoreName(GroupName name) throws IOException {
        try (DiskFile _ = PoliteLock.take(disk, layout.groupsLock())) {
            NameFile file = nameFile(name);
            if (file.problem().isEmpty()) {
                return;
            }
            if (file.group().isEmpty()) {
                throw new StoreIoException(
                        folder(name) + " has several journals, and no file names the one that counts", null);
            }
            Path draft = layout.drafts().resolve(process + "." + disk.machine().newId());
            disk.writeDurably(draft, file.group().get().toJson());
            disk.rename(draft, folder(name).resolve(GroupFile.FILE));
            disk.syncFolder(folder(name));
        }
    }

    /**
     * Removes a group, whatever is in its folder.
     *
     * @param marked the consumer of the id of each journal that was marked as deleted
     */
    void remove(GroupName name, Consumer<UUID> marked) throws IOException {
        Path folder = folder(name);
        Path trashed = layout.trash().resolve(disk.machine().newId() + TRASHED_GROUP);
        try (DiskFile _ = PoliteLock.take(disk, layout.groupsLock())) {
            // First the mark for all processes that have it open: nothing is acknowledged from here on.
            for (UUID id : journals(folder)) {
                GroupHandle.markDeleted(disk, folder.resolve(GroupFile.JOURNAL + id), bootId);
                marked.accept(id);
            }
            disk.rename(folder, trashed);
        } catch (NoSuchFileException e) {
            // Another process removed it at the same time.
            assert disk.exists(layout.root()) : e;
        }
        disk.syncFolder(layout.groups());
        disk.syncFolder(layout.trash());
        disk.deleteTree(trashed);
    }

    private Optional<GroupFile> read(Path folder) throws IOException {
        Path file = folder.resolve(GroupFile.FILE);
        try {
            return Optional.of(GroupFile.parse(file, disk.readAll(file)));
        } catch (NoSuchFileException | NotDirectoryException e) {
            return Optional.empty();
        }
    }

    /** Reads a group for the upkeep; empty if it is damaged, because the upkeep does not change a damaged group. */
    private Optional<GroupFile> readIfWhole(Path folder) throws IOException {
        try {
            return read(folder);
        } catch (StoreIoException e) {
            LOG.log(System.Logger.Level.DEBUG, "a group is skipped: {0}", e.getMessage());
            return Optional.empty();
        }
    }

    /** All groups that exist and are not marked as deleted, with the damaged ones. */
    SortedSet<GroupName> list() throws IOException {
        NavigableSet<GroupName> found = new TreeSet<>();
        for (String name : disk.list(layout.groups())) {
            Path folder = layout.groups().resolve(name);
            Optional<GroupFile> group = readIfWhole(folder);
            if (group.isPresent()) {
                if (!isDeleted(folder, group.get().id())) {
                    found.add(group.get().name());
                }
            } else {
                damagedName(folder).ifPresent(found::add);
            }
        }
        return found;
    }

    /**
     * The group of a folder without a whole file, from the folder's own name; empty if there is none, or it is deleted.
     */
    private Optional<GroupName> damagedName(Path folder) throws IOException {
        for (UUID id : journals(folder)) {
            if (!isDeleted(folder, id)) {
                return EscapedName.name(folder.getFileName().toString()).map(GroupName::new);
            }
        }
        return Optional.empty();
    }

    private boolean isDeleted(Path folder, UUID id) throws IOException {
        return isDeleted(disk, deletions, folder.resolve(GroupFile.JOURNAL + id), id, bootId);
    }

    /**
     * True if the page of a group marks it as deleted and a line records the deletion. The page alone is not enough,
     * because a bit of it may flip.
     */
    static boolean isDeleted(Disk disk, DeletionLog deletions, Path journal, UUID id, UUID bootId) throws IOException {
        return GroupHandle.isMarkedDeleted(disk, journal, bootId) && deletions.has(id);
    }

    /**
     * Records that a group was deleted, before any of its files is deleted. The record is durable when this returns.
     */
    void recordDeletion(UUID id, GroupName name) throws IOException {
        if (!deletions.has(id)) {
            deletions.record(id, name.value(), runtime.clock().instant());
        }
    }

    /** Drops the known deletions after another directory took the place of the one that they were read from. */
    void forgetDeletions() {
        deletions.forget();
    }

    /** True if the deletion of the group is recorded. */
    boolean isRecorded(GroupFile group) throws IOException {
        return deletions.has(group.id());
    }

    /**
     * Deletes a page that marks its group as deleted although no line records that. A bit of the page has flipped, or
     * the disk was full and the process that deleted the group was killed. The group continues with a new page.
     */
    void dropWrongPage(GroupFile group) throws IOException {
        try (DiskFile _ = PoliteLock.take(disk, layout.groupsLock())) {
            if (!deletions.has(group.id()) && GroupHandle.isMarkedDeleted(disk, journal(group), bootId)) {
                Path page = GroupHandle.pageFile(journal(group), bootId);
                LOG.log(
                        System.Logger.Level.WARNING,
                        "{0} marks the group as deleted, and {1} does not: the group continues with a new page",
                        page,
                        layout.deletedGroups());
                disk.delete(page);
            }
        }
    }

    /** Creates a group. If another process was first, the group of that process is returned. */
    GroupFile create(GroupName name) throws IOException {
        // A group that seems to be missing may have been moved away by mistake, by a process that died before it
        // restored it.
        settleTaken();
        Optional<GroupFile> there = find(name);
        if (there.isPresent()) {
            return there.get();
        }
        GroupFile fresh = new GroupFile(name, runtime.newId(), runtime.clock().instant());
        if (!disk.exists(layout.groups())) {
            disk.createFolders(layout.groups());
            disk.syncFolder(layout.root());
        }
        Path draft = layout.drafts().resolve(process + "." + fresh.id());
        disk.createFolders(draft.resolve(fresh.journal()));
        disk.writeDurably(draft.resolve(GroupFile.FILE), fresh.toJson());
        disk.syncFolder(draft);
        for (int i = 1; ; i++) {
            try (DiskFile _ = PoliteLock.take(disk, layout.groupsLock())) {
                disk.rename(draft, folder(name));
                return fresh;
            } catch (FileSystemException e) {
                Optional<GroupFile> winner = find(name);
                if (winner.isPresent()) {
                    disk.deleteTree(draft);
                    return winner.get();
                }
                // The folder in the way may be gone by now: another process may have created the group and deleted it
                // again.
                if (!removeIfUnused(folder(name)) && i == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /**
     * Removes a folder without a group. Views that were written while a group was deleted can leave one.
     *
     * @return true if there was such a folder
     */
    private boolean removeIfUnused(Path folder) throws IOException {
        if (disk.list(folder).isEmpty() || !journals(folder).isEmpty()) {
            return false;
        }
        try {
            disk.rename(folder, layout.trash().resolve(disk.machine().newId() + TRASHED_GROUP));
        } catch (NoSuchFileException e) {
            // Another process has removed it.
            assert !disk.exists(folder) : e;
        }
        return true;
    }

    /** Makes the group's name durable. No line of its journal is durable before that. */
    void makeNameDurable() throws IOException {
        disk.syncFolder(layout.groups());
        disk.syncFolder(layout.root());
    }

    /**
     * Removes the name and then the files of a group. The group is marked as deleted, and the caller has checked that
     * the mark is right. The name may belong to a new group by now, so the moved folder is checked before it is
     * deleted.
     */
    void delete(GroupFile group) throws IOException {
        try (DiskFile _ = PoliteLock.take(disk, layout.groupsLock())) {
            Optional<GroupFile> there = nameFile(group.name()).group();
            if (there.isPresent() && there.get().id().equals(group.id())) {
                Path taken = layout.drafts().resolve(disk.machine().newId() + TAKEN);
                disk.rename(folder(group.name()), taken);
                settle(taken, group);
            }
        } catch (NoSuchFileException e) {
            // Another process is deleting it at the same time.
            assert disk.exists(layout.root()) : e;
        }
        disk.syncFolder(layout.groups());
        disk.syncFolder(layout.trash());
        try {
            disk.deleteTree(trashed(group));
        } catch (IOException e) {
            // The group is deleted. The next round of the upkeep deletes its remaining files.
            LOG.log(System.Logger.Level.DEBUG, "left in the trash: {0}", e.getMessage());
        }
    }

    /** Settles a folder that was moved away: moves it to the trash, or back if its group is not deleted. */
    private void settle(Path taken) throws IOException {
        settle(taken, null);
    }

    /**
     * @param deleted the group that is known to be deleted, although a full disk may have no line about it; null if
     *     there is none
     */
    private void settle(Path taken, GroupFile deleted) throws IOException {
        Optional<GroupFile> group = read(taken);
        try {
            if (group.isEmpty()) {
                disk.rename(taken, layout.trash().resolve(disk.machine().newId() + TRASHED_GROUP));
            } else if (deleted != null && deleted.id().equals(group.get().id())
                    || isDeleted(taken, group.get().id())) {
                disk.rename(taken, trashed(group.get()));
            } else {
                moveBack(taken, group.get());
            }
        } catch (NoSuchFileException e) {
            // Another process has settled it.
            assert !disk.exists(taken) : e;
        }
    }

    /**
     * Moves a folder back. If another group has the name by now, this group ends, and its members join the other one.
     */
    private void moveBack(Path taken, GroupFile group) throws IOException {
        try {
            disk.rename(taken, folder(group.name()));
        } catch (FileSystemException e) {
            Optional<GroupFile> other = find(group.name());
            if (other.isEmpty() || other.get().id().equals(group.id()) || !disk.exists(taken)) {
                throw e;
            }
            LOG.log(
                    System.Logger.Level.WARNING,
                    "two groups \"{0}\" were created at the same time: {1} is dropped, {2} is kept",
                    group.name(),
                    group.id(),
                    other.get().id());
            GroupHandle.markDeleted(disk, taken.resolve(group.journal()), bootId);
            disk.rename(taken, trashed(group));
        }
    }

    /** Settles each folder that a process moved away in {@link #delete} and has not settled yet. */
    void settleTaken() throws IOException {
        for (String name : disk.list(layout.drafts())) {
            if (name.endsWith(TAKEN)) {
                settleIfPossible(layout.drafts().resolve(name));
            }
        }
    }

    /** Settles a folder. A folder that cannot be settled stays where it is and must not prevent other operations. */
    private void settleIfPossible(Path taken) {
        try {
            settle(taken);
        } catch (IOException | MusterException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0} holds a group that has lost its place: {1}",
                    taken,
                    e.getMessage());
        }
    }

    private Path trashed(GroupFile group) {
        return layout.trash().resolve(group.id() + TRASHED_GROUP);
    }

    /** Finishes the deletions of groups that other processes began and did not end before they died. */
    void tidy() throws IOException {
        settleTaken();
        for (String name : disk.list(layout.groups())) {
            Path folder = layout.groups().resolve(name);
            Optional<GroupFile> group = readIfWhole(folder);
            if (group.isPresent() && isDeleted(folder, group.get().id())) {
                delete(group.get());
            }
        }
        for (String name : disk.list(layout.trash())) {
            if (name.endsWith(TRASHED_GROUP)) {
                disk.deleteTree(layout.trash().resolve(name));
            }
        }
    }
}
