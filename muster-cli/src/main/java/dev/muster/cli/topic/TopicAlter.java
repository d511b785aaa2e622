package dev.muster.cli.topic;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Formats;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.OutputFormat;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code muster topic alter}. */
@Command(
        name = "alter",
        description = "Change settings of a topic; the others stay.",
        footer = {"", "Example:", "  muster topic alter orders --set retention.ms=-1"})
@Formats({
    OutputFormat.TABLE,
    OutputFormat.WIDE,
    OutputFormat.JSON,
    OutputFormat.JSONL,
    OutputFormat.CSV,
    OutputFormat.NAME
})
final class TopicAlter implements Callable<Integer> {
    private final RootCommand root;

    @Parameters(paramLabel = "TOPIC", description = "The topic to change.")
    private String topic;

    @Mixin
    private final SettingOptions settings = new SettingOptions();

    TopicAlter(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        TopicName name = new TopicName(topic);
        Map<String, String> changes = settings.map();
        settings.overDefaults();
        if (changes.isEmpty()) {
            throw CommandException.usage("nothing to change", "muster topic alter " + topic + " --set KEY=VALUE");
        }
        try (Opener.Opened opened = root.open(RootCommand.Access.EXISTING)) {
            Topic altered = opened.muster().topics().alter(name.value(), changes);
            TopicTable.report(root, altered, "topic " + topic + " changed: " + changes);
        }
        return ExitCode.DONE.code();
    }
}
