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
 * A group member in a process of its own, which can be killed, stopped and continued. For one thread.
 *
 * <p>The process always ends with the demo: it reads its stdin, and the demo holds the other end. A stopped process
 * reads nothing. So a child of the demo stops it, and continues it when the child's own stdin ends.
 */
final class MemberProcess implements AutoCloseable {
    /** The session timeout: short, so that the effect of stopping a member is soon visible. */
    static final Duration SESSION = Duration.ofSeconds(3);

    enum State {
        RUNNING,
        STOPPED,
        /** The demo killed it. */
        KILLED,
        /** The process ended by itself, because of an error. */
        ENDED
    }

    private final String group;
    private final String name;
    private final Process process;
    /** The child that stopped the member; null while the member is not stopped. */
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

    /** The command line of a JVM that starts fast and stays small. */
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

    /** Sends SIGKILL. */
    void kill() {
        killed = true;
        process.destroyForcibly();
        letStopperEnd();
    }

    /** Sends SIGSTOP. */
    void stop() throws IOException {
        if (state() == State.RUNNING) {
            stopper = new ProcessBuilder(
                            "sh", "-c", "kill -STOP $1; read -r line; kill -CONT $1", "sh", Long.toString(pid()))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        }
    }

    /** Sends SIGCONT. */
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
            // The process is gone already.
        }
    }

    /** Asks the process to end, without waiting. */
    void end() {
        letStopperEnd();
        closeInput(process);
    }

    /** Waits a short time for the end of the process, then kills it. */
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

    /** The last line of its log, for a member that ended with an error. */
    String lastWords(Path folder) {
        try {
            List<String> lines = Files.readAllLines(folder.resolve(name + ".log"));
            return lines.isEmpty() ? "no message" : lines.getLast();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
