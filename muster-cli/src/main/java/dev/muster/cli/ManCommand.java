package dev.muster.cli;

import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.command.Version;
import dev.muster.cli.completion.ManPage;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code muster man}: prints the man page, for packages that install it. */
@Command(
        name = "man",
        hidden = true,
        description = "Print the man page muster(1) as roff.",
        footer = {"", "Example:", "  muster man > muster.1 && man ./muster.1"})
final class ManCommand implements Callable<Integer> {
    private final RootCommand root;

    ManCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() throws IOException {
        root.session().print(ManPage.of(CommandTree.whole(root.session()), new Version().getVersion()[0]));
        return ExitCode.DONE.code();
    }
}
