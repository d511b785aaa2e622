package dev.muster.cli;

import dev.muster.cli.command.ExitCode;
import dev.muster.core.Spelling;
import java.util.Collection;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Errors for arguments that cannot be parsed: the wrong word, and the word that was probably meant. */
final class UsageProblems {
    private UsageProblems() {}

    static Problem of(ParameterException e) {
        CommandSpec command = e.getCommandLine().getCommandSpec();
        String help = command.qualifiedName() + " --help";
        if (!(e instanceof UnmatchedArgumentException unmatched)
                || unmatched.getUnmatched().isEmpty()) {
            return new Problem(ExitCode.USAGE, e.getMessage(), help);
        }
        String word = unmatched.getUnmatched().getFirst();
        boolean option = word.startsWith("-");
        boolean branch = !command.subcommands().isEmpty();
        Collection<String> known = option
                ? command.optionsMap().keySet()
                : branch ? command.subcommands().keySet() : List.of();
        String what = option ? "unknown option " : branch ? "unknown command " : "one argument too many: ";
        String hint = Spelling.nearest(word, known)
                .map(near -> command.qualifiedName() + " " + near)
                .orElse(help);
        return new Problem(ExitCode.USAGE, what + "\"" + word + "\"", hint);
    }
}
