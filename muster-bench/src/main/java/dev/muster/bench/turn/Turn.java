package dev.muster.bench.turn;

import dev.muster.bench.measure.Parameters;
import java.util.Arrays;
import java.util.List;

/**
 * One turn of one contestant, in a child JVM. It exchanges lines with the parent: it prints {@code ready} once it is
 * set up, waits for a line on its input, and prints {@code result name=value …} at the end. A failure is an exit code.
 */
public interface Turn {
    /** Runs the turn and returns its figures. */
    Parameters run(Parameters parameters, Cue cue) throws Exception;

    /** Lets the parent start several turns at one moment. */
    interface Cue {
        /**
         * Reports that the turn is set up, and waits for the parent.
         *
         * @return the parameters that the parent sent
         */
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
            // Exit, not return: a peer may leave threads that would keep this JVM alive.
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
