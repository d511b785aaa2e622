package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.Session;
import dev.muster.cli.command.Terminal;
import dev.muster.core.json.Json;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class MainTest {
    @TempDir
    Path temp;

    private final Cli cli = Cli.inMemory();

    @AfterEach
    void close() {
        cli.close();
    }

    @ParameterizedTest
    @CsvSource({
        "prodce x,unknown command \"prodce\",muster produce",
        "topic lst,unknown command \"lst\",muster topic list",
        "topic list --otput json,unknown option \"--otput\",muster topic list --output",
        "topic list extra,one argument too many: \"extra\",muster topic list --help",
        "topic,a topic command is missing,muster topic --help",
        "group,a group command is missing,muster group --help",
        "group lags billing,unknown command \"lags\",muster group lag",
        "'',a command is missing,muster --help"
    })
    void anUnknownWordIsAUsageErrorWithASuggestion(String words, String message, String hint) {
        Cli.Result result = cli.run(words.isEmpty() ? new String[0] : words.split(" "));
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).isEqualTo("muster: " + message + "\ntry: " + hint + "\n");
        assertThat(result.outBytes()).isEmpty();
    }

    /** Every command of the tree, by its words; the root is empty. */
    static Stream<String> commands() {
        return names("", CommandTree.whole(session()));
    }

    private static Stream<String> names(String name, CommandLine line) {
        return Stream.concat(
                Stream.of(name),
                line.getSubcommands().entrySet().stream()
                        .flatMap(sub -> names((name + " " + sub.getKey()).strip(), sub.getValue())));
    }

    private static Session session() {
        return Session.of(
                InputStream.nullInputStream(), OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
    }

    @ParameterizedTest
    @MethodSource("commands")
    void eachCommandSummaryIsAWholeSentence(String command) {
        String[] words = command.isEmpty() ? new String[0] : command.split(" ");
        CommandLine line = CommandTree.whole(session());
        for (String word : words) {
            line = line.getSubcommands().get(word);
        }
        assertThat(line.getCommandSpec().usageMessage().description()[0]).endsWith(".");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyCommandsHelpHasAnExample(String command) {
        Cli.Result result = cli.run((command + " --help").strip().split(" "));
        assertThat(result.exitCode()).isZero();
        assertThat(result.out())
                .contains("Usage: muster", "Example", "--data=DIR")
                .doesNotContain("\u001b");
        assertThat(result.err()).isEmpty();
        assertThat(result.lines()).allMatch(line -> line.length() <= 100);
    }

    /** The help once offered six formats for every command, and many commands refused most of them. */
    @ParameterizedTest
    @CsvSource({
        "topic list,'table, wide, json, jsonl, csv or name.'",
        "produce,json or jsonl.",
        "consume,json or jsonl.",
        "bench read,'table, json or jsonl.'",
        "topic delete,json or jsonl: errors as objects."
    })
    void theHelpNamesTheFormatsOfTheCommand(String command, String formats) {
        assertThat(cli.run((command + " --help").split(" ")).out())
                .containsPattern("--output=FORMAT\\s+" + Pattern.quote(formats));
    }

    @ParameterizedTest
    @CsvSource({
        "produce t -o csv,produce has no output format csv",
        "consume t -o table,consume has no output format table",
        "bench read -o name,bench read has no output format name",
        "topic delete t -o table,topic delete has no output format table",
        "group lag g --watch -o csv,group lag --watch has no output format csv",
    })
    void anUnsupportedFormatIsRefused(String command, String message) {
        Cli.Result result = cli.run(command.split(" "));
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).startsWith("muster: " + message + "\ntry: use -o ");
    }

    @Test
    void theVersionIsThatOfTheBuild() {
        assertThat(cli.run("--version").out()).matches("muster \\d+\\.\\d+.*\n");
    }

    @Test
    void globalOptionsMayStandBeforeOrAfterTheCommand() {
        cli.run("topic", "create", "orders");
        String expected = cli.run("-o", "json", "topic", "list").out();
        assertThat(expected).startsWith("[{\"name\":\"orders\"");
        assertThat(cli.run("topic", "-o", "json", "list").out()).isEqualTo(expected);
        assertThat(cli.run("topic", "list", "-o", "json").out()).isEqualTo(expected);
        assertThat(cli.run("topic", "list", "--output=json").out()).isEqualTo(expected);
    }

    @Test
    void anOptionValueMayBeTheNameOfACommand() {
        assertThat(cli.run("--data", "consume", "topic", "create", "produce").exitCode())
                .isZero();
        assertThat(cli.run("topic", "list", "-o", "name").out()).isEqualTo("produce\n");
    }

    @Test
    void errorsAreObjectsWithJson() {
        Cli.Result missing = cli.run("topic", "describe", "nothing", "-o", "json");
        assertThat(missing.exitCode()).isEqualTo(3);
        assertThat(missing.errJson())
                .containsEntry("error", "not-found")
                .containsEntry("exitCode", 3L)
                .containsEntry("hint", "see which there are: muster topic list");
        assertThat(missing.errJson().get("message").toString()).contains("nothing");
        assertThat(cli.run("topic", "nope", "-o", "json").errJson()).containsEntry("error", "usage");
        assertThat(cli.run("topic", "describe", "nothing", "-ojson").errJson()).containsEntry("error", "not-found");
    }

    @Test
    void stackTracesAppearOnlyWithVerbose() {
        assertThat(cli.run("topic", "describe", "nothing").err())
                .hasLineCount(2)
                .doesNotContain("\tat ");
        assertThat(cli.run("topic", "describe", "nothing", "-v").err()).contains("\tat ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "topic list",
                "topic describe t",
                "consume t --exit",
                "consume t",
                "topic delete t --yes",
                "topic alter t --set flush.ms=1",
                "topic trim t -p 0 --before 1",
                "topic add-partitions t -P 2",
                "consume t -g g",
                "group list",
                "group describe g",
                "group members g",
                "group lag g",
                "group watch g",
                "group timeline g",
                "group explain g t:0",
                "group reset g --to-latest --execute",
                "group expect g 3",
                "group complete g",
                "group delete g --yes",
                "group remove-member g m",
                "check"
            })
    void aMissingDirectoryIsNotFoundAndNotCreated(String command) {
        Path missing = temp.resolve("missing");
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exitCode = Main.run(
                (command + " --data " + missing).split(" "),
                new ByteArrayInputStream(new byte[0]),
                new ByteArrayOutputStream(),
                err);
        assertThat(exitCode).isEqualTo(3);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("missing").contains("try: ");
        assertThat(missing).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "topic create bad/name",
                "topic create t --set nope=1",
                "topic create t --partitions 0",
                "topic create t --set flush.ms=x",
                "topic create t -o xml",
                "produce bad/name",
                "produce t --rate never",
                "produce t --in xml",
                "produce t -p -1",
                "produce t --timeout soon",
                "produce t -o table",
                "produce t --sync never",
                "produce t --compression zip",
                "produce t --partitions 0",
                "topic create t --color pink -o table"
            })
    void wrongArgumentsAreRefusedBeforeADirectoryIsCreated(String command) {
        Path missing = temp.resolve("missing");
        int exitCode = Main.run(
                (command + " --data " + missing).split(" "),
                new ByteArrayInputStream(new byte[0]),
                new ByteArrayOutputStream(),
                new ByteArrayOutputStream());
        assertThat(exitCode).isEqualTo(2);
        assertThat(missing).doesNotExist();
    }

    @Test
    void optionThenEnvironmentThenDefaultNameTheDirectory() {
        assertThat(missingDirectory(Map.of("MUSTER_DATA", "from-env"), "topic", "list"))
                .contains("no directory from-env");
        assertThat(missingDirectory(Map.of("MUSTER_DATA", "from-env"), "topic", "list", "--data", "from-option"))
                .contains("from-option");
        assertThat(missingDirectory(Map.of(), "topic", "list")).contains("no directory muster-data");
    }

    private String missingDirectory(Map<String, String> environment, String... args) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Opener remembering = (path, options) -> {
            throw new CommandException(ExitCode.NOT_FOUND, "there is no directory " + path, null);
        };
        Session plain = Session.of(new ByteArrayInputStream(new byte[0]), new ByteArrayOutputStream(), err);
        Main.run(
                new Session(
                        plain.in(),
                        plain.out(),
                        err,
                        environment::get,
                        Terminal.NONE,
                        remembering,
                        plain.stop(),
                        plain.clock(),
                        false),
                args);
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void colorsNeedATerminalThatSupportsThem() {
        cli.run("topic", "create", "t");
        assertThat(cli.run("topic", "list").out()).doesNotContain("\u001b");
        assertThat(cli.run("topic", "list", "--color", "always").out()).contains("\u001b[1m");
        cli.withTerminal(new Terminal(true, true, true));
        assertThat(cli.run("topic", "list").out()).contains("\u001b[1m");
        assertThat(cli.run("topic", "list", "--color", "never").out()).doesNotContain("\u001b");
        assertThat(cli.withEnvironment(Map.of("NO_COLOR", "1"))
                        .run("topic", "list")
                        .out())
                .doesNotContain("\u001b");
        assertThat(cli.withEnvironment(Map.of("TERM", "dumb"))
                        .run("topic", "list")
                        .out())
                .doesNotContain("\u001b");
    }

    @Test
    void theCompletionScriptListsTheCommands() {
        assertThat(cli.run("completion", "bash").out())
                .contains("add-partitions", "--keep-partitions", "remove-member", "--to-earliest", "--commit-every");
        assertThat(cli.run("completion", "tcsh").exitCode()).isEqualTo(2);
    }

    @Test
    void outputWithJsonIsValidJson() {
        assertThat(Json.parse(cli.run("topic", "list", "-o", "json").out())).isEqualTo(java.util.List.of());
    }
}
