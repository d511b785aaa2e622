package dev.muster.store.file.topic;

import dev.muster.core.InvalidNameException;
import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.disk.Disk;
import dev.muster.store.StoreIoException;
import dev.muster.store.file.finding.Finding.Severity;
import dev.muster.store.file.finding.Findings;
import dev.muster.store.file.layout.Layout;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Checks the topics of a directory without their records: names, copies, deletions, pages. */
public final class TopicsCheck {
    private final Disk disk;
    private final Layout layout;
    private final UUID bootId;
    private final Findings findings;
    private final DeletedTopics deletions;
    private final TopicCopies copies;
    private final TopicNames names;
    private final Map<TopicId, Topic> found = new HashMap<>();

    public TopicsCheck(Disk disk, Layout layout, UUID bootId, Findings findings) {
        this.disk = disk;
        this.layout = layout;
        this.bootId = bootId;
        this.findings = findings;
        this.deletions = new DeletedTopics(disk, layout.deletedTopics());
        this.copies = new TopicCopies(disk, layout, deletions::has);
        this.names = new TopicNames(disk, layout, deletions, DeletionMarks.NONE, true);
    }

    /** The topics that exist, by name, including those with damaged files. */
    public List<Topic> run() throws IOException {
        if (deletions.invalidLines() > 0) {
            findings.note(
                    layout.deletedTopics(),
                    "",
                    deletions.invalidLines() + " of its lines cannot be read; topics that were deleted by them count as"
                            + " missing");
        }
        for (String name : disk.list(layout.topics()).stream().sorted().toList()) {
            try {
                checkNamed(new TopicName(name));
            } catch (InvalidNameException e) {
                findings.damage(layout.topics().resolve(name), "", "not a topic: " + e.getMessage());
            }
        }
        for (TopicId id : TopicCopies.ids(disk, layout).stream()
                .sorted(Comparator.comparing(TopicId::toString))
                .toList()) {
            if (!found.containsKey(id)) {
                checkUnnamed(id);
            }
        }
        List<Topic> topics = new ArrayList<>(found.values());
        topics.sort(Comparator.comparing(Topic::name));
        for (Topic topic : topics) {
            checkPage(topic);
        }
        return topics.stream()
                .filter(topic -> disk.exists(layout.log(topic.id())))
                .toList();
    }

    private static String concerned(TopicName name) {
        return "topic " + name;
    }

    private void checkNamed(TopicName name) throws IOException {
        Path file = layout.topicJson(name);
        Topic named;
        try {
            named = TopicFile.parse(file, disk.readAll(file));
        } catch (NoSuchFileException | NotDirectoryException e) {
            noName(name, "topic.json is missing", disk.list(layout.topic(name)).isEmpty());
            return;
        } catch (StoreIoException e) {
            noName(name, e.getMessage(), false);
            return;
        }
        if (deletions.has(named.id())) {
            findings.note(file, concerned(name), "the topic was deleted; the next upkeep deletes its name");
            return;
        }
        if (!named.name().equals(name)) {
            findings.note(file, concerned(name), "the file says that the name is \"" + named.name() + "\"");
        }
        Topic topic = names.find(name).orElse(named);
        found.put(topic.id(), topic);
        if (disk.exists(layout.log(topic.id()))) {
            checkCopy(topic);
        } else {
            findings.damage(layout.log(topic.id()), concerned(name), "the folder with the records is missing");
        }
    }

    private void noName(TopicName name, String problem, boolean empty) throws IOException {
        Path file = layout.topicJson(name);
        Optional<Topic> copy = copies.find(name);
        if (copy.isPresent()) {
            Topic topic = names.find(name).orElse(copy.get());
            found.put(topic.id(), topic);
            restorable(topic, problem);
        } else if (empty && unnamedRecords().isEmpty()) {
            findings.repairableAtRest(
                    Severity.NOTE,
                    layout.topic(name),
                    concerned(name),
                    "an empty folder, no topic",
                    "delete it",
                    () -> disk.delete(layout.topic(name)));
        } else {
            findings.damage(file, concerned(name), problem + ", and there is no copy of it; restore it from a backup");
        }
    }

    private void restorable(Topic topic, String problem) {
        findings.repairable(
                Severity.DAMAGE,
                layout.topicJson(topic.name()),
                concerned(topic.name()),
                problem,
                "restore it from " + layout.root().relativize(layout.topicCopy(topic.id())),
                () -> names.writeName(topic));
    }

    private void checkCopy(Topic topic) throws IOException {
        Path file = layout.topicCopy(topic.id());
        String problem;
        try {
            Topic copy = TopicFile.parse(file, disk.readAll(file));
            boolean same = TopicFile.toJson(copy).equals(TopicFile.toJson(names.inFile(topic)));
            problem = same ? null : "the copy differs from topics/" + topic.name() + "/topic.json";
        } catch (NoSuchFileException e) {
            problem = "there is no copy of topic.json; a directory of an earlier version has none";
        } catch (StoreIoException e) {
            problem = e.getMessage();
        }
        if (problem != null) {
            findings.repairable(
                    Severity.NOTE,
                    file,
                    concerned(topic.name()),
                    problem,
                    "copy topics/" + topic.name() + "/topic.json",
                    () -> copies.write(topic));
        }
    }

    /** Checks a folder with records whose topic has no name in {@code topics/}. */
    private void checkUnnamed(TopicId id) throws IOException {
        Path folder = layout.log(id);
        if (deletions.has(id)) {
            findings.note(
                    folder,
                    "",
                    deletions.isBuried(id)
                            ? "restored files of a deleted topic; to use the topic again, remove its lines from "
                                    + layout.deletedTopics()
                            : "records of a deleted topic; the next upkeep deletes them");
            return;
        }
        Optional<Topic> copy = copies.read(id);
        if (copy.isPresent()
                && found.values().stream()
                        .noneMatch(named -> named.name().equals(copy.get().name()))) {
            Topic topic = names.find(copy.get().name()).orElse(copy.get());
            found.put(topic.id(), topic);
            // A topic that was created after the names were listed has its file.
            if (!disk.exists(layout.topicJson(topic.name()))) {
                restorable(topic, "topic.json is missing");
            }
        } else if (copy.isPresent()) {
            findings.damage(
                    folder,
                    concerned(copy.get().name()),
                    "records of a topic whose name belongs to another topic; move the folder away if it is not needed");
        } else if (hasSegments(id)) {
            findings.damage(
                    folder, "", "records of an unknown topic: its topic.json and the copy are missing or damaged");
        } else {
            findings.note(folder, "", "a topic that was never made to its end; the folder can be deleted");
        }
    }

    private List<TopicId> unnamedRecords() throws IOException {
        List<TopicId> unnamed = new ArrayList<>();
        for (TopicId id : TopicCopies.ids(disk, layout)) {
            boolean known = names.list().stream().anyMatch(topic -> topic.id().equals(id));
            if (!known && !deletions.has(id) && hasSegments(id)) {
                unnamed.add(id);
            }
        }
        return unnamed;
    }

    private boolean hasSegments(TopicId id) throws IOException {
        return TopicCatalog.hasSegments(disk, layout.log(id));
    }

    private void checkPage(Topic topic) throws IOException {
        Path file = layout.topicPage(topic.id(), bootId);
        String problem = TopicHandle.problem(disk, file, topic.partitions());
        if (problem != null) {
            findings.repairableAtRest(
                    Severity.NOTE,
                    file,
                    concerned(topic.name()),
                    problem,
                    "delete it; it is created again",
                    () -> disk.delete(file));
        }
    }
}
