package dev.muster.cli.consume;

import dev.muster.cli.CommandException;
import dev.muster.cli.ExitCode;
import dev.muster.cli.Opener;
import dev.muster.cli.RootCommand;
import java.time.Duration;
import java.util.List;

/** Waits until all topics of a list are there. Looks ten times a second: nothing tells when a directory appears. */
final class TopicWait {
    private static final long LOOK_EVERY_NANOS = 100_000_000L;

    private final RootCommand root;
    private final List<String> topics;

    TopicWait(RootCommand root, List<String> topics) {
        this.root = root;
        this.topics = topics;
    }

    /** The open directory with all topics in it; null when the stop signal came first. */
    Opener.Opened open() {
        Duration timeout = root.timeout();
        long startNanos = System.nanoTime();
        boolean told = false;
        while (!root.session().stop().isRaised()) {
            Opener.Opened opened = look();
            if (opened != null) {
                return opened;
            }
            if (timeout != null && System.nanoTime() - startNanos > timeout.toNanos()) {
                throw new CommandException(ExitCode.TIMED_OUT, "no topic came within " + timeout.toMillis() + " ms", null);
            }
            if (!told) {
                root.note("waiting for " + String.join(", ", topics) + " in " + root.data());
                told = true;
            }
            root.session().stop().await(LOOK_EVERY_NANOS);
        }
        return null;
    }

    private Opener.Opened look() {
        Opener.Opened opened;
        try {
            opened = root.open(RootCommand.Access.EXISTING);
        } catch (CommandException e) {
            if (e.exitCode() == ExitCode.NOT_FOUND) {
                return null;
            }
            throw e;
        }
        boolean complete = false;
        try {
            complete = topics.stream().allMatch(t -> opened.muster().topics().find(t).isPresent());
            return complete ? opened : null;
        } finally {
            if (!complete) {
                opened.close();
            }
        }
    }
}
