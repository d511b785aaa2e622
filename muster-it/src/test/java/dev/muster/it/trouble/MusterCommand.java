package dev.muster.it.trouble;

import dev.muster.it.JavaThreads;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The {@code muster} command in its own process, on one data directory. {@link #run} waits for its end; {@link #start}
 * returns while it runs. No call waits for longer than three minutes.
 */
public final class MusterCommand {
    private static final long PATIENCE_SECONDS = 180;

    private final Path data;
    private final List<String> prefix;
    private final Map<String, String> environment = new LinkedHashMap<>();

    private MusterCommand(Path data, List<String> prefix) {
        this.data = data;
        this.prefix = prefix;
    }

    /** Commands on this data directory. */
    public static MusterCommand on(Path data) {
        return new MusterCommand(data, List.of());
    }

    public Path data() {
        return data;
    }

    /** The command run by another program: {@code under("faketime", "+30d")}, {@code under("setpriv", …)}. */
    public MusterCommand under(String... program) {
        MusterCommand under = new MusterCommand(data, List.of(program));
        under.environment.putAll(environment);
        return under;
    }

    /** The command with an environment variable. */
    public MusterCommand with(String name, String value) {
        MusterCommand with = new MusterCommand(data, prefix);
        with.environment.putAll(environment);
        with.environment.put(name, value);
        return with;
    }

    /** The output and the exit code of a command. */
    public record Result(int exit, List<String> out, List<String> err) {
        public String text() {
            return String.join("\n", out);
        }

        public String errors() {
            return String.join("\n", err);
        }
    }

    /** Runs the command to its end without input. */
    public Result run(String... args) throws IOException, InterruptedException {
        return runWithInput("", args);
    }

    /** Runs the command to its end with this text as its input. */
    public Result runWithInput(String input, String... args) throws IOException, InterruptedException {
        try (Running running = start(args)) {
            try (var in = running.process.getOutputStream()) {
                in.write(input.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                // The command may end without reading its input.
                assert running.process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) : e;
            }
            return running.await();
        }
    }

    /** Starts the command. Its input stays open. */
    public Running start(String... args) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-UsePerfData",
                "-Xlog:disable",
                "-Xlog:all=warning:stderr",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-Xmx256m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.muster.cli.Main",
                "--data",
                data.toString()));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        return new Running(builder.start());
    }

    /** A running command. Closing it kills the process. */
    public static final class Running implements AutoCloseable {
        private final Process process;
        private final Output out;
        private final Output err;

        private Running(Process process) {
            this.process = process;
            this.out = new Output(process.inputReader(StandardCharsets.UTF_8));
            this.err = new Output(process.errorReader(StandardCharsets.UTF_8));
        }

        public long pid() {
            return process.pid();
        }

        public boolean isAlive() {
            return process.isAlive();
        }

        public Output out() {
            return out;
        }

        public Output err() {
            return err;
        }

        /** Writes a line to its input. */
        public void type(String line) throws IOException {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        }

        /** Closes its input. */
        public void endInput() throws IOException {
            process.getOutputStream().close();
        }

        /** Sends a signal: {@code "KILL"}, {@code "STOP"}, {@code "CONT"}, {@code "INT"}. */
        public void signal(String name) throws IOException, InterruptedException {
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
        }

        /** Waits for the end of the process and of its output. */
        public Result await() throws InterruptedException {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                JavaThreads.print(process.pid());
                throw new AssertionError(
                        "process " + process.pid() + " does not end; out: " + out.lines() + ", err: " + err.lines());
            }
            out.awaitEnd();
            err.awaitEnd();
            return new Result(process.exitValue(), out.lines(), err.lines());
        }

        /** Sends SIGTERM, and waits for the end. */
        public Result terminate() throws InterruptedException {
            process.toHandle().destroy();
            return await();
        }

        @Override
        public void close() {
            // A program around the command may have started it as a child of its own.
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            process.onExit().join();
        }
    }

    /** The lines of one stream. Safe for many threads. */
    public static final class Output {
        private final List<String> lines = new ArrayList<>();
        private boolean ended;

        private Output(BufferedReader from) {
            // A platform thread: a virtual one would hold one of the few carriers while it waits for a line.
            Thread.ofPlatform().daemon().name("output of a command").start(() -> {
                try (from) {
                    for (String line = from.readLine(); line != null; line = from.readLine()) {
                        add(line);
                    }
                } catch (IOException e) {
                    add("cannot read: " + e);
                }
                end();
            });
        }

        private synchronized void add(String line) {
            lines.add(line);
            notifyAll();
        }

        private synchronized void end() {
            ended = true;
            notifyAll();
        }

        /** Waits for the first line that matches, including earlier lines. */
        public synchronized String await(Predicate<String> fits) throws InterruptedException {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            int seen = 0;
            while (true) {
                for (; seen < lines.size(); seen++) {
                    if (fits.test(lines.get(seen))) {
                        return lines.get(seen);
                    }
                }
                long leftMs = (deadline - System.nanoTime()) / 1_000_000;
                if (ended || leftMs <= 0) {
                    throw new AssertionError("no such line among " + lines);
                }
                wait(leftMs);
            }
        }

        /** Waits for this number of lines. */
        public synchronized void awaitCount(int count) throws InterruptedException {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            while (lines.size() < count) {
                long leftMs = (deadline - System.nanoTime()) / 1_000_000;
                if (ended || leftMs <= 0) {
                    throw new AssertionError("not " + count + " lines but " + lines);
                }
                wait(leftMs);
            }
        }

        public synchronized List<String> lines() {
            return List.copyOf(lines);
        }

        private synchronized void awaitEnd() throws InterruptedException {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            for (long leftMs = 1; !ended && leftMs > 0; leftMs = (deadline - System.nanoTime()) / 1_000_000) {
                wait(leftMs);
            }
        }
    }
}
