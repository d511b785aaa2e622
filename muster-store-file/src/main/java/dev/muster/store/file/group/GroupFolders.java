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
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Makes, finds and deletes groups in the directory. Whole folders appear and vanish by one rename; the journal in it
 * lies under an id of its own, so whoever comes late with an old path finds nothing there.
 */
final class GroupFolders {
    private static final System.Logger LOG = System.getLogger(GroupFolders.class.getName());
    private static final String TAKEN = ".taken-group";
    private static final String GRAVE = ".group";
    /** So often others may make and delete a group while we make it. */
    private static final int ATTEMPTS = 20;

    private final Disk disk;
    private final Layout layout;
    private final String process;
    private final UUID bootId;
    private final Clock clock;
    private final DeletionLog deletions;

    /** @param process drafts begin with this name: who sweeps behind a dead process finds them by it */
    GroupFolders(Disk disk, Layout layout, String process, UUID bootId, Clock clock) {
        this.disk = disk;
        this.layout = layout;
        this.process = process;
        this.bootId = bootId;
        this.clock = clock;
        this.deletions = new DeletionLog(disk, layout.deletedGroups());
    }

    Path folder(GroupName name) {
        return layout.groups().resolve(EscapedName.of(name.value()));
    }

    Path journal(GroupFile group) {
        return folder(group.name()).resolve(group.journal());
    }

