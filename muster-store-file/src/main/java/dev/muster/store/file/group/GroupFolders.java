package dev.muster.store.file.group;

import dev.muster.core.MusterException;
import dev.muster.core.group.GroupName;
import dev.muster.store.StoreIoException;
import dev.muster.store.file.Layout;
import dev.muster.store.file.disk.Disk;
import dev.muster.store.file.disk.DiskFile;
import dev.muster.store.file.disk.PoliteLock;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

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

    /** @param process drafts begin with this name: who sweeps behind a dead process finds them by it */
    GroupFolders(Disk disk, Layout layout, String process, UUID bootId, Clock clock) {
        this.disk = disk;
        this.layout = layout;
        this.process = process;
        this.bootId = bootId;
        this.clock = clock;
    }

    Path folder(GroupName name) {
        return layout.groups().resolve(EscapedName.of(name.value()));
    }

    Path journal(GroupFile group) {
        return folder(group.name()).resolve(group.journal());
    }

    Optional<GroupFile> find(GroupName name) throws IOException {
        Path folder = folder(name);
        Optional<GroupFile> found = read(folder);
        if (found.isPresent() && !found.get().name().equals(name)) {
            throw new StoreIoException(
                    folder + " holds the group \"" + found.get().name() + "\" and not \"" + name + "\"", null);
        }
        return found;
    }

    private Optional<GroupFile> read(Path folder) throws IOException {
        Path file = folder.resolve(GroupFile.FILE);
        try {
            return Optional.of(GroupFile.parse(file, disk.readAll(file)));
        } catch (NoSuchFileException | NotDirectoryException e) {
            return Optional.empty();
        }
    }

    /** One damaged file must not hide the other groups. */
    private Optional<GroupFile> readIfWhole(Path folder) throws IOException {
        try {
            return read(folder);
        } catch (StoreIoException e) {
            LOG.log(System.Logger.Level.WARNING, "a group is passed over: {0}", e.getMessage());
            return Optional.empty();
        }
    }

    /** All that are there and not marked as deleted, by name. */
    List<GroupFile> list() throws IOException {
        List<GroupFile> found = new ArrayList<>();
        for (String name : disk.list(layout.groups())) {
            Path folder = layout.groups().resolve(name);
            Optional<GroupFile> group = readIfWhole(folder);
            if (group.isPresent() && !isMarkedDeleted(folder, group.get())) {
                found.add(group.get());
            }
        }
        found.sort(Comparator.comparing(GroupFile::name));
        return found;
    }

    private boolean isMarkedDeleted(Path folder, GroupFile group) throws IOException {
        return GroupHandle.isMarkedDeleted(disk, folder.resolve(group.journal()), bootId);
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
        if (disk.list(folder).isEmpty()) {
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
     * The group is marked as deleted: takes its name away, then its files. By now the name may belong to a group made
     * anew: what was taken is looked at before it is thrown away.
     */
    void delete(GroupFile group) throws IOException {
        try (DiskFile _ = PoliteLock.take(disk, layout.groupsLock())) {
            Optional<GroupFile> there = find(group.name());
            if (there.isPresent() && there.get().id().equals(group.id())) {
                Path taken = layout.drafts().resolve(disk.machine().newId() + TAKEN);
                disk.rename(folder(group.name()), taken);
                settle(taken);
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
        Optional<GroupFile> group = read(taken);
        try {
            if (group.isEmpty()) {
                disk.rename(taken, layout.trash().resolve(disk.machine().newId() + GRAVE));
            } else if (isMarkedDeleted(taken, group.get())) {
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

    private void settleTaken() throws IOException {
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
            if (group.isPresent() && isMarkedDeleted(folder, group.get())) {
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
