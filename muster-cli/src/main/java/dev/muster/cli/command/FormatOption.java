package dev.muster.cli.command;

import dev.muster.cli.text.OutputFormat;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The {@code -o} of each command: its help names the formats that the command takes. */
public final class FormatOption {
    private static final String NAME = "--output";

    private FormatOption() {}

    /** The formats that a command takes. */
    static List<OutputFormat> of(Object command) {
        Formats formats = command.getClass().getAnnotation(Formats.class);
        return formats == null ? List.of(OutputFormat.JSON, OutputFormat.JSONL) : Arrays.asList(formats.value());
    }

    /** Gives each command below this one its own option {@code -o}. */
    public static void describe(CommandLine line) {
        for (CommandLine sub : line.getSubcommands().values()) {
            describe(sub);
            CommandSpec spec = sub.getCommandSpec();
            if (spec.subcommands().isEmpty()) {
                OptionSpec inherited = spec.findOption(NAME);
                spec.remove(inherited);
                spec.addOption(OptionSpec.builder(inherited)
                        .description(description(spec.userObject()))
                        .completionCandidates(names(spec.userObject()))
                        .build());
            }
        }
    }

    private static String description(Object command) {
        List<String> names = names(command);
        String last = names.getLast();
        String all = names.size() == 1 ? last : String.join(", ", names.subList(0, names.size() - 1)) + " or " + last;
        return command.getClass().isAnnotationPresent(Formats.class) ? all + "." : all + ": errors as objects.";
    }

    private static List<String> names(Object command) {
        return of(command).stream().map(OutputFormat::toString).collect(Collectors.toList());
    }

    /**
     * Refuses a format that the command does not take.
     *
     * @param name the command as the user names it, without {@code muster}
     */
    public static void check(Object command, String name, OutputFormat format) {
        if (!of(command).contains(format)) {
            throw CommandException.usage(
                    name + " has no output format " + format,
                    "use " + names(command).stream().map(known -> "-o " + known).collect(Collectors.joining(", ")));
        }
    }
}
