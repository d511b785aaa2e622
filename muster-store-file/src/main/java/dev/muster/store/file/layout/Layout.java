package dev.muster.store.file.layout;

import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import java.nio.file.Path;
import java.util.UUID;

/** Where things lie in the directory. */
public record Layout(Path root) {
    public static final String PARTITION = "partition-";
    public static final String MUSTER_JSON = "muster.json";
    public static final String TOPIC_JSON = "topic.json";

    public Path musterJson() {
        return root.resolve(MUSTER_JSON);
    }

    /** The copy of {@code muster.json} that a repair takes. */
    public Path musterJsonCopy() {
        return coordinator().resolve(MUSTER_JSON);
    }

    public Path topics() {
        return root.resolve("topics");
    }

    /** A checked name cannot leave the folder. */
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

    /** One folder per group; what is in it belongs to {@code dev.muster.store.file.group}. */
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

    /** Locked by whoever has the role. */
    public Path role(String name) {
        return coordinator().resolve(name + ".role");
    }

    public Path deletedTopics() {
        return coordinator().resolve("deleted-topics.jsonl");
    }

    /** A line per deleted group. */
    public Path deletedGroups() {
        return coordinator().resolve("deleted-groups.jsonl");
    }

    /** Blocks that are given back to the file system when it is full. */
    public Path reserve() {
        return coordinator().resolve("reserve");
    }

    /** Settings of the directory that all processes follow. */
    public Path settings() {
        return root.resolve("settings.json");
    }

    public Path producerIds() {
        return coordinator().resolve("producer-ids");
    }
}
