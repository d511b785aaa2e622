package dev.muster.cli.command;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;

/** A command that has commands of its own. */
public interface Branch {
    /** Each command below this one and how it is made, in the order of the help. */
    Map<String, Supplier<Object>> commands();

    /** This command with those below it that the words can mean; with all of them when no word is a name. */
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
