package dev.muster.it;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM that a test starts, with the test's class path. Closing it kills the process. */
final class Child implements AutoCloseable {
    private final Process process;
    private final BufferedReader out;

    private Child(Process process) {
        this.process = process;
        this.out = process.inputReader(StandardCharsets.UTF_8);
    }

    static Child start(Class<?> main, Object... arguments) throws IOException {
        return start(List.of(), main, arguments);
    }

    /** @param jvm options of the JVM, which override the default ones */
    static Child start(List<String> jvm, Class<?> main, Object... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Messages of the JVM itself must not mix with the lines of the program.
        command.addAll(List.of(
                "-XX:-UsePerfData",
                "-Xlog:disable",
                "-Xlog:all=warning:stderr",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-Xmx256m"));
        command.addAll(jvm);
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(main.getName());
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        return new Child(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** The next line of its output, or null at the end. */
    String readLine() throws IOException {
        return out.readLine();
    }

    /** All remaining lines of its output. */
    List<String> readLines() {
        return out.lines().toList();
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Prints the stacks of its threads. */
    void printThreads() throws InterruptedException {
        JavaThreads.print(process.pid());
    }

    void tell(String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    /** Sends SIGKILL. Earlier output can still be read, which {@link Process#destroyForcibly} would prevent. */
    void kill() throws IOException, InterruptedException {
        if (process.isAlive()) {
            signal("KILL");
        }
        process.waitFor();
    }

    /** Sends SIGKILL without starting another program, for tests that measure from here on. */
    void killNow() {
        process.destroyForcibly();
    }

    /** Sends SIGSTOP, and returns when the process is stopped. */
    void stop() throws IOException, InterruptedException {
        signal("STOP");
        awaitStopped();
    }

    /** Waits until all its threads are stopped: for a while after the signal a thread may still run. */
    void awaitStopped() {
        Path threads = Path.of("/proc", Long.toString(process.pid()), "task");
        while (process.isAlive() && Files.isDirectory(threads) && !isStopped(threads)) {
            Rounds.letTimePass(1);
        }
    }

    private static boolean isStopped(Path threads) {
        try (DirectoryStream<Path> each = Files.newDirectoryStream(threads)) {
            for (Path thread : each) {
                String stat = Files.readString(thread.resolve("stat"));
                if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
                    return false;
                }
            }
            return true;
        } catch (IOException | DirectoryIteratorException e) {
            // A thread, or the process, ended during the check; the process is checked before the next round.
            return false;
        }
    }

    void cont() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        int exit = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
        // The kernel knows of the end of a process before the JVM does.
        if (exit != 0 && Files.exists(Path.of("/proc", Long.toString(process.pid())))) {
            throw new IOException("kill -" + name + " " + process.pid() + " ended with " + exit);
        }
    }

    int await() throws InterruptedException {
        if (!process.waitFor(3, TimeUnit.MINUTES)) {
            printThreads();
            throw new IllegalStateException("process " + process.pid() + " does not end");
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
