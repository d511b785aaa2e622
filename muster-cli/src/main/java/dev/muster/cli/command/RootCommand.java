package dev.muster.cli.command;

import dev.muster.cli.text.DurationParser;
import dev.muster.cli.text.OutputFormat;
import dev.muster.core.MusterException;
import dev.muster.embedded.MusterOptions;
import dev.muster.store.file.FileStoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** {@code muster} itself: the options that every command has, before or after its name. */
@Command(
        name = "muster",
        description = "A durable message queue in a directory.",
        synopsisSubcommandLabel = "COMMAND",
        versionProvider = Version.class,
        footer = {
            "",
            "Examples:",
            "  echo hello | muster produce greetings",
            "  muster consume greetings --exit",
            "  muster topic list -o json",
            "  muster consume greetings -g readers --id A",
            "  muster demo",
            "",
            "Exit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 refused, 5 timed out, 130 interrupted."
        })
public final class RootCommand implements Callable<Integer> {
    private static final String DEFAULT_DATA = "muster-data";

    @Option(
            names = {"-d", "--data"},
            paramLabel = "DIR",
            scope = ScopeType.INHERIT,
            description = "The data directory (default: $$MUSTER_DATA, or " + DEFAULT_DATA + ").")
    private Path data;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            scope = ScopeType.INHERIT,
            description = "table, wide, json, jsonl, csv or name; the help of each command names its own.")
    private String output;

    @Option(
            names = "--color",
            paramLabel = "WHEN",
            scope = ScopeType.INHERIT,
            description = "auto, always or never; auto respects NO_COLOR and TERM=dumb.")
    private String color;

    @Option(
            names = {"-q", "--quiet"},
            scope = ScopeType.INHERIT,
            description = "No notes and no log on stderr, only errors.")
    private boolean quiet;

    @Option(
            names = {"-v", "--verbose"},
            scope = ScopeType.INHERIT,
            description = "Stack traces with errors, and details in the log.")
    private boolean verbose;

    @Option(names = "--no-input", scope = ScopeType.INHERIT, description = "Never ask, even on a terminal.")
    private boolean noInput;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            scope = ScopeType.INHERIT,
            description = "Give up after this time (30s, 5m): exit code 5.")
    private String timeout;

    @Option(
            names = "--allow-any-filesystem",
            scope = ScopeType.INHERIT,
            description = "Open a directory also where locks or durability cannot be relied on.")
    private boolean allowAnyFilesystem;

    @Option(
            names = "--read-only",
            scope = ScopeType.INHERIT,
            description = "Never write to the directory; commands that would are refused (also: MUSTER_READ_ONLY=1).")
    private boolean readOnly;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help.")
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show the version.")
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private boolean version;

    private final Session session;

    public RootCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        throw CommandException.usage("a command is missing", "muster --help");
    }

    /** Checks the global options, before a command begins. */
    public void validate() {
        output();
        timeout();
        colorful();
    }

    public Session session() {
        return session;
    }

    /** The data directory of the options or the environment. */
    public Path data() {
        if (data != null) {
            return data;
        }
        String fromEnvironment = session.environment().apply("MUSTER_DATA");
        return Path.of(fromEnvironment == null || fromEnvironment.isEmpty() ? DEFAULT_DATA : fromEnvironment);
    }

    /** The access to the directory that a command needs. */
    public enum Access {
        /** The directory must exist. */
        EXISTING,
        /** The directory is created if it is missing. */
        CREATE
    }

    public Opener.Opened open(Access access) {
        MusterOptions options = MusterOptions.DEFAULT
                .withAllowAnyFileSystem(allowAnyFilesystem)
                .withReadOnly(readOnly())
                .withCreateMissing(access == Access.CREATE && !readOnly());
        return session.opener().open(data(), options);
    }

    /** True if the command must not write to the directory: by option or by environment. */
    public boolean readOnly() {
        String fromEnvironment = session.environment().apply("MUSTER_READ_ONLY");
        return readOnly
                || fromEnvironment != null && List.of("1", "true", "yes").contains(fromEnvironment);
    }

    /**
     * Refuses a command that cannot do its work without writing.
     *
     * @param command the command as the user names it: "muster serve"
     */
    public void requireWriting(String command) {
        if (readOnly()) {
            throw new CommandException(
                    ExitCode.REFUSED,
                    command + " writes to the directory, and --read-only forbids that",
                    "leave out --read-only, and unset MUSTER_READ_ONLY");
        }
    }

    /** The options for a command that works on the files themselves. A missing directory is created. */
    public FileStoreOptions storeOptions() {
        return FileStoreOptions.defaults()
                .withAllowAnyFileSystem(allowAnyFilesystem)
                .withCreateMissing(true);
    }

    /** True if the user named a format. */
    public boolean outputGiven() {
        return output != null;
    }

    public OutputFormat output() {
        return output == null ? OutputFormat.TABLE : argument("--output", output, OutputFormat::parse);
    }

    /** The limit of {@code --timeout}; null if there is none. */
    public Duration timeout() {
        return argument("--timeout", timeout, DurationParser::parse);
    }

    /** The limit of {@code --timeout}, counted from now. */
    public TimeLimit timeLimit() {
        return TimeLimit.of(timeout, timeout());
    }

    public boolean quiet() {
        return quiet;
    }

    public boolean verbose() {
        return verbose;
    }

    /** The version of this program, for files that record it. */
    public String programVersion() {
        try {
            return Version.number();
        } catch (IOException e) {
            return "unknown";
        }
    }

    /** True if the command can ask a question on the terminal. */
    public boolean mayAsk() {
        return !noInput && session.terminal().in() && session.terminal().err();
    }

    /** True if data on stdout may have colors. */
    public boolean colorful() {
        return switch (color == null ? "auto" : color) {
            case "always" -> true;
            case "never" -> false;
            case "auto" -> session.terminal().out() && environmentLikesColor();
            default ->
                throw CommandException.usage("--color: \"" + color + "\" is not known", "use auto, always or never");
        };
    }

    private boolean environmentLikesColor() {
        String noColor = session.environment().apply("NO_COLOR");
        return (noColor == null || noColor.isEmpty())
                && !"dumb".equals(session.environment().apply("TERM"));
    }

    /** Writes a line to stderr, unless {@code --quiet} is given. */
    public void note(String line) {
        if (!quiet) {
            session.note(line);
        }
    }

    /** The parsed value of an option; null stays null. An invalid value is a usage error that names the option. */
    public static <T> T argument(String option, String text, Function<String, T> parse) {
        try {
            return text == null ? null : parse.apply(text);
        } catch (MusterException e) {
            throw new CommandException(
                    ExitCode.USAGE, option + ": " + e.getMessage(), e.hint().orElse(null), e);
        }
    }
}
