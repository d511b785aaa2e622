package dev.muster.cli.topic;

import dev.muster.cli.CommandException;
import dev.muster.cli.ExitCode;
import dev.muster.cli.Opener;
import dev.muster.cli.RootCommand;
import dev.muster.cli.Session;
import dev.muster.cli.text.Lines;
import dev.muster.core.TopicName;
import dev.muster.embedded.PartitionInfo;
import dev.muster.embedded.Topics;
import dev.muster.store.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster topic delete}. Asks a person; needs {@code --yes} where there is none. */
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
        if (yes) {
            return;
        }
        if (!root.mayAsk()) {
            throw new CommandException(
                    ExitCode.REFUSED,
                    "deleting topic \"" + topic + "\" needs a yes, and there is no terminal to ask at",
                    "muster topic delete " + topic + " --yes");
        }
        long records = topics.partitions(topic).stream()
                .mapToLong(PartitionInfo::records)
                .sum();
        if (!answeredYes(root.session(), "delete topic " + topic + " with " + records + " records? [y/N] ")) {
            throw new CommandException(ExitCode.REFUSED, "topic \"" + topic + "\" was not deleted", null);
        }
    }

    private static boolean answeredYes(Session session, String question) throws IOException {
        session.err().write(question.getBytes(StandardCharsets.UTF_8));
        session.err().flush();
        Lines lines = new Lines(session.in(), 1 << 10);
        if (!lines.next()) {
            return false;
        }
        String answer = new String(lines.buffer(), lines.from(), lines.to() - lines.from(), StandardCharsets.UTF_8);
        return answer.strip().toLowerCase(Locale.ROOT).startsWith("y");
    }
}