    /** @throws DamagedGroupException when there is a journal and the file that names the group is missing or damaged */
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
     * The file that names a group, or what stands in for it.
     *
     * @param group told by the file; where that is missing or damaged, told by the name of the only journal in the
     *     folder; empty: there is no such group
     * @param problem what is wrong with the file; empty: nothing
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
            // Nothing is there, or only views that were written while the group was deleted.
            return new NameFile(Optional.empty(), Optional.empty());
        }
        // Read once more: the group may have been made between the two looks.
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
                // Of a format that another version knows: nothing is damaged.
                throw e;
            }
            problem = "it cannot be understood: " + e.getCause().getMessage();
        }
        Optional<GroupFile> only = journals.size() == 1
                ? Optional.of(new GroupFile(name, journals.getFirst(), clock.instant()))
                : Optional.empty();
        return new NameFile(only, Optional.of(problem));
    }

    /** The ids of the journals of a group: one, unless the group is damaged. */
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

    /** Writes the file that names a group again. */
    void restoreName(GroupName name) throws IOException {
        try (DiskFile _ = PoliteLock.take(disk, layout.groupsLock())) {
            NameFile file = nameFile(name);
            if (file.problem().isEmpty()) {
                return;
            }
            if (file.group().isEmpty()) {
                throw new StoreIoException(
                        folder(name) + " has several journals, and no file tells which of them counts", null);
            }
            Path draft = layout.drafts().resolve(process + "." + disk.machine().newId());
            disk.writeDurably(draft, file.group().get().toJson());
            disk.rename(draft, folder(name).resolve(GroupFile.FILE));
            disk.syncFolder(folder(name));
        }
    }

    /**
     * Takes a group away whatever is in its folder.
     *
     * @param marked called for each journal when it is marked as deleted, with the id of the group
     */
    void remove(GroupName name, Consumer<UUID> marked) throws IOException {
        Path folder = folder(name);
        Path grave = layout.trash().resolve(disk.machine().newId() + GRAVE);
        try (DiskFile _ = PoliteLock.take(disk, layout.groupsLock())) {
            // First all who have it open are told: nothing is acknowledged from here on.
            for (UUID id : journals(folder)) {
                GroupHandle.markDeleted(disk, folder.resolve(GroupFile.JOURNAL + id), bootId);
                marked.accept(id);
            }
            disk.rename(folder, grave);
        } catch (NoSuchFileException e) {
            // Another process removed it at the same time.
            assert disk.exists(layout.root()) : e;
        }
        disk.syncFolder(layout.groups());
        disk.syncFolder(layout.trash());
        disk.deleteTree(grave);
    }

    private Optional<GroupFile> read(Path folder) throws IOException {
        Path file = folder.resolve(GroupFile.FILE);
        try {
            return Optional.of(GroupFile.parse(file, disk.readAll(file)));
        } catch (NoSuchFileException | NotDirectoryException e) {
            return Optional.empty();
        }
    }

    /** For housekeeping, which leaves a damaged group alone. */
    private Optional<GroupFile> readIfWhole(Path folder) throws IOException {
        try {
            return read(folder);
        } catch (StoreIoException e) {
            LOG.log(System.Logger.Level.DEBUG, "a group is passed over: {0}", e.getMessage());
            return Optional.empty();
        }
    }

    /** All that are there and not marked as deleted, also those that are damaged. */
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

    /** The group of a folder without a whole file, told by the folder's own name; empty: none, or it is deleted. */
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

    /** True if the page of a group says that it was deleted, and a line too: a bit of a page may flip. */
    static boolean isDeleted(Disk disk, DeletionLog deletions, Path journal, UUID id, UUID bootId) throws IOException {
        return GroupHandle.isMarkedDeleted(disk, journal, bootId) && deletions.has(id);
    }

    /** Writes down that a group was deleted. Durable when this returns. Comes before any file goes. */
    void recordDeletion(UUID id, GroupName name) throws IOException {
        if (!deletions.has(id)) {
            deletions.record(id, name.value(), clock.instant());
        }
    }

    /** Another directory is in the place of the one that deletions were read from. */
    void forgetDeletions() {
        deletions.forget();
    }

    /** True if the deletion of the group is on disk. */
    boolean isRecorded(GroupFile group) throws IOException {
        return deletions.has(group.id());
    }

    /**
     * Deletes a page that says that its group was deleted where no line does. A bit of it has flipped, or the disk was
     * full and the process that deleted the group was killed. The group goes on with a new page.
     */
    void dropWrongPage(GroupFile group) throws IOException {
        try (DiskFile _ = PoliteLock.take(disk, layout.groupsLock())) {
            if (!deletions.has(group.id()) && GroupHandle.isMarkedDeleted(disk, journal(group), bootId)) {
                Path page = GroupHandle.pageFile(journal(group), bootId);
                LOG.log(
                        System.Logger.Level.WARNING,
                        "{0} says that the group was deleted, and {1} does not: the group goes on with a new page",
                        page,
                        layout.deletedGroups());
                disk.delete(page);
            }
        }
    }

    /** Makes a group, unless another process was first: then it is theirs. */
    GroupFile create(GroupName name) throws IOException {
        // One that seems not to be there may have been taken from its place by mistake, by a process that died over it.
        settleTaken();
        Optional<GroupFile> there = find(name);
        if (there.isPresent()) {
            return there.get();
        }
        GroupFile fresh = new GroupFile(name, disk.machine().newId(), clock.instant());
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
                // What was in the way may be gone by now: the group of another, made and deleted again.
                if (!clearAway(folder(name)) && i == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /**
     * Views of a group that were written while it was deleted can leave a folder without a group.
     *
     * @return whether there was one
     */
    private boolean clearAway(Path folder) throws IOException {
        if (disk.list(folder).isEmpty() || !journals(folder).isEmpty()) {
            return false;
        }
        try {
            disk.rename(folder, layout.trash().resolve(disk.machine().newId() + GRAVE));
        } catch (NoSuchFileException e) {
            // Another process was as tidy.
            assert !disk.exists(folder) : e;
        }
        return true;
    }

    /** Makes the group's name durable: before that, nothing in its journal is. */
    void makeNameDurable() throws IOException {
        disk.syncFolder(layout.groups());
        disk.syncFolder(layout.root());
    }

    /**
     * The group is marked as deleted, and the caller knows that this is no error: takes its name away, then its files.
     * By now the name may belong to a group made anew: what was taken is looked at before it is thrown away.
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
            // Another process deletes it at the same time.
            assert disk.exists(layout.root()) : e;
        }
        disk.syncFolder(layout.groups());
        disk.syncFolder(layout.trash());
        try {
            disk.deleteTree(grave(group));
        } catch (IOException e) {
            // It is deleted; what is left of it goes with the next round of housekeeping.
            LOG.log(System.Logger.Level.DEBUG, "left in the trash: {0}", e.getMessage());
        }
    }

    /** A folder that was taken from its place: to the trash with it, or back when it is not a deleted group's. */
    private void settle(Path taken) throws IOException {
        settle(taken, null);
    }

    /** @param deleted a group that is known to be deleted, though a full disk may have no line about it; or null */
    private void settle(Path taken, GroupFile deleted) throws IOException {
        Optional<GroupFile> group = read(taken);
        try {
            if (group.isEmpty()) {
                disk.rename(taken, layout.trash().resolve(disk.machine().newId() + GRAVE));
            } else if (deleted != null && deleted.id().equals(group.get().id())
                    || isDeleted(taken, group.get().id())) {
                disk.rename(taken, grave(group.get()));
            } else {
                giveBack(taken, group.get());
            }
        } catch (NoSuchFileException e) {
            // Another process has settled it.
            assert !disk.exists(taken) : e;
        }
    }

    /** Where another group has the name by now, there is no way back: this one ends, and who was in it joins that. */
    private void giveBack(Path taken, GroupFile group) throws IOException {
        try {
            disk.rename(taken, folder(group.name()));
        } catch (FileSystemException e) {
            Optional<GroupFile> other = find(group.name());
            if (other.isEmpty() || other.get().id().equals(group.id()) || !disk.exists(taken)) {
                throw e;
            }
            LOG.log(
                    System.Logger.Level.WARNING,
                    "two groups \"{0}\" were made at the same time: {1} ends, {2} goes on",
                    group.name(),
                    group.id(),
                    other.get().id());
            GroupHandle.markDeleted(disk, taken.resolve(group.journal()), bootId);
            disk.rename(taken, grave(group));
        }
    }

    /** Settles each folder that a process took from its place, see {@link #delete}, and has not settled yet. */
    void settleTaken() throws IOException {
        for (String name : disk.list(layout.drafts())) {
            if (name.endsWith(TAKEN)) {
                settleIfPossible(layout.drafts().resolve(name));
            }
        }
    }

    /** What cannot be settled stays where it is, and must not be in the way of others. */
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

    private Path grave(GroupFile group) {
        return layout.trash().resolve(group.id() + GRAVE);
    }

    /** Finishes what processes that died in the middle of a delete have left. */
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
            if (name.endsWith(GRAVE)) {
                disk.deleteTree(layout.trash().resolve(name));
            }
        }
    }
}
