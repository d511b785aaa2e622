package dev.muster.cli.group;

import dev.muster.cli.command.Confirmation;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.core.Counts;
import dev.muster.core.group.Group;
import dev.muster.embedded.internal.GroupInspection;
import dev.muster.store.group.DamagedGroupException;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster group delete}. Asks on a terminal; needs {@code --yes} without one. */
@Command(
        name = "delete",
        description = "Delete a group with its committed offsets; refused while it has members.",
        footer = {"", "Example:", "  muster group delete billing --yes"})
final class GroupDelete implements Callable<Integer> {
    private final RootCommand root;

    @Parameters(paramLabel = "GROUP", description = "The group to delete.")
    private String name;

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask.")
    private boolean yes;

    GroupDelete(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() throws IOException {
        try (Opener.Opened opened = root.open(RootCommand.Access.EXISTING)) {
            GroupInspection groups = opened.groups();
            String question = question(groups);
            Confirmation.of(root, yes)
                    .orRefuse(
                            "deleting group \"" + name + "\"",
                            () -> question,
                            "muster group delete " + name + " --yes");
            groups.delete(name);
            root.note("group " + name + " deleted");
        }
        return ExitCode.DONE.code();
    }

    private String question(GroupInspection groups) {
        try {
            Group group = GroupLookup.group(groups, name);
            return "delete group " + name + " with " + Counts.of(group.offsets().size(), "committed offset") + "?";
        } catch (DamagedGroupException e) {
            root.note(e.getMessage());
            return "delete group " + name + ", which is damaged, with all its committed offsets?";
        }
    }
}
