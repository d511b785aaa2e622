package dev.muster.cli.topic;

import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Formats;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.OutputFormat;
import dev.muster.cli.text.Table;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code muster topic list}. */
@Command(
        name = "list",
        description = "Show the topics, by name.",
        footer = {"", "Examples:", "  muster topic list -o wide", "  muster topic list -o name"})
@Formats({
    OutputFormat.TABLE,
    OutputFormat.WIDE,
    OutputFormat.JSON,
    OutputFormat.JSONL,
    OutputFormat.CSV,
    OutputFormat.NAME
})
final class TopicList implements Callable<Integer> {
    private final RootCommand root;

    TopicList(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        try (Opener.Opened opened = root.open(RootCommand.Access.EXISTING)) {
            Table table = TopicTable.of(opened.muster().topics().list());
            if (table.isEmpty() && !root.outputGiven()) {
                root.note("there is no topic yet");
            } else {
                root.session().print(table.render(root.output(), root.colorful()));
            }
        }
        return ExitCode.DONE.code();
    }
}
