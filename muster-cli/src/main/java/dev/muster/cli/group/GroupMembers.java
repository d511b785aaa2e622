package dev.muster.cli.group;

import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Formats;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.OutputFormat;
import dev.muster.cli.text.Table;
import dev.muster.core.group.Group;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code muster group members}. */
@Command(
        name = "members",
        description = "Show the members of a group, the partitions of each, and those it has to release.",
        footer = {"", "Example:", "  muster group members billing -o wide"})
@Formats({
    OutputFormat.TABLE,
    OutputFormat.WIDE,
    OutputFormat.JSON,
    OutputFormat.JSONL,
    OutputFormat.CSV,
    OutputFormat.NAME
})
final class GroupMembers implements Callable<Integer> {
    private final RootCommand root;

    @Parameters(paramLabel = "GROUP", description = "The group to show.")
    private String name;

    GroupMembers(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        try (Opener.Opened opened = root.open(RootCommand.Access.EXISTING)) {
            Group group = GroupLookup.group(opened.groups(), name);
            Table table = GroupTables.members(
                    name,
                    group,
                    opened.groups().dead(name),
                    root.session().clock().getZone());
            if (table.isEmpty() && !root.outputGiven()) {
                root.note("group " + name + " has no members");
            } else {
                root.session().print(table.render(root.output(), root.colorful()));
            }
        }
        return ExitCode.DONE.code();
    }
}
