package dev.muster.cli.group;

import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.core.group.model.Member;
import dev.muster.embedded.internal.GroupInspection;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code muster group remove-member}. */
@Command(
        name = "remove-member",
        description = "Take a member out of its group; its partitions go to the others.",
        footer = {"", "Example:", "  muster group remove-member billing worker-3"})
final class GroupRemoveMember implements Callable<Integer> {
    private final RootCommand root;

    @Parameters(index = "0", paramLabel = "GROUP", description = "The group.")
    private String name;

    @Parameters(index = "1", paramLabel = "MEMBER", description = "Its id, instance id or client name.")
    private String named;

    GroupRemoveMember(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        try (Opener.Opened opened = root.open(RootCommand.Access.EXISTING)) {
            GroupInspection groups = opened.groups();
            Member member = GroupLookup.member(GroupLookup.group(groups, name), name, named);
            groups.remove(name, member.spec().id().value());
            root.note("member " + Names.printable(named) + " was removed from group " + name + "; it owned "
                    + dev.muster.cli.text.Partitions.show(member.owned())
                    + ". If it is alive, it will join again");
        }
        return ExitCode.DONE.code();
    }
}
