package dev.muster.cli;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.completion.ShellScripts;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code muster completion}: prints a script that teaches a shell the commands, options and names. */
@Command(
        name = "completion",
        description = "Print a completion script for a shell: bash, zsh or fish.",
        footer = {
            "",
            "Examples:",
            "  source <(muster completion bash)",
            "  source <(muster completion zsh)",
            "  muster completion fish | source"
        })
final class CompletionCommand implements Callable<Integer> {
    private final RootCommand root;

    @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish.")
    private String shell;

    CompletionCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        if (!ShellScripts.SHELLS.contains(shell)) {
            throw CommandException.usage("there is no completion for \"" + shell + "\"", "use bash, zsh or fish");
        }
        root.session().print(ShellScripts.of(shell, CommandTree.whole(root.session())));
        return ExitCode.DONE.code();
    }
}
