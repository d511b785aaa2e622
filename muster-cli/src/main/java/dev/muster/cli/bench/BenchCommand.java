package dev.muster.cli.bench;

import dev.muster.cli.command.Branch;
import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.RootCommand;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;

/** {@code muster bench}: the measurements. */
@Command(
        name = "bench",
        description = "Measure appends, reads and latency on this machine.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Without --data a temporary directory is used, and deleted: name one on the disk you care about.",
            "With --data the measurement creates a topic of its own there, and deletes it.",
            "",
            "Examples:",
            "  muster bench append --data /mnt/disk/bench --size 1024",
            "  muster bench append --sync commit --senders 64 --wait --records 100000",
            "  muster bench latency --sync commit -o json"
        })
public final class BenchCommand implements Branch, Callable<Integer> {
    private final RootCommand root;

    public BenchCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Map<String, Supplier<Object>> commands() {
        Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
        commands.put("append", () -> new BenchAppend(root));
        commands.put("read", () -> new BenchRead(root));
        commands.put("latency", () -> new BenchLatency(root));
        return commands;
    }

    @Override
    public Integer call() {
        throw CommandException.usage("a bench command is missing", "muster bench --help");
    }
}
