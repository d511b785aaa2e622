package dev.muster.cli;

import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.FormatOption;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.OutputClosedException;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.command.Session;
import dev.muster.cli.command.StopSignal;
import dev.muster.cli.command.Terminal;
import dev.muster.cli.command.Version;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** The {@code muster} command: finds the command of the arguments, runs it, and returns its exit code. */
public final class Main {
    private final Session session;
    private final String[] args;

    private Main(Session session, String... args) {
        this.session = session;
        this.args = args;
    }

    public static void main(String[] args) {
        ConsoleLog.Choice.install();
        // Not System.out: a PrintStream hides that stdout was closed.
        Session session = new Session(
                System.in,
                new FileOutputStream(FileDescriptor.out),
                new FileOutputStream(FileDescriptor.err),
                System::getenv,
                Terminal.detect(),
                Opener.DIRECTORY,
                new StopSignal(),
                Clock.systemDefaultZone(),
                true);
        Signals signals = Signals.stopping(session.stop());
        int exitCode = ExitCode.FAILED.code();
        try {
            exitCode = run(session, args);
        } finally {
            signals.finished();
        }
        System.exit(exitCode);
    }

    /** Runs a command on these streams, as a script would. */
    public static int run(String[] args, InputStream in, OutputStream out, OutputStream err) {
        return run(Session.of(in, out, err), args);
    }

    public static int run(Session session, String... args) {
        return new Main(session, args).run();
    }

    private int run() {
        CommandLine tree = CommandTree.forArguments(session, args);
        RootCommand root = tree.getCommand();
        try {
            ParseResult result = parse(tree);
            return execute(result);
        } catch (OutputClosedException e) {
            return ExitCode.DONE.code();
        } catch (Exception | StackOverflowError | OutOfMemoryError e) {
            Problem problem = e instanceof ParameterException bad ? UsageProblems.of(bad) : Problem.of(e);
            session.note(problem.render(wantsJson()));
            if (root.verbose()) {
                session.note(Problem.stackTrace(e));
            }
            return problem.exitCode().code();
        }
    }

    private ParseResult parse(CommandLine tree) {
        try {
            return tree.parseArgs(args);
        } catch (ParameterException e) {
            // The tree may hold a part of the commands only; suggestions need all of them.
            return CommandTree.whole(session).parseArgs(args);
        }
    }

    private int execute(ParseResult result) throws Exception {
        ParseResult deepest = result;
        while (deepest.hasSubcommand()) {
            deepest = deepest.subcommand();
        }
        CommandLine line = deepest.commandSpec().commandLine();
        RootCommand root = (RootCommand) result.commandSpec().userObject();
        root.validate();
        ConsoleLog.Choice.set(root.quiet(), root.verbose(), root.output().isJson());
        if (result.isUsageHelpRequested() || deepest.isUsageHelpRequested()) {
            session.print(help(line, root.colorful()));
            return ExitCode.DONE.code();
        }
        if (result.isVersionHelpRequested() || deepest.isVersionHelpRequested()) {
            session.print(new Version().getVersion()[0] + "\n");
            return ExitCode.DONE.code();
        }
        if (root.outputGiven()) {
            FormatOption.check(
                    line.getCommand(),
                    line.getCommandSpec().qualifiedName().replaceFirst("^muster ", ""),
                    root.output());
        }
        Object exitCode = ((Callable<?>) line.getCommand()).call();
        return exitCode instanceof Integer code ? code : ExitCode.DONE.code();
    }

    private static String help(CommandLine line, boolean colorful) {
        StringWriter text = new StringWriter();
        line.usage(new PrintWriter(text), colorful ? Ansi.ON : Ansi.OFF);
        return text.toString();
    }

    /** True if the arguments ask for JSON. Reads the words themselves, because they may not be parsable. */
    private boolean wantsJson() {
        // The words after "--" belong to another program.
        List<String> words =
                Arrays.stream(args).takeWhile(word -> !word.equals("--")).toList();
        for (int i = 0; i + 1 < words.size(); i++) {
            boolean named = words.get(i).equals("-o") || words.get(i).equals("--output");
            if (named && words.get(i + 1).startsWith("json")) {
                return true;
            }
        }
        return words.stream()
                .anyMatch(w -> w.startsWith("-ojson") || w.startsWith("-o=json") || w.startsWith("--output=json"));
    }
}
