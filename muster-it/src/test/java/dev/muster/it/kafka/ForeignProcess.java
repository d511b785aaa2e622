package dev.muster.it.kafka;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another project's client in its own process, with its output. Closing it kills the process. */
final class ForeignProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String RECORD = "record ";

    private final Process process;
    private final Thread listener;
    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());

    private ForeignProcess(Process process) {
        this.process = process;
        this.listener = Thread.ofPlatform().daemon().name("listener").start(this::listen);
    }

    /** Starts a command, with standard error redirected to standard output. */
    static ForeignProcess start(List<String> command) throws IOException {
        return new ForeignProcess(
                new ProcessBuilder(command).redirectErrorStream(true).start());
    }

    /** Runs a command, which must exit with 0. */
    static List<String> run(List<String> command, String... input) throws IOException, InterruptedException {
        try (ForeignProcess process = start(command)) {
            try (Writer in = process.process.outputWriter(StandardCharsets.UTF_8)) {
                for (String line : input) {
                    in.write(line + "\n");
                }
            }
            process.await(PATIENCE);
            process.listener.join();
            process.requireGoodEnd(command);
            return process.lines();
        }
    }

    /** Runs a command that may take long and may start other processes, which can outlive it and keep its pipe open. */
    static void make(Duration patience, List<String> command) throws IOException, InterruptedException {
        try (ForeignProcess process = start(command)) {
            process.process.getOutputStream().close();
            process.await(patience);
            process.listener.join(Duration.ofSeconds(5));
            process.requireGoodEnd(command);
        }
    }

    private void requireGoodEnd(List<String> command) {
        if (process.exitValue() != 0) {
            throw new AssertionError(command + " ended with " + process.exitValue() + ": " + this);
        }
    }

    private void listen() {
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            // The process was killed; its earlier output is kept.
            lines.add("(" + e.getMessage() + ")");
        }
    }

    List<String> lines() {
        return List.copyOf(lines);
    }

    /** The rest of each line that begins with "record". */
    List<String> records() {
        return lines().stream()
                .filter(line -> line.startsWith(RECORD))
                .map(line -> line.substring(RECORD.length()).strip())
                .toList();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Sends SIGTERM, after which a correct client leaves its group. */
    void leave() throws InterruptedException {
        process.destroy();
        await(PATIENCE);
        listener.join();
    }

    /** SIGKILL. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        await(PATIENCE);
        listener.join();
    }

    /** Waits for the end of the process and of its output. */
    private void await(Duration patience) throws InterruptedException {
        if (!process.waitFor(patience.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("process " + process.pid() + " does not end: " + this);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }

    @Override
    public String toString() {
        List<String> all = lines();
        return (isAlive() ? "running" : "ended") + ", said " + all.size() + " lines, last "
                + all.subList(Math.max(0, all.size() - 20), all.size());
    }
}
