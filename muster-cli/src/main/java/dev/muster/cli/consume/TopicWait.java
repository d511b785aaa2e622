package dev.muster.cli.consume;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.command.TimeLimit;
import java.util.List;

/**
 * Waits until all topics of a list exist. Looks ten times a second, because there is no notification about a new
 * directory.
 */
final class TopicWait {
    private static final long LOOK_EVERY_NANOS = 100_000_000L;

    private final RootCommand root;
    private final List<String> topics;
    private final TimeLimit limit;

    TopicWait(RootCommand root, List<String> topics, TimeLimit limit) {
        this.root = root;
        this.topics = topics;
        this.limit = limit;
    }

    /** The open directory with all topics in it; null if the stop signal came first. */
    Opener.Opened open() {
        Opener.Opened opened = null;
        boolean complete = false;
        try {
            for (boolean first = true; !root.session().stop().isRaised(); first = false) {
                opened = opened == null ? directory() : opened;
                complete = opened != null && isComplete(opened);
                if (complete) {
                    return opened;
                }
                if (limit.isPassed()) {
                    throw limit.passed("not all topics were created", null);
                }
                if (first) {
                    root.note("waiting for " + String.join(", ", topics) + " in " + root.data());
                }
                root.session().stop().await(LOOK_EVERY_NANOS);
            }
            return null;
        } finally {
            if (!complete && opened != null) {
                opened.close();
            }
        }
    }

    /** Null if the directory does not exist. */
    private Opener.Opened directory() {
        try {
            return root.open(RootCommand.Access.EXISTING);
        } catch (CommandException e) {
            if (e.exitCode() == ExitCode.NOT_FOUND) {
                return null;
            }
            throw e;
        }
    }

    private boolean isComplete(Opener.Opened opened) {
        return topics.stream()
                .allMatch(topic -> opened.muster().topics().find(topic).isPresent());
    }
}
