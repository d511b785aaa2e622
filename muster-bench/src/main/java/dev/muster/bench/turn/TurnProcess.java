package dev.muster.bench.turn;

import dev.muster.bench.measure.Parameters;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A turn in a JVM of its own, with the flags and class path of this JVM. Closing it ends the process, by force if it
 * still runs.
 */
public final class TurnProcess implements AutoCloseable {
    private final String name;
    private final Process process;
    private final BufferedReader from;
    private final BufferedWriter to;

    private TurnProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        this.from = process.inputReader(StandardCharsets.UTF_8);
        this.to = process.outputWriter(StandardCharsets.UTF_8);
    }

    public static TurnProcess start(String turn, Parameters parameters) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Turn.class.getName(), turn));
        command.addAll(parameters.words());
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return new TurnProcess(turn + " " + String.join(" ", parameters.words()), process);
    }

    /** Runs a turn that needs no cue, to its end. */
    public static Parameters run(String turn, Parameters parameters) throws IOException {
        try (TurnProcess child = start(turn, parameters)) {
            return child.result();
        }
    }

    public void awaitReady() throws IOException {
        expect("ready");
    }

    public void tell(Parameters parameters) throws IOException {
        to.write(String.join(" ", parameters.words()));
        to.newLine();
        to.flush();
    }

    public Parameters result() throws IOException {
        String line = expect("result");
        return Parameters.parse(Arrays.asList(line.substring("result ".length()).split(" ")));
    }

    /** Reads the line with this word. Other output of a peer is skipped. */
    private String expect(String word) throws IOException {
        for (String line = from.readLine(); line != null; line = from.readLine()) {
            if (line.equals(word) || line.startsWith(word + " ")) {
                return line;
            }
        }
        throw new TurnFailedException(name + " ended without its " + word + " (its reason is above)");
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** A turn failed, or its records were not those that were written. */
    public static final class TurnFailedException extends IOException {
        private static final long serialVersionUID = 1;

        TurnFailedException(String message) {
            super(message);
        }
    }
}
