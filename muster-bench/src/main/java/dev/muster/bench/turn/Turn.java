package dev.muster.bench.turn;

import dev.muster.bench.measure.Parameters;
import java.util.Arrays;
import java.util.List;

/**
 * What a child JVM runs: one turn of one contestant. It talks with the parent in lines: {@code ready} when it is set
 * up, then it waits for a line on its input, and at the end {@code result name=value …}. A failure is an exit code.
 */
public interface Turn {
    /** Runs the turn and gives its figures. */
    Parameters run(Parameters parameters, Cue cue) throws Exception;

    /** Lets the parent start several turns at one moment. */
    interface Cue {
        /** Says that all is set up and waits for the parent's word; gives what the parent said. */
        Parameters await() throws Exception;
    }

    static Turn named(String name) {
        return switch (name) {
            case "append" -> new AppendTurn();
            case "many" -> new ManyTurn();
            case "verify" -> new VerifyTurn();
            case "wake-reader" -> new WakeReaderTurn();
            case "wake-writer" -> new WakeWriterTurn();
            case "commit" -> new CommitTurn();
            default -> throw new IllegalArgumentException("no turn named " + name);
        };
    }

    static void main(String[] args) {
        try {
            Parameters parameters = Parameters.parse(Arrays.asList(args).subList(1, args.length));
            Parameters result = named(args[0]).run(parameters, Turn::awaitParent);
            IO.println("result " + String.join(" ", result.words()));
            // Exit, not return: a peer may leave threads behind that would keep this JVM.
            System.exit(0);
        } catch (Exception | AssertionError e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    private static Parameters awaitParent() {
        IO.println("ready");
        String line = IO.readln();
        if (line == null) {
            throw new IllegalStateException("the parent is gone");
        }
        return Parameters.parse(line.isBlank() ? List.of() : Arrays.asList(line.split(" ")));
    }
}
