package dev.muster.cli.completion;

import java.util.Locale;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The man page {@code muster(1)} as roff: all commands with their options, made from the command model. */
public final class ManPage {
    private static final Pattern NOT_ASCII = Pattern.compile("[^\\x00-\\x7F]");

    private ManPage() {}

    public static String of(CommandLine root, String version) {
        StringBuilder page = new StringBuilder();
        page.append(".TH MUSTER 1 \"\" ").append(quoted(version)).append(" \"Muster\"\n");
        page.append(".SH NAME\nmuster \\- a durable message queue in a directory\n");
        page.append(".SH SYNOPSIS\n.B muster\n[OPTIONS] COMMAND\n");
        page.append(".SH OPTIONS OF EVERY COMMAND\n");
        root.getCommandSpec().options().forEach(option -> option(page, option));
        page.append(".SH COMMANDS\n");
        commands(page, root);
        page.append(
                ".SH EXIT STATUS\n0 done, 1 failed, 2 usage, 3 not found, 4 refused, 5 timed out, 130 interrupted.\n");
        page.append(".SH ENVIRONMENT\n.TP\n.B MUSTER_DATA\nThe data directory, unless \\-\\-data names one.\n");
        page.append(".TP\n.B MUSTER_READ_ONLY\n1: never write to the directory, as \\-\\-read\\-only says.\n");
        return page.toString();
    }

    private static void commands(StringBuilder page, CommandLine line) {
        for (CommandLine sub : line.getSubcommands().values()) {
            CommandSpec spec = sub.getCommandSpec();
            if (spec.usageMessage().hidden()) {
                continue;
            }
            if (spec.subcommands().isEmpty()) {
                command(page, spec);
            }
            commands(page, sub);
        }
    }

    private static void command(StringBuilder page, CommandSpec spec) {
        StringBuilder heading = new StringBuilder(spec.qualifiedName());
        spec.positionalParameters()
                .forEach(position -> heading.append(' ')
                        .append(position.paramLabel())
                        .append(position.arity().max() > 1 ? "..." : ""));
        page.append(".SS ").append(quoted(heading.toString())).append('\n');
        for (String line : spec.usageMessage().description()) {
            page.append(text(line)).append('\n');
        }
        for (PositionalParamSpec position : spec.positionalParameters()) {
            item(page, position.paramLabel(), position.description());
        }
        for (OptionSpec option : spec.options()) {
            if (!option.inherited() || option.longestName().equals("--output")) {
                option(page, option);
            }
        }
        String[] footer = spec.usageMessage().footer();
        if (footer.length > 0) {
            page.append(".PP\n.nf\n");
            for (String line : footer) {
                page.append(line.isEmpty() ? "" : text(line) + "\n");
            }
            page.append(".fi\n");
        }
    }

    private static void option(StringBuilder page, OptionSpec option) {
        if (!option.hidden()) {
            String value = option.arity().max() > 0 ? " " + option.paramLabel() : "";
            item(page, String.join(", ", option.names()) + value, option.description());
        }
    }

    private static void item(StringBuilder page, String name, String... description) {
        page.append(".TP\n.B ").append(quoted(name)).append('\n');
        for (String line : description) {
            page.append(text(line)).append('\n');
        }
    }

    private static String quoted(String argument) {
        return "\"" + text(argument).replace("\"", "\\(dq") + "\"";
    }

    /** A line of text: backslashes and minus signs are escaped, and no dot at its start is a request. */
    private static String text(String line) {
        String escaped = CommandModel.plain(line).replace("\\", "\\e").replace("-", "\\-");
        escaped = NOT_ASCII
                .matcher(escaped)
                .replaceAll(found -> String.format(
                        Locale.ROOT, "\\\\[u%04X]", (int) found.group().charAt(0)));
        return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
    }
}
