package dev.muster.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/** The command in a process of its own. A test can wait for its lines. Killed when closed. */
final class MusterProcess implements AutoCloseable {
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(3);

    private final Process process;
    private final Lines out;
    private final Lines err;

    private MusterProcess(Process process) {
        this.process = process;
        this.out = new Lines(process.inputReader());
        this.err = new Lines(process.errorReader());
    }

    static MusterProcess start(Path data, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-UsePerfData",
                "-Xlog:disable",
                "-Xlog:all=warning:stderr",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.muster.cli.Main",
                "--data",
                data.toString()));
        command.addAll(List.of(args));
        return new MusterProcess(new ProcessBuilder(command).start());
    }

    /** The lines of a stream as they come. Thread-safe. */
    static final class Lines {
        private final List<String> lines = new ArrayList<>();
        private boolean ended;

        Lines(BufferedReader from) {
            Thread.ofVirtual().start(() -> {
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

        /** The first line that matches, among the present lines and those that come. */
        synchronized String await(Predicate<String> fits) throws InterruptedException, TimeoutException {
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            int seen = 0;
            while (true) {
                for (; seen < lines.size(); seen++) {
                    if (fits.test(lines.get(seen))) {
                        return lines.get(seen);
                    }
                }
                long leftMs = (deadline - System.nanoTime()) / 1_000_000;
                if (ended || leftMs <= 0) {
                    throw new TimeoutException("no such line among " + lines);
                }
                wait(leftMs);
            }
        }

        synchronized List<String> all() {
            return List.copyOf(lines);
        }

        /** Waits until all output was read, unless children keep the pipe open for long. */
        private synchronized void awaitEnd() throws InterruptedException {
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            for (long leftMs = 1; !ended && leftMs > 0; leftMs = (deadline - System.nanoTime()) / 1_000_000) {
                wait(leftMs);
            }
        }
    }

    Lines out() {
        return out;
    }

    Lines err() {
        return err;
    }

    Process process() {
        return process;
    }

    /** Sends SIGKILL, and waits until the output was read. */
    void kill() throws IOException, InterruptedException {
        signal("KILL");
        awaitEnd();
    }

    /** Sends SIGTERM, and waits until the output was read. */
    int terminate() throws InterruptedException {
        process.toHandle().destroy();
        return awaitEnd();
    }

    private int awaitEnd() throws InterruptedException {
        int exit = process.waitFor();
        out.awaitEnd();
        err.awaitEnd();
        return exit;
    }

    void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid())
                .start()
                .waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
