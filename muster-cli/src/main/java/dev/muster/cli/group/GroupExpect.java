package dev.muster.cli.group;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.DurationParser;
import dev.muster.cli.text.Spans;
import dev.muster.core.Counts;
import dev.muster.core.group.Group;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.GroupName;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster group expect}. */
@Command(
        name = "expect",
        description = {
            "Let an empty group wait for N members before it assigns partitions.",
            "It begins earlier if the first member has waited for the time of --within, or after 'group complete'.",
            "Once it has formed, members come and go as usual. 0 ends the waiting."
        },
        footer = {
            "",
            "Examples:",
            "  muster group expect billing 5",
            "  muster group expect billing 5 --within 30s",
            "  muster group expect billing 0"
        })
final class GroupExpect implements Callable<Integer> {
    private final RootCommand root;

    @Parameters(index = "0", paramLabel = "GROUP", description = "The group; it need not exist yet.")
    private String name;

    @Parameters(index = "1", paramLabel = "N", description = "How many members; 0: as many as come.")
    private int members;

    @Option(
            names = "--within",
            paramLabel = "TIME",
            description = "Start with the present members after this time (default: 10s).")
    private String within;

    GroupExpect(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        new GroupName(name);
        if (members < 0) {
            throw CommandException.usage(
                    "a group cannot have " + members + " members", "muster group expect " + name + " 0 ends it");
        }
        Duration time =
                within == null ? Expectation.WITHIN : RootCommand.argument("--within", within, DurationParser::parse);
        if (!time.isPositive()) {
            throw CommandException.usage("--within must be more than 0", "--within 10s");
        }
        try (Opener.Opened opened = root.open(RootCommand.Access.EXISTING)) {
            opened.groups().expect(name, members, time);
            root.note(outcome(opened.groups().state(name).orElseGet(Group::empty), time));
        }
        return ExitCode.DONE.code();
    }

    private String outcome(Group group, Duration time) {
        if (members == 0) {
            return "group " + name + " waits for no members";
        }
        String what =
                "group " + name + " waits for " + Counts.of(members, "member") + ", " + Spans.show(time) + " at most";
        boolean atWork = !group.members().isEmpty() && group.forming().isEmpty();
        return atWork ? what + ", when it next starts without members; now it has members" : what;
    }
}
