package dev.muster.store.file.layout;

import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import java.nio.file.Path;
import java.util.UUID;

/** The paths of the files and folders in the directory. */
public record Layout(Path root) {
    public static final String PARTITION = "partition-";
    public static final String MUSTER_JSON = "muster.json";
    public static final String TOPIC_JSON = "topic.json";

    public Path musterJson() {
        return root.resolve(MUSTER_JSON);
    }

    /** The copy of {@code muster.json} that a repair uses. */
    public Path musterJsonCopy() {
        return coordinator().resolve(MUSTER_JSON);
    }

    public Path topics() {
        return root.resolve("topics");
    }

    /** The folder of a topic. The checked name cannot lead out of the parent folder. */
    public Path topic(TopicName name) {
        return topics().resolve(name.value());
    }

    public Path topicJson(TopicName name) {
        return topic(name).resolve(TOPIC_JSON);
    }

    public Path logs() {
        return root.resolve("logs");
    }

    public Path log(TopicId topic) {
        return logs().resolve(topic.toString());
    }

    /** The copy of a topic's {@code topic.json} beside its records. */
    public Path topicCopy(TopicId topic) {
        return log(topic).resolve(TOPIC_JSON);
    }

    public Path partition(TopicId topic, int partition) {
        return log(topic).resolve(PARTITION + partition);
    }

    public Path topicPage(TopicId topic, UUID bootId) {
        return log(topic).resolve("control-" + bootId);
    }

    /** The folder with one folder per group. {@code dev.muster.store.file.group} owns the content of these. */
    public Path groups() {
        return root.resolve("consumer-groups");
    }

    public Path trash() {
        return root.resolve(".trash");
    }

    public Path coordinator() {
        return root.resolve(".coordinator");
    }

    public Path hosts() {
        return coordinator().resolve("hosts");
    }

    public Path drafts() {
        return coordinator().resolve("drafts");
    }

    public Path wakePage(UUID bootId) {
        return coordinator().resolve("wake-" + bootId);
    }

    public Path housekeepingPage(UUID bootId) {
        return coordinator().resolve("housekeeping-" + bootId);
    }

    public Path leaderLock() {
        return coordinator().resolve("leader.lock");
    }

    public Path groupsLock() {
        return coordinator().resolve("groups.lock");
    }

    public Path topicsLock() {
        return coordinator().resolve("topics.lock");
    }

    /** The file that the process with the role keeps locked. */
    public Path role(String name) {
        return coordinator().resolve(name + ".role");
    }

    public Path deletedTopics() {
        return coordinator().resolve("deleted-topics.jsonl");
    }

    /** The file with a line for each deleted group. */
    public Path deletedGroups() {
        return coordinator().resolve("deleted-groups.jsonl");
    }

    /** The folder with files that are deleted when the disk is full. */
    public Path reserve() {
        return coordinator().resolve("reserve");
    }

    /** The settings of the directory, which all processes use. */
    public Path settings() {
        return root.resolve("settings.json");
    }

    public Path producerIds() {
        return coordinator().resolve("producer-ids");
    }
}
