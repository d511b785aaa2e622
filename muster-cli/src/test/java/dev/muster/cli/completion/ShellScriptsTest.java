package dev.muster.cli.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.muster.cli.Cli;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The completion scripts, run in their shells. A missing shell is skipped. */
class ShellScriptsTest {
    private static final String BASH = """
        . "$1"
        shift
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _muster
        printf '%s\\n' "${COMPREPLY[@]}"
        """;
    /** Functions of the line editor that are missing in a script: these print their arguments. */
    private static final String ZSH = """
        _describe() { local a=${@[-1]}; print -l -- ${${(P)a}%%:*} }
        compadd() { print -l -- ${(P)2} }
        . "$1"
        shift
        words=("$@"); CURRENT=$#words; _muster
        """;

    /** A zsh on a terminal of its own; the key Ctrl-X prints its command line. */
    private static final String ZSH_TERMINAL = """
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell 'PROMPT=; autoload -Uz compinit; compinit -u -D; source ./script.zsh'
        zpty -w shell 'show() { print -r -- "<<${BUFFER%% }>>" > line; print -r -- DO""NE }'
        zpty -w shell 'zle -N show; bindkey "^I" complete-word; bindkey "^X" show; print -r -- REA""DY'
        zpty -r shell out '*READY*'
        zpty -n -w shell "$1"$'\\t\\x18'
        zpty -r shell out '*DONE*'
        zpty -d shell
        line=$(<line)
        print -r -- "[${${line#<<}%>>}]"
        """;

    private static final String FISH = """
        source $argv[1]
        complete -C (string join ' ' -- $argv[2..-1]) | string replace -r '\\t.*' ''
        """;

    @TempDir
    private Path temp;

    private Path data;

    @BeforeEach
    void topicsAGroupAndAMember() throws IOException {
        data = temp.resolve("data");
        Cli cli = Cli.onDirectory(data);
        cli.run("topic", "create", "orders");
        cli.run("topic", "create", "payments");
        cli.run("consume", "orders", "-g", "my group", "--exit");
        cli.run("consume", "orders", "-g", "billing", "--exit");
        Path members = Files.createDirectories(data.resolve("consumer-groups/billing/members"));
        Files.writeString(members.resolve("A-1f.json"), "{}");
    }

