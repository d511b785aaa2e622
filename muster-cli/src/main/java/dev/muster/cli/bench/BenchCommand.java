package dev.muster.cli.bench;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code muster bench}: the parent of the measurements. */
@Command(
        name = "bench",
        description = "Measure appends, reads and latency on this machine.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {BenchAppendCommand.class, BenchReadCommand.class, BenchLatencyCommand.class},
        footer = {
            "",
            "Without --data a temporary directory is used, and deleted: name a directory on the disk you care about.",
            "With --data a topic of its own is made there, and deleted again.",
            "",
            "Examples:",
            "  muster bench append --data /mnt/disk/bench --size 1024",
            "  muster bench append --sync commit --senders 64 --wait",
            "  muster bench latency --sync commit -o json"
        })
public final class BenchCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "a command is missing: append, read or latency");
    }
}
