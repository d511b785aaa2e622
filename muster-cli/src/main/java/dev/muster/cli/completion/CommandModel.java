package dev.muster.cli.completion;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * One command as a completion needs it.
 *
 * @param path the words of the command, without {@code muster}: {@code "topic create"}; empty for the root
 * @param subcommands the summary of each subcommand by its name
 * @param arguments the kind of each positional argument
 * @param repeats true if the last argument may be repeated
 */
record CommandModel(
        String path, Map<String, String> subcommands, List<Option> options, List<String> arguments, boolean repeats) {
    /** Kinds of values whose names the shell lists. Other kinds are words with a space between them. */
    static final String TOPIC = "@topic";

    static final String GROUP = "@group";
    static final String MEMBER = "@member";
    static final String FILE = "@file";

    /**
     * An option.
     *
     * @param value the kind of its value; null if it has none
     * @param global true if every command has it
     */
    record Option(List<String> names, String summary, String value, boolean global) {}

    /** All commands that are not hidden, the root first. */
    static List<CommandModel> of(CommandLine root) {
        List<CommandModel> all = new ArrayList<>();
        add(all, "", root);
        return all;
    }

    private static void add(List<CommandModel> all, String path, CommandLine line) {
        CommandSpec spec = line.getCommandSpec();
        Map<String, String> subcommands = new LinkedHashMap<>();
        line.getSubcommands().forEach((name, sub) -> {
            if (!sub.getCommandSpec().usageMessage().hidden()) {
                subcommands.put(
                        name, summary(sub.getCommandSpec().usageMessage().description()));
            }
        });
        List<Option> options = spec.options().stream()
                .filter(option -> !option.hidden())
                .map(option -> option(path, option))
                .toList();
        List<PositionalParamSpec> positions = spec.positionalParameters();
        boolean repeats = !positions.isEmpty() && positions.getLast().arity().max() > 1;
        all.add(new CommandModel(
                path,
                subcommands,
                options,
                positions.stream()
                        .map(position -> kind(position.paramLabel(), null))
                        .toList(),
                repeats));
        subcommands
                .keySet()
                .forEach(name -> add(
                        all, (path + " " + name).strip(), line.getSubcommands().get(name)));
    }

    private static Option option(String path, OptionSpec spec) {
        boolean hasValue = spec.arity().max() > 0;
        boolean global = spec.inherited() && !spec.longestName().equals("--output");
        return new Option(
                List.of(spec.names()),
                summary(spec.description()),
                hasValue ? kind(spec.paramLabel(), spec) : null,
                global || path.isEmpty());
    }

    private static String kind(String label, ArgSpec spec) {
        if (spec != null && spec.completionCandidates() != null) {
            return String.join(
                    " ",
                    StreamSupport.stream(spec.completionCandidates().spliterator(), false)
                            .toList());
        }
        return switch (label) {
            case "TOPIC", "TOPIC:P", "T[:P,P]" -> TOPIC;
            case "GROUP" -> GROUP;
            case "MEMBER" -> MEMBER;
            case "FILE", "DIR", "TO", "FROM", "[DIR] TO" -> FILE;
            case "SHELL" -> "bash zsh fish";
            case "WHEN" -> "auto always never";
            default -> "";
        };
    }

    /** The first sentence of a description, as plain text. */
    static String summary(String... description) {
        return description.length == 0 ? "" : plain(description[0]);
    }

    /** A text of the model without the escapes of the library. */
    static String plain(String text) {
        return text.replace("%%", "%").replace("$$", "$").replace("%n", " ");
    }
}
