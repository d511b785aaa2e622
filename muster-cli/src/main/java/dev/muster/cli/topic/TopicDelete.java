package dev.muster.cli.topic;

import dev.muster.cli.command.Confirmation;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.core.Counts;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.embedded.admin.PartitionInfo;
import dev.muster.embedded.admin.Topics;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster topic delete}. Asks on a terminal; needs {@code --yes} without one. */
@Command(
        name = "delete",
        description = "Delete a topic with all its records.",
        footer = {"", "Example:", "  muster topic delete orders --yes"})
final class TopicDelete implements Callable<Integer> {
    private final RootCommand root;

    @Parameters(paramLabel = "TOPIC", description = "The topic to delete.")
    private String topic;

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask.")
    private boolean yes;

    TopicDelete(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() throws IOException {
        TopicName name = new TopicName(topic);
        try (Opener.Opened opened = root.open(RootCommand.Access.EXISTING)) {
            Topics topics = opened.muster().topics();
            Topic doomed = topics.describe(name.value());
            confirm(topics);
            topics.delete(name.value());
            TopicTable.report(root, doomed, "topic " + topic + " deleted");
        }
        return ExitCode.DONE.code();
    }

    private void confirm(Topics topics) throws IOException {
        Confirmation.of(root, yes)
                .orRefuse(
                        "deleting topic \"" + topic + "\"",
                        () -> "delete topic " + topic + " with " + Counts.of(records(topics), "record") + "?",
                        "muster topic delete " + topic + " --yes");
    }

    private long records(Topics topics) {
        return topics.partitions(topic).stream()
                .mapToLong(PartitionInfo::records)
                .sum();
    }
}
