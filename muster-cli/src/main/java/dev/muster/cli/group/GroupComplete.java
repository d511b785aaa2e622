package dev.muster.cli.group;

import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.core.Counts;
import dev.muster.core.group.Group;
import dev.muster.embedded.internal.GroupInspection;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code muster group complete}. */
@Command(
        name = "complete",
        description = "Let a group that waits for members start now, with its present members.",
        footer = {"", "Example:", "  muster group complete billing"})
final class GroupComplete implements Callable<Integer> {
    private final RootCommand root;

    @Parameters(paramLabel = "GROUP", description = "The group.")
    private String name;

    GroupComplete(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        try (Opener.Opened opened = root.open(RootCommand.Access.EXISTING)) {
            GroupInspection groups = opened.groups();
            Group before = GroupLookup.group(groups, name);
            groups.complete(name, Names.user());
            int members = before.members().size();
            root.note("group " + name + " begins with " + Counts.of(members, "member"));
        }
        return ExitCode.DONE.code();
    }
}
