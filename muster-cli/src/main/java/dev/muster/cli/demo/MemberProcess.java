package dev.muster.cli.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One member of a group in a process of its own, which can be killed, stopped and continued. For one thread.
 *
 * <p>It ends with us, whatever happens to us: it watches its stdin, whose other end we hold. A stopped process watches
 * nothing, so it is stopped by a child that continues it when its own stdin ends.
 */
final class MemberProcess implements AutoCloseable {
    /** Short, so that one does not wait long to see what happens to a stopped member. */
    static final Duration SESSION = Duration.ofSeconds(3);

    enum State {
        RUNNING,
        STOPPED,
        /** By our own hand. */
        KILLED,
        /** By itself: something is wrong. */
        ENDED
    }

    private final String group;
    private final String name;
    private final Process process;
    /** Null while the member is not stopped. */
    private Process stopper;

    private boolean killed;

    private MemberProcess(String group, String name, Process process) {
        this.group = group;
        this.name = name;
        this.process = process;
    }

    /** @param main the class that the process runs, with the arguments of {@code muster} */
    static MemberProcess start(Class<?> main, Path folder, String topic, String group, String name) throws IOException {
        List<String> command = new ArrayList<>(javaCommand(main));
        command.addAll(List.of(
                "--allow-any-filesystem", "--data", folder.resolve("data").toString()));
        command.addAll(List.of("consume", topic, "-g", group, "--id", name, "--commit-every", "500ms"));
        command.addAll(List.of("--session", SESSION.toMillis() + "ms", "--heartbeat", SESSION.toMillis() / 3 + "ms"));
        Process process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(folder.resolve(name + ".log").toFile())
                .start();
        return new MemberProcess(group, name, process);
    }

    /** This program in another JVM, which starts fast and stays small. */
    private static List<String> javaCommand(Class<?> main) {
        String classPath = System.getProperty("java.class.path");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xlog:disable", "-Xlog:all=error,aot*=off,cds*=off:stderr"));
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xmx128m"));
        Path cache =
                Path.of(classPath.split(":")[0]).resolveSibling("../muster.aot").normalize();
        if (Files.isReadable(cache)) {
            command.add("-XX:AOTCache=" + cache);
        }
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", classPath, main.getName()));
        return command;
    }

    String group() {
        return group;
    }

    String name() {
        return name;
    }

    long pid() {
        return process.pid();
    }

    State state() {
        if (process.isAlive()) {
            return stopper == null ? State.RUNNING : State.STOPPED;
        }
        return killed ? State.KILLED : State.ENDED;
    }

    /** SIGKILL. */
    void kill() {
        killed = true;
        process.destroyForcibly();
        letStopperEnd();
    }

    /** SIGSTOP. */
    void stop() throws IOException {
        if (state() == State.RUNNING) {
            stopper = new ProcessBuilder(
                            "sh", "-c", "kill -STOP $1; read -r line; kill -CONT $1", "sh", Long.toString(pid()))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        }
    }

    /** SIGCONT. */
    void goOn() {
        letStopperEnd();
    }

    private void letStopperEnd() {
        if (stopper != null) {
            closeInput(stopper);
            stopper = null;
        }
    }

    private static void closeInput(Process process) {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It is gone already.
        }
    }

    /** Asks it to end, without waiting. */
    void end() {
        letStopperEnd();
        closeInput(process);
    }

    /** Waits a moment for its end, then ends it. */
    @Override
    public void close() {
        end();
        try {
            if (!process.waitFor(3, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** What it said last, for when it ended by itself. */
    String lastWords(Path folder) {
        try {
            List<String> lines = Files.readAllLines(folder.resolve(name + ".log"));
            return lines.isEmpty() ? "it said nothing" : lines.getLast();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
