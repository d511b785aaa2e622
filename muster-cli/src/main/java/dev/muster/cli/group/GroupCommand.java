package dev.muster.cli.group;

import dev.muster.cli.command.Branch;
import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.RootCommand;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;

/** {@code muster group}: the commands about consumer groups. */
@Command(
        name = "group",
        description = "Show, follow, explain, steer, reset and delete consumer groups.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Examples:",
            "  muster group describe billing",
            "  muster group watch billing",
            "  muster group explain billing orders:3",
            "  muster group reset billing --to-earliest --execute"
        })
public final class GroupCommand implements Branch, Callable<Integer> {
    private final RootCommand root;

    public GroupCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Map<String, Supplier<Object>> commands() {
        Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
        commands.put("list", () -> new GroupList(root));
        commands.put("describe", () -> new GroupDescribe(root));
        commands.put("members", () -> new GroupMembers(root));
        commands.put("lag", () -> new GroupLagCommand(root));
        commands.put("watch", () -> new GroupWatchCommand(root));
        commands.put("timeline", () -> new GroupTimeline(root));
        commands.put("explain", () -> new GroupExplain(root));
        commands.put("reset", () -> new GroupReset(root));
        commands.put("expect", () -> new GroupExpect(root));
        commands.put("complete", () -> new GroupComplete(root));
        commands.put("repair", () -> new GroupRepairCommand(root));
        commands.put("delete", () -> new GroupDelete(root));
        commands.put("remove-member", () -> new GroupRemoveMember(root));
        return commands;
    }

    @Override
    public Integer call() {
        throw CommandException.usage("a group command is missing", "muster group --help");
    }
}
