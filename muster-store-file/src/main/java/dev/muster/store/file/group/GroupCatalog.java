package dev.muster.store.file.group;

import dev.muster.core.MusterException;
import dev.muster.core.TopicSettings;
import dev.muster.disk.Disk;
import dev.muster.store.file.layout.DeletionLog;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.file.log.segment.PartitionKey;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** The groups of a directory as they are on disk, for tools that read it without opening the store. */
public final class GroupCatalog {
    /** One group's journal, as a partition. */
    public record Journal(String group, PartitionKey key, TopicSettings settings) {}

    /** The journals, the files about groups that cannot be understood, and the folders without a group. */
    public record Contents(List<Journal> journals, Map<Path, String> unreadable, List<Path> ownerless) {}

    private GroupCatalog() {}

    public static Contents read(Disk disk, Layout layout, UUID bootId) throws IOException {
        List<Journal> journals = new ArrayList<>();
        Map<Path, String> unreadable = new TreeMap<>();
        List<Path> ownerless = new ArrayList<>();
        DeletionLog deletions = new DeletionLog(disk, layout.deletedGroups());
        for (String name : disk.list(layout.groups()).stream().sorted().toList()) {
            Path folder = layout.groups().resolve(name);
            Path file = folder.resolve(GroupFile.FILE);
            try {
                GroupFile group = GroupFile.parse(file, disk.readAll(file));
                Path journal = folder.resolve(group.journal());
                if (!EscapedName.of(group.name().value()).equals(name)) {
                    unreadable.put(file, "the group \"" + group.name() + "\" does not belong into this folder");
                } else if (!GroupFolders.isDeleted(disk, deletions, journal, group.id(), bootId)) {
                    journals.add(new Journal(
                            group.name().value(), PartitionKey.journal(group.id(), journal), GroupHandle.SETTINGS));
                }
            } catch (NoSuchFileException | NotDirectoryException e) {
                ownerless.add(folder);
            } catch (MusterException e) {
                unreadable.put(file, e.getMessage());
            }
        }
        return new Contents(journals, unreadable, ownerless);
    }
}
