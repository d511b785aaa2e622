package dev.muster.store.file.group;

import dev.muster.core.InvalidNameException;
import dev.muster.core.MusterException;
import dev.muster.core.TopicSettings;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.json.Json;
import dev.muster.core.json.JsonException;
import dev.muster.disk.Disk;
import dev.muster.store.file.finding.Finding;
import dev.muster.store.file.finding.Finding.Severity;
import dev.muster.store.file.finding.Findings;
import dev.muster.store.file.layout.DeletionLog;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.file.log.check.PartitionCheck;
import dev.muster.store.file.log.segment.PartitionKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Checks the groups of a directory: their names, their pages, their views, and that no lines are lost. */
public final class GroupsCheck {
    private static final String VERSION = "version";

    private final Disk disk;
    private final Layout layout;
    private final UUID bootId;
    private final Findings findings;
    private final DeletionLog deletions;

    /** One group's journal, as a partition. */
    public record Journal(String group, Path folder, PartitionKey key, TopicSettings settings) {
        /** The name of the group in findings. */
        public String concerned() {
            return "group " + group;
        }
    }

    public GroupsCheck(Disk disk, Layout layout, UUID bootId, Findings findings) {
        this.disk = disk;
        this.layout = layout;
        this.bootId = bootId;
        this.findings = findings;
        this.deletions = new DeletionLog(disk, layout.deletedGroups());
    }

    /** The groups that exist, whether their files are whole or not. */
    public List<Journal> run() throws IOException {
        if (deletions.invalidLines() > 0) {
            findings.note(layout.deletedGroups(), "", deletions.invalidLines() + " of its lines cannot be read");
        }
        List<Journal> journals = new ArrayList<>();
        for (String name : disk.list(layout.groups()).stream().sorted().toList()) {
            Path folder = layout.groups().resolve(name);
            Optional<GroupFile> group = group(folder, name);
            if (group.isEmpty()
                    || GroupFolders.isDeleted(
                            disk,
                            deletions,
                            folder.resolve(group.get().journal()),
                            group.get().id(),
                            bootId)) {
                continue;
            }
            Path journal = folder.resolve(group.get().journal());
            String known = group.get().name().value();
            checkPage(journal, known);
            journals.add(
                    new Journal(known, folder, PartitionKey.journal(group.get().id(), journal), GroupHandle.SETTINGS));
        }
        return journals;
    }

    private Optional<GroupFile> group(Path folder, String folderName) throws IOException {
        Path file = folder.resolve(GroupFile.FILE);
        try {
            GroupFile group = GroupFile.parse(file, disk.readAll(file));
            if (EscapedName.of(group.name().value()).equals(folderName)) {
                return Optional.of(group);
            }
            findings.damage(file, "", "the group \"" + group.name() + "\" does not belong into this folder");
            return Optional.empty();
        } catch (NoSuchFileException | NotDirectoryException e) {
            return fromFolder(folder, folderName, "group.json is missing");
        } catch (MusterException e) {
            return fromFolder(folder, folderName, e.getMessage());
        }
    }

    /** The name of the folder is that of the group, and the name of its only journal has the group's id. */
    private Optional<GroupFile> fromFolder(Path folder, String folderName, String problem) throws IOException {
        Path file = folder.resolve(GroupFile.FILE);
        List<UUID> ids = new ArrayList<>();
        for (String name : disk.list(folder)) {
            if (name.startsWith(GroupFile.JOURNAL)) {
                id(name.substring(GroupFile.JOURNAL.length())).ifPresent(ids::add);
            }
        }
        Optional<GroupName> name = EscapedName.name(folderName).flatMap(GroupsCheck::name);
        if (ids.isEmpty() && !disk.exists(file)) {
            findings.note(folder, "", "no group is in this folder; it can be deleted");
            return Optional.empty();
        }
        if (ids.size() != 1 || name.isEmpty()) {
            findings.damage(file, "", problem + "; restore it from a backup");
            return Optional.empty();
        }
        // The time of its creation is not known any more.
        GroupFile group = new GroupFile(name.get(), ids.getFirst(), Instant.EPOCH);
        findings.repairable(
                Severity.DAMAGE,
                file,
                "group " + name.get(),
                problem,
                "create it again from the names of its folders, without its time of creation",
                () -> write(file, group));
        return Optional.of(group);
    }

