package dev.muster.cli.produce;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.RootCommand;
import dev.muster.core.Counts;
import dev.muster.core.SyncLevel;
import dev.muster.embedded.TopicSpec;
import dev.muster.embedded.Topics;
import dev.muster.store.LogStore;
import dev.muster.store.Topic;
import picocli.CommandLine.Option;

/** The options of {@code produce} that describe the topic it makes, or expects to find. */
final class TopicOptions {
    @Option(names = "--partitions", paramLabel = "N", description = "Partitions of a topic that is made (default: 1).")
    private Integer partitions;

    @Option(
            names = "--sync",
            paramLabel = "LEVEL",
            description = "What acknowledged means for a topic that is made: commit, interval or os.")
    private String sync;

    private SyncLevel level;

    /** Everything that can be wrong without looking at a topic. */
    void validate() {
        level = RootCommand.argument("--sync", sync, SyncLevel::parse);
        if (partitions != null && (partitions < 1 || partitions > LogStore.PARTITIONS_MAX)) {
            throw CommandException.usage(
                    "--partitions: 1 to " + LogStore.PARTITIONS_MAX + ", it is " + partitions, null);
        }
    }

    /** The topic, made when it is missing. One that is there and differs from what was asked for is not touched. */
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
