package dev.muster.cli.command;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;

/** A command that has subcommands. */
public interface Branch {
    /** The subcommands and their factories, in the order of the help. */
    Map<String, Supplier<Object>> commands();

    /** This command with the subcommands that occur among the words; with all of them if none occurs. */
    default CommandLine grow(List<String> words) {
        CommandLine line = new CommandLine(this);
        boolean any = commands().keySet().stream().anyMatch(words::contains);
        commands().forEach((name, maker) -> {
            if (!any || words.contains(name)) {
                line.addSubcommand(name, maker.get());
            }
        });
        return line;
    }
}