    private static Optional<UUID> id(String text) {
        try {
            return Optional.of(UUID.fromString(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Optional<GroupName> name(String text) {
        try {
            return Optional.of(new GroupName(text));
        } catch (InvalidNameException e) {
            return Optional.empty();
        }
    }

    private void write(Path file, GroupFile group) throws IOException {
        Path draft = layout.drafts().resolve(disk.machine().newId() + ".json");
        try {
            disk.writeDurably(draft, group.toJson());
            disk.rename(draft, file);
        } finally {
            disk.delete(draft);
        }
        disk.syncFolder(file.getParent());
    }

    private void checkPage(Path journal, String group) throws IOException {
        String problem = GroupHandle.problem(disk, journal, bootId);
        if (problem != null) {
            Path file = GroupHandle.pageFile(journal, bootId);
            findings.repairableAtRest(
                    Severity.NOTE,
                    file,
                    "group " + group,
                    problem,
                    "delete it; it is created again",
                    () -> disk.delete(file));
        }
    }

    /**
     * Checks the views of a group.
     *
     * @param end the version that the journal's next line will have
     */
    public void checkViews(Journal journal, long end) throws IOException {
        boolean hasAssignments = disk.exists(journal.folder().resolve("assignments.json"))
                || disk.exists(journal.folder().resolve("timeline.jsonl"));
        if (end == 0 && hasAssignments) {
            findings.add(new Finding(
                    Severity.DAMAGE,
                    journal.key().folder(),
                    -1,
                    journal.concerned(),
                    -1,
                    "the journal has no line, and views of the group show some",
                    PartitionCheck.REBUILT_BY + journal.group()));
        }
        checkView(journal, journal.folder().resolve("assignments.json"), end);
        checkNumber(journal, journal.folder().resolve("generation.txt"));
        checkAll(journal, journal.folder().resolve("members"), end);
        checkAll(journal, journal.folder().resolve("offsets"), end);
    }

    private void checkAll(Journal journal, Path place, long end) throws IOException {
        for (String name : disk.list(place).stream().sorted().toList()) {
            if (name.endsWith(".json") || name.endsWith(".offset")) {
                checkView(journal, place.resolve(name), end);
            } else {
                checkAll(journal, place.resolve(name), end);
            }
        }
    }

    private void checkView(Journal journal, Path file, long end) throws IOException {
        String text = text(file);
        if (text == null) {
            return;
        }
        try {
            Object view = Json.parse(text);
            boolean ahead = view instanceof Map<?, ?> members
                    && members.get(VERSION) instanceof Long version
                    && version >= end
                    && end > 0;
            if (ahead) {
                stale(journal, file, "the view shows a version that the journal does not have");
            }
        } catch (JsonException e) {
            stale(journal, file, "the view is not JSON: " + e.getMessage());
        }
    }

    private void checkNumber(Journal journal, Path file) throws IOException {
        String text = text(file);
        if (text != null && !text.matches("(?s)\\d+\n(.*\n)?")) {
            stale(journal, file, "the view does not begin with a number");
        }
    }

    private void stale(Journal journal, Path file, String problem) {
        findings.repairable(
                Severity.NOTE,
                file,
                journal.concerned(),
                problem,
                "delete it; the next change of the group writes it again",
                () -> disk.delete(file));
    }

    private String text(Path file) throws IOException {
        try {
            return disk.exists(file) ? new String(disk.readAll(file), StandardCharsets.UTF_8) : null;
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** The problem with a line of a journal; null if there is none. */
    public static String problem(byte[] line) {
        if (line == null) {
            return "the line is missing";
        }
        try {
            Json.parse(new String(line, StandardCharsets.UTF_8));
            return null;
        } catch (JsonException e) {
            return "the line is not JSON: " + e.getMessage();
        }
    }
}
