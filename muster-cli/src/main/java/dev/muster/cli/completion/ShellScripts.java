package dev.muster.cli.completion;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine;

/** The completion scripts: a fixed part for each shell, and tables of the commands. */
public final class ShellScripts {
    public static final List<String> SHELLS = List.of("bash", "zsh", "fish");

    private ShellScripts() {}

    /** The script for one of {@link #SHELLS}. */
    public static String of(String shell, CommandLine root) {
        List<CommandModel> commands = CommandModel.of(root);
        String table = shell.equals("fish") ? fish(commands) : table(commands);
        return resource("completion." + shell).replace("@TABLE@\n", table);
    }

    private static String resource(String name) {
        try (InputStream in = ShellScripts.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The table for bash and zsh: a function with the words at each path. A line has a name, a tab and a text. */
    private static String table(List<CommandModel> commands) {
        StringBuilder table = new StringBuilder("_muster_table() {\n  case $1 in\n");
        for (CommandModel command : commands) {
            table.append("  ").append(quoted(command.path())).append(")\n");
            table.append("    subs=")
                    .append(quoted(command.subcommands().entrySet().stream()
                            .map(sub -> sub.getKey() + "\t" + sub.getValue())
                            .collect(Collectors.joining("\n"))))
                    .append('\n');
            table.append("    opts=")
                    .append(quoted(command.options().stream()
                            .flatMap(option -> option.names().stream().map(name -> name + "\t" + option.summary()))
                            .collect(Collectors.joining("\n"))))
                    .append('\n');
            table.append("    vals=")
                    .append(quoted(command.options().stream()
                            .filter(option -> option.value() != null)
                            .flatMap(option -> option.names().stream().map(name -> name + "\t" + option.value()))
                            .collect(Collectors.joining("\n"))))
                    .append('\n');
            table.append("    args=")
                    .append(quoted(String.join("\n", command.arguments())))
                    .append("\n    more=")
                    .append(command.repeats() ? "1" : "")
                    .append(" ;;\n");
        }
        return table.append("  esac\n}\n").toString();
    }

    private static String fish(List<CommandModel> commands) {
        StringBuilder table = new StringBuilder("set -g __muster_paths");
        commands.forEach(command -> table.append(' ').append(quoted(command.path())));
        table.append("\nset -g __muster_valued ");
        table.append(commands.stream()
                .flatMap(command -> command.options().stream())
                .filter(option -> option.value() != null)
                .flatMap(option -> option.names().stream())
                .distinct()
                .collect(Collectors.joining(" ")));
        table.append('\n');
        for (CommandModel command : commands) {
            command.subcommands()
                    .forEach((name, summary) -> line(table, at(command.path(), ""), " -a " + name, summary));
            for (CommandModel.Option option : command.options()) {
                if (option.global() == command.path().isEmpty()) {
                    String condition =
                            option.global() ? "" : " -n " + quoted("__muster_at " + fishWord(command.path()));
                    line(table, condition, names(option), option.summary());
                }
            }
            for (int i = 0; i < command.arguments().size(); i++) {
                boolean last = i == command.arguments().size() - 1;
                String index = i + (last && command.repeats() ? "+" : "");
                line(
                        table,
                        at(command.path(), index),
                        values(command.arguments().get(i)),
                        "");
            }
        }
        return table.toString();
    }

    private static String at(String path, String index) {
        return " -n " + quoted("__muster_at " + fishWord(path) + (index.isEmpty() ? "" : " " + index));
    }

    private static String fishWord(String path) {
        return "\"" + path + "\"";
    }

    private static void line(StringBuilder table, String condition, String what, String summary) {
        table.append("complete -c muster").append(condition).append(what);
        if (!summary.isEmpty()) {
            table.append(" -d ").append(fishQuoted(summary));
        }
        table.append('\n');
    }

    private static String names(CommandModel.Option option) {
        StringBuilder names = new StringBuilder();
        for (String name : option.names()) {
            names.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
        }
        return names + (option.value() == null ? "" : " -r" + values(option.value()));
    }

    private static String values(String kind) {
        return switch (kind) {
            case CommandModel.FILE -> " -F";
            case CommandModel.TOPIC, CommandModel.GROUP, CommandModel.MEMBER ->
                " -f -a '(__muster_names " + kind.substring(1).toLowerCase(Locale.ROOT) + ")'";
            default -> kind.isEmpty() ? " -f" : " -f -a " + quoted(kind);
        };
    }

    /** The text in single quotes of a POSIX shell. */
    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    private static String fishQuoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
