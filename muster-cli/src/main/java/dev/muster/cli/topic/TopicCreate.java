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
import dev.muster.core.TopicSettings;
import dev.muster.store.LogStore;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster topic create}. */
@Command(
        name = "create",
        description = "Create a topic, and the data directory if it does not exist.",
        footer = {"", "Example:", "  muster topic create orders --partitions 12 --set muster.sync=interval"})
@Formats({
    OutputFormat.TABLE,
    OutputFormat.WIDE,
    OutputFormat.JSON,
    OutputFormat.JSONL,
    OutputFormat.CSV,
    OutputFormat.NAME
})
final class TopicCreate implements Callable<Integer> {
    private final RootCommand root;

    @Parameters(paramLabel = "TOPIC", description = "Its name.")
    private String topic;

    @Option(
            names = {"-P", "--partitions"},
            paramLabel = "N",
            description = "How many partitions (default: 1).")
    private int partitions = 1;

    @Mixin
    private final SettingOptions settings = new SettingOptions();

    TopicCreate(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        // All checks come before the directory is created.
        TopicName name = new TopicName(topic);
        TopicSettings wanted = settings.overDefaults();
        if (partitions < 1 || partitions > LogStore.PARTITIONS_MAX) {
            throw CommandException.usage(
                    "--partitions: 1 to " + LogStore.PARTITIONS_MAX + ", it is " + partitions, null);
        }
        try (Opener.Opened opened = root.open(RootCommand.Access.CREATE)) {
            Topic made = opened.muster().topics().create(name.value(), partitions, wanted);
            TopicTable.report(
                    root,
                    made,
                    "topic " + topic + " created: " + Counts.of(partitions, "partition") + ", sync=" + wanted.sync());
        }
        return ExitCode.DONE.code();
    }
}
