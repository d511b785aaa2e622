package dev.muster.it;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM started by a test, with the test's own class path. Killed when the test lets go of it. */
final class Child implements AutoCloseable {
    private final Process process;
    private final BufferedReader out;

    private Child(Process process) {
        this.process = process;
        this.out = process.inputReader(StandardCharsets.UTF_8);
    }

    static Child start(Class<?> main, Object... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-Xmx256m"));
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

    /** All lines it has still to say. */
    List<String> readLines() {
        return out.lines().toList();
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void tell(String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    /** SIGKILL. What the process said before can still be read, which {@link Process#destroyForcibly} would prevent. */
    void kill() throws IOException, InterruptedException {
        if (process.isAlive()) {
            signal("KILL");
        }
        process.waitFor();
    }

    /** SIGKILL without a detour over a program that sends it: for those who measure from here on. */
    void killNow() {
        process.destroyForcibly();
    }

    void stop() throws IOException, InterruptedException {
        signal("STOP");
    }

    void cont() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        int exit = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
        if (exit != 0 && process.isAlive()) {
            throw new IOException("kill -" + name + " " + process.pid() + " ended with " + exit);
        }
    }

    int await() throws InterruptedException {
        if (!process.waitFor(2, TimeUnit.MINUTES)) {
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
