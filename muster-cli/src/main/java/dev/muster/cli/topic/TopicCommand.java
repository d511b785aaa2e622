package dev.muster.cli.topic;

import dev.muster.cli.command.Branch;
import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.RootCommand;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;

/** {@code muster topic}: the commands about topics. */
@Command(
        name = "topic",
        description = "Create, show, change, trim and delete topics.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Examples:",
            "  muster topic create orders --partitions 12 --set retention.ms=86400000",
            "  muster topic describe orders -o json"
        })
public final class TopicCommand implements Branch, Callable<Integer> {
    private final RootCommand root;

    public TopicCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Map<String, Supplier<Object>> commands() {
        Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
        commands.put("create", () -> new TopicCreate(root));
        commands.put("list", () -> new TopicList(root));
        commands.put("describe", () -> new TopicDescribe(root));
        commands.put("alter", () -> new TopicAlter(root));
        commands.put("add-partitions", () -> new TopicAddPartitions(root));
        commands.put("trim", () -> new TopicTrim(root));
        commands.put("delete", () -> new TopicDelete(root));
        return commands;
    }

    @Override
    public Integer call() {
        throw CommandException.usage("a topic command is missing", "muster topic --help");
    }
}
