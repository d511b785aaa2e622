package dev.muster.cli;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What to tell someone whose words cannot be parsed: what is wrong, and which word was probably meant. */
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
        String hint = nearest(word, known)
                .map(near -> command.qualifiedName() + " " + near)
                .orElse(help);
        return new Problem(ExitCode.USAGE, what + "\"" + word + "\"", hint);
    }

    /** The known word that is fewest letters away from the written one, if it is near at all. */
    private static Optional<String> nearest(String word, Collection<String> known) {
        int allowed = 1 + word.length() / 4;
        return known.stream()
                .filter(candidate -> distance(word, candidate) <= allowed)
                .min(Comparator.comparingInt(candidate -> distance(word, candidate)));
    }

    /** Levenshtein's: letters to change, add or take away. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int changed = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
