package dev.muster.cli.topic;

import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Formats;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.OutputFormat;
import dev.muster.core.MusterException;
import dev.muster.core.TopicName;
import dev.muster.embedded.admin.PartitionInfo;
import dev.muster.embedded.admin.Topics;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster topic trim}. */
@Command(
        name = "trim",
        description = "Make the oldest records of a partition unreadable, for ever.",
        footer = {"", "Example:", "  muster topic trim orders --partition 3 --before 120000"})
@Formats({
    OutputFormat.TABLE,
    OutputFormat.WIDE,
    OutputFormat.JSON,
    OutputFormat.JSONL,
    OutputFormat.CSV,
    OutputFormat.NAME
})
final class TopicTrim implements Callable<Integer> {
    private final RootCommand root;

    @Parameters(paramLabel = "TOPIC", description = "The topic to trim.")
    private String topic;

    @Option(
            names = {"-p", "--partition"},
            required = true,
            paramLabel = "P",
            description = "Its partition.")
    private int partition;

    @Option(
            names = "--before",
            required = true,
            paramLabel = "OFFSET",
            description = "The first offset that stays, or end to keep no record.")
    private String before;

    TopicTrim(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        TopicName name = new TopicName(topic);
        Long offset = before.equals("end") ? null : RootCommand.argument("--before", before, TopicTrim::offset);
        try (Opener.Opened opened = root.open(RootCommand.Access.EXISTING)) {
            Topics topics = opened.muster().topics();
            PartitionInfo was = topics.partition(name.value(), partition);
            topics.trim(name.value(), partition, offset == null ? was.endOffset() : offset);
            PartitionInfo is = topics.partition(name.value(), partition);
            if (root.outputGiven()) {
                root.session().print(TopicTable.ofPartitions(List.of(is)).render(root.output(), root.colorful()));
            } else {
                root.note("partition " + partition + " of topic " + topic + " starts at " + is.startOffset()
                        + ", before " + was.startOffset());
            }
        }
        return ExitCode.DONE.code();
    }

    private static Long offset(String text) {
        try {
            long offset = Long.parseLong(text);
            if (offset >= 0) {
                return offset;
            }
        } catch (NumberFormatException e) {
            // The exception below says it, for all invalid texts.
        }
        throw new MusterException("\"" + text + "\" is not an offset", "a whole number, 0 or more, or end");
    }
}
