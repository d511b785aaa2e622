package dev.muster.cli;

import dev.muster.cli.backup.BackupCommand;
import dev.muster.cli.backup.RestoreCommand;
import dev.muster.cli.bench.BenchCommand;
import dev.muster.cli.check.CheckCommand;
import dev.muster.cli.command.Branch;
import dev.muster.cli.command.FormatOption;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.command.Session;
import dev.muster.cli.consume.ConsumeCommand;
import dev.muster.cli.demo.DemoCommand;
import dev.muster.cli.group.GroupCommand;
import dev.muster.cli.produce.ProduceCommand;
import dev.muster.cli.serve.CredentialCommand;
import dev.muster.cli.serve.ServeCommand;
import dev.muster.cli.topic.TopicCommand;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine;

/**
 * All commands. Each is created only if it may be needed: reading the annotations of a command costs milliseconds, and
 * every call of {@code muster} is a new process. To add a command, add a line to {@link #COMMANDS}.
 */
final class CommandTree {
    private static final int HELP_COLUMNS = 100;

    /**
     * The commands in the order of the help. Each factory gets the root, which holds the global options and the
     * session.
     */
    private static final Map<String, Function<RootCommand, Object>> COMMANDS = new LinkedHashMap<>();

    static {
        COMMANDS.put("topic", TopicCommand::new);
        COMMANDS.put("produce", ProduceCommand::new);
        COMMANDS.put("consume", ConsumeCommand::new);
        COMMANDS.put("group", GroupCommand::new);
        COMMANDS.put("serve", ServeCommand::new);
        COMMANDS.put("credential", CredentialCommand::new);
        COMMANDS.put("check", CheckCommand::new);
        COMMANDS.put("backup", BackupCommand::new);
        COMMANDS.put("restore", RestoreCommand::new);
        COMMANDS.put("bench", BenchCommand::new);
        COMMANDS.put("demo", root -> new DemoCommand(root, DemoMember.class));
        COMMANDS.put("completion", CompletionCommand::new);
        COMMANDS.put("man", ManCommand::new);
    }

    private CommandTree() {}

    /** The whole tree, for help, suggestions and completion. */
    static CommandLine whole(Session session) {
        return tree(session, List.copyOf(COMMANDS.keySet()), List.of());
    }

    /**
     * The part of the tree that these arguments can mean. A word may be a command or the value of an option, so every
     * command that occurs among the words is included. If none occurs, all are.
     */
    static CommandLine forArguments(Session session, String... args) {
        List<String> words = Arrays.asList(args);
        List<String> named = COMMANDS.keySet().stream().filter(words::contains).toList();
        return named.isEmpty() ? whole(session) : tree(session, named, words);
    }

    private static CommandLine tree(Session session, List<String> names, List<String> words) {
        RootCommand root = new RootCommand(session);
        CommandLine line = new CommandLine(root);
        for (String name : names) {
            Object command = COMMANDS.get(name).apply(root);
            line.addSubcommand(name, command instanceof Branch branch ? branch.grow(words) : new CommandLine(command));
        }
        FormatOption.describe(line);
        return line.setUsageHelpWidth(HELP_COLUMNS)
                .setAllowSubcommandsAsOptionParameters(true)
                .setOut(new PrintWriter(session.out(), false, StandardCharsets.UTF_8));
    }
}
