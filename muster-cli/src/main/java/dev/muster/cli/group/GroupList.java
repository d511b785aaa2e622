package dev.muster.cli.group;

import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Formats;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.OutputFormat;
import dev.muster.cli.text.Table;
import dev.muster.core.group.Group;
import dev.muster.embedded.admin.GroupRefusedException;
import dev.muster.embedded.admin.Groups;
import dev.muster.embedded.internal.GroupInspection;
import dev.muster.store.group.DamagedGroupException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code muster group list}. */
@Command(
        name = "list",
        description = "Show the groups: state, members, and how far they are behind.",
        footer = {"", "Examples:", "  muster group list -o wide", "  muster group list -o name"})
@Formats({
    OutputFormat.TABLE,
    OutputFormat.WIDE,
    OutputFormat.JSON,
    OutputFormat.JSONL,
    OutputFormat.CSV,
    OutputFormat.NAME
})
final class GroupList implements Callable<Integer> {
    private final RootCommand root;

    GroupList(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        try (Opener.Opened opened = root.open(RootCommand.Access.EXISTING)) {
            GroupInspection groups = opened.groups();
            Table table = GroupTables.groups();
            for (String name : groups.list()) {
                try {
                    groups.state(name)
                            .filter(group -> !group.deleted())
                            .ifPresent(group -> row(table, name, group, groups));
                } catch (DamagedGroupException e) {
                    GroupTables.damagedRow(table, name);
                    root.note(e.getMessage());
                    root.note("to see what can be rebuilt: muster group repair " + name);
                }
            }
            if (table.isEmpty() && !root.outputGiven()) {
                root.note("there is no group yet");
            } else {
                root.session().print(table.render(root.output(), root.colorful()));
            }
        }
        return ExitCode.DONE.code();
    }

    private static void row(Table table, String name, Group group, GroupInspection groups) {
        List<Groups.Lag> lags;
        try {
            lags = groups.lag(name);
        } catch (GroupRefusedException e) {
            // The group was deleted in between, so it has no row.
            return;
        }
        GroupTables.row(table, name, group, groups.dead(name), lags);
    }
}
