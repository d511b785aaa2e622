package dev.muster.cli.group;

import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Formats;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.Moments;
import dev.muster.cli.text.OutputFormat;
import dev.muster.core.json.Json;
import dev.muster.embedded.internal.GroupInspection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster group watch}. */
@Command(
        name = "watch",
        description = "Follow a group: a line for each change, as it happens, until interrupted.",
        footer = {"", "Examples:", "  muster group watch billing", "  muster group watch billing --commits -o jsonl"})
@Formats({OutputFormat.JSON, OutputFormat.JSONL})
final class GroupWatchCommand implements Callable<Integer> {
    /** The longest delay of the stop signal. */
    private static final Duration LOOK_UP = Duration.ofMillis(200);

    private final RootCommand root;

    @Parameters(paramLabel = "GROUP", description = "The group to follow.")
    private String name;

    @Option(names = "--commits", description = "Also a line for each commit.")
    private boolean commits;

    @Option(
            names = {"-n", "--count"},
            paramLabel = "N",
            description = "End after N changes.")
    private long remaining = Long.MAX_VALUE;

    GroupWatchCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        try (Opener.Opened opened = root.open(RootCommand.Access.EXISTING)) {
            GroupInspection groups = opened.groups();
            GroupLookup.group(groups, name);
            return follow(groups);
        }
    }

    private int follow(GroupInspection groups) {
        Duration timeout = root.timeout();
        long deadlineNanos = System.nanoTime() + (timeout == null ? Duration.ofDays(365) : timeout).toNanos();
        GroupInspection.Snapshot seen = groups.snapshot(name);
        GroupChanges changes = new GroupChanges(seen.group(), commits);
        root.note("group " + name + ", generation " + seen.group().generation() + ", "
                + GroupPhase.of(seen.group(), groups.dead(name)) + ": watching");
        while (remaining > 0 && !seen.group().deleted()) {
            if (root.session().stop().isRaised()) {
                return ExitCode.INTERRUPTED.code();
            }
            if (System.nanoTime() >= deadlineNanos) {
                return ExitCode.TIMED_OUT.code();
            }
            seen = groups.awaitSnapshot(name, seen.version(), LOOK_UP);
            if (seen.version() == 0 && groups.state(name).isEmpty()) {
                // The group was deleted before the next look.
                root.note("the group was deleted");
                break;
            }
            long now = root.session().clock().millis();
            print(changes.since(seen.group(), now));
            print(changes.died(seen.group(), groups.dead(name), now));
        }
        return ExitCode.DONE.code();
    }

    private void print(List<GroupChanges.Change> changes) {
        StringBuilder lines = new StringBuilder();
        var zone = root.session().clock().getZone();
        for (GroupChanges.Change change : changes) {
            if (remaining-- > 0) {
                lines.append(
                                root.outputGiven()
                                        ? Json.write(change.object())
                                        : Moments.showTime(change.at(), zone) + "  " + change.text())
                        .append('\n');
            }
        }
        if (!lines.isEmpty()) {
            root.session().print(lines.toString());
        }
    }
}