    private List<String> offered(String shell, String... words) throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/" + shell)), "needs " + shell);
        Path script = Files.writeString(
                temp.resolve("script." + shell),
                Cli.inMemory().run("completion", shell).out());
        String program = switch (shell) {
            case "bash" -> BASH;
            case "zsh" -> ZSH;
            default -> FISH;
        };
        List<String> command = new ArrayList<>(
                shell.equals("zsh")
                        ? List.of(shell, "-f", "-c", program, "zsh")
                        : shell.equals("bash")
                                ? List.of(shell, "--norc", "-c", program, "bash")
                                : List.of(shell, "--no-config", "-c", program));
        command.add(script.toString());
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("MUSTER_DATA", data.toString());
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().put("HOME", temp.toString());
        Process process = builder.start();
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return out.lines().filter(line -> !line.isBlank()).toList();
    }

    static Stream<String> shells() {
        return ShellScripts.SHELLS.stream();
    }

    @ParameterizedTest
    @MethodSource("shells")
    void commandsAndOptionsAreOffered(String shell) throws Exception {
        assertThat(offered(shell, "muster", ""))
                .contains("topic", "consume", "completion")
                .doesNotContain("man");
        assertThat(offered(shell, "muster", "topic", "")).contains("describe", "add-partitions");
        assertThat(offered(shell, "muster", "topic", "trim", "--")).contains("--before", "--data", "--read-only");
    }

    @ParameterizedTest
    @MethodSource("shells")
    void namesOfTheDirectoryAreOffered(String shell) throws Exception {
        assertThat(offered(shell, "muster", "topic", "describe", "")).containsExactlyInAnyOrder("orders", "payments");
        assertThat(offered(shell, "muster", "consume", "orders", "")).contains("payments");
        List<String> groups = offered(shell, "muster", "group", "-q", "describe", "");
        assertThat(groups).hasSize(2).contains("billing");
        assertThat(groups.getLast().replace("\\", "")).isEqualTo("my group");
        assertThat(offered(shell, "muster", "consume", "orders", "-g", "")).contains("billing");
        assertThat(offered(shell, "muster", "group", "remove-member", "billing", ""))
                .containsExactly("A-1f");
        assertThat(offered(shell, "muster", "-d", temp + "/none", "topic", "describe", ""))
                .noneMatch(line -> line.contains("orders"));
    }

    @ParameterizedTest
    @MethodSource("shells")
    void aTildeInTheDirectoryIsTheHome(String shell) throws Exception {
        assertThat(offered(shell, "muster", "-d", "~/data", "topic", "describe", "pay"))
                .contains("payments");
    }

    @ParameterizedTest
    @MethodSource("shells")
    void aMemberWithATruncatedNameIsNotOffered(String shell) throws Exception {
        Files.writeString(data.resolve("consumer-groups/billing/members/begin~end.json"), "{}");
        assertThat(offered(shell, "muster", "group", "remove-member", "billing", ""))
                .containsExactly("A-1f");
    }

    /** The directory of {@code backup} is optional; once, no files were offered for it. */
    @ParameterizedTest
    @ValueSource(strings = {"bash", "fish"})
    void filesAreOfferedToBackup(String shell) throws Exception {
        assertThat(offered(shell, "muster", "backup", temp + "/da")).anyMatch(line -> line.startsWith(temp + "/data"));
    }

    /**
     * Uses the functions of zsh's own line editor: a wrong shell option once kept zsh from completing words that had
     * begun.
     */
    @ParameterizedTest
    @CsvSource({
        "muster topic desc, muster topic describe",
        "muster check --rep, muster check --repair",
        "muster topic describe pay, muster topic describe payments",
        "muster --data=scr, muster --data=script.zsh",
        "muster backup scr, muster backup script.zsh"
    })
    void zshCompletesAWordThatHasBegun(String typed, String completed) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/zsh")), "needs zsh");
        Files.writeString(
                temp.resolve("script.zsh"),
                Cli.inMemory().run("completion", "zsh").out());
        ProcessBuilder builder = new ProcessBuilder("zsh", "-f", "-c", ZSH_TERMINAL, "zsh", typed)
                .directory(temp.toFile())
                .redirectErrorStream(true);
        builder.environment().put("MUSTER_DATA", data.toString());
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().put("TERM", "dumb");
        Process process = builder.start();
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        assertThat(out.strip()).isEqualTo("[" + completed + "]");
    }

    @ParameterizedTest
    @MethodSource("shells")
    void formatsOfTheCommandAreOffered(String shell) throws Exception {
        assertThat(offered(shell, "muster", "topic", "list", "-o", "")).contains("csv", "name");
        assertThat(offered(shell, "muster", "produce", "-o", "")).containsExactlyInAnyOrder("json", "jsonl");
        assertThat(offered(shell, "muster", "completion", "")).containsExactlyInAnyOrder("bash", "zsh", "fish");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcsh", "zsh5"})
    void anUnknownShellIsRefused(String shell) {
        assertThat(Cli.inMemory().run("completion", shell).exitCode()).isEqualTo(2);
    }

    @Test
    void theManPageIsValidAndHasEveryCommand() throws Exception {
        String page = Cli.inMemory().run("man").out();
        assertThat(page)
                .startsWith(".TH MUSTER 1")
                .contains(
                        ".SS \"muster topic create TOPIC\"",
                        ".SS \"muster group explain GROUP TOPIC:P\"",
                        "EXIT STATUS")
                .doesNotContain("muster man");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/groff")), "needs groff");
        Process groff = new ProcessBuilder("groff", "-man", "-Tutf8", "-ww", "-z")
                .redirectErrorStream(true)
                .start();
        try (var in = groff.getOutputStream()) {
            in.write(page.getBytes(StandardCharsets.UTF_8));
        }
        assertThat(new String(groff.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEmpty();
        assertThat(groff.waitFor()).isZero();
    }
}
