package dev.muster.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code muster completion}: prints a script that teaches a shell the commands and options. */
@Command(
        name = "completion",
        description = "Print a completion script for a shell.",
        footer = {"", "Example:", "  source <(muster completion bash)"})
final class CompletionCommand implements Callable<Integer> {
    private final RootCommand root;

    @Parameters(paramLabel = "SHELL", description = "bash (zsh understands it too, after bashcompinit).")
    private String shell;

    CompletionCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        if (!shell.equals("bash") && !shell.equals("zsh")) {
            throw CommandException.usage("there is no completion for \"" + shell + "\"", "muster completion bash");
        }
        root.session().print(AutoComplete.bash("muster", CommandTree.whole(root.session())));
        return ExitCode.DONE.code();
    }
}
