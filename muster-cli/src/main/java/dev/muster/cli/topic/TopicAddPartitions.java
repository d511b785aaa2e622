package dev.muster.cli.topic;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Formats;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.OutputFormat;
import dev.muster.core.Counts;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.store.LogStore;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster topic add-partitions}. */
@Command(
        name = "add-partitions",
        description = "Raise the number of partitions. Records of a key may go to another partition from then on.",
        footer = {"", "Example:", "  muster topic add-partitions orders --partitions 24"})
@Formats({
    OutputFormat.TABLE,
    OutputFormat.WIDE,
    OutputFormat.JSON,
    OutputFormat.JSONL,
    OutputFormat.CSV,
    OutputFormat.NAME
})
final class TopicAddPartitions implements Callable<Integer> {
    private final RootCommand root;

    @Parameters(paramLabel = "TOPIC", description = "The topic to change.")
    private String topic;

    @Option(
            names = {"-P", "--partitions"},
            required = true,
            paramLabel = "N",
            description = "The new number of partitions.")
    private int partitions;

    TopicAddPartitions(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        TopicName name = new TopicName(topic);
        if (partitions < 1 || partitions > LogStore.PARTITIONS_MAX) {
            throw CommandException.usage(
                    "--partitions: 1 to " + LogStore.PARTITIONS_MAX + ", it is " + partitions, null);
        }
        try (Opener.Opened opened = root.open(RootCommand.Access.EXISTING)) {
            int before = opened.muster().topics().describe(name.value()).partitions();
            if (partitions < before) {
                throw new CommandException(
                        ExitCode.REFUSED,
                        "topic \"" + name + "\" has " + Counts.of(before, "partition")
                                + "; the number cannot become smaller",
                        "create a new topic and copy the records");
            }
            Topic changed = opened.muster().topics().addPartitions(name.value(), partitions);
            TopicTable.report(
                    root,
                    changed,
                    "topic " + topic + " has " + Counts.of(changed.partitions(), "partition") + ", before " + before);
        }
        return ExitCode.DONE.code();
    }
}
