package dev.muster.cli.produce;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.RootCommand;
import dev.muster.core.Counts;
import dev.muster.core.SyncLevel;
import dev.muster.core.Topic;
import dev.muster.embedded.admin.TopicSpec;
import dev.muster.embedded.admin.Topics;
import dev.muster.store.LogStore;
import picocli.CommandLine.Option;

/** The options of {@code produce} for the topic that it creates, or expects to find. */
final class TopicOptions {
    @Option(names = "--partitions", paramLabel = "N", description = "Partitions of a new topic (default: 1).")
    private Integer partitions;

    @Option(
            names = "--sync",
            paramLabel = "LEVEL",
            description = "The durability of acknowledged records in a new topic: commit, interval or os.")
    private String sync;

    private SyncLevel level;

    /** Checks all that can be checked without a topic. */
    void validate() {
        level = RootCommand.argument("--sync", sync, SyncLevel::parse);
        if (partitions != null && (partitions < 1 || partitions > LogStore.PARTITIONS_MAX)) {
            throw CommandException.usage(
                    "--partitions: 1 to " + LogStore.PARTITIONS_MAX + ", it is " + partitions, null);
        }
    }

    /**
     * The topic, created if it is missing. An existing topic that differs from the options is an error, and is not
     * changed.
     */
    Topic find(Topics topics, String name) {
        Topic topic = topics.find(name).orElseGet(() -> topics.ensure(name, this::described));
        if (level != null && topic.settings().sync() != level) {
            throw new CommandException(
                    ExitCode.REFUSED,
                    "topic \"" + name + "\" is there with sync="
                            + topic.settings().sync() + ", not " + level,
                    "leave --sync away, or change the topic: muster topic alter " + name + " --set muster.sync="
                            + level);
        }
        if (partitions != null && topic.partitions() != partitions) {
            throw new CommandException(
                    ExitCode.REFUSED,
                    "topic \"" + name + "\" is there with " + Counts.of(topic.partitions(), "partition") + ", not "
                            + partitions,
                    "leave --partitions away, or see muster topic add-partitions");
        }
        return topic;
    }

    private TopicSpec described(TopicSpec spec) {
        TopicSpec counted = partitions == null ? spec : spec.partitions(partitions);
        return level == null ? counted : counted.sync(level);
    }
}
