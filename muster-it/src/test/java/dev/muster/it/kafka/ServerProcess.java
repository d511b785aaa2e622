package dev.muster.it.kafka;

import dev.muster.cli.Main;
import dev.muster.it.TestProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code muster serve} in its own process, with methods to kill and to inspect it. */
final class ServerProcess implements AutoCloseable {
    private static final Pattern READY = Pattern.compile("ready: .* at 127\\.0\\.0\\.1:(\\d+) .*");
    private static final int KIB = 1024;

    private final TestProcess process;
    private final Path data;
    private final long startedNanos;
    private int port;

    private ServerProcess(TestProcess process, Path data, long startedNanos, int port) {
        this.process = process;
        this.data = data;
        this.startedNanos = startedNanos;
        this.port = port;
    }

    /** Starts a server, and returns when it is ready. */
    static ServerProcess start(Path data, int port, String... settings) throws IOException {
        return begin(List.of(), data, port, settings).awaitReady();
    }

    static ServerProcess start(List<String> jvm, Path data, int port, String... settings) throws IOException {
        return begin(jvm, data, port, settings).awaitReady();
    }

    /** Starts a server without waiting. */
    static ServerProcess begin(List<String> jvm, Path data, int port, String... settings) throws IOException {
        List<Object> arguments = new ArrayList<>(List.of("serve", "--data", data, "--listen", "127.0.0.1:" + port));
        for (String setting : settings) {
            arguments.add("--set");
            arguments.add(setting);
        }
        long now = System.nanoTime();
        return new ServerProcess(TestProcess.start(jvm, Main.class, arguments.toArray()), data, now, port);
    }

    ServerProcess awaitReady() throws IOException {
        String line = process.readLine();
        Matcher ready = READY.matcher(line == null ? "" : line);
        if (!ready.matches()) {
            close();
            throw new AssertionError("the server is not ready, it said: " + line);
        }
        port = Integer.parseInt(ready.group(1));
        return this;
    }

    int port() {
        return port;
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    /** The start time, as {@link System#nanoTime}. */
    long startedNanos() {
        return startedNanos;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Sends SIGKILL, and returns when the process is dead. */
    void kill() throws IOException, InterruptedException {
        process.kill();
    }

    int await() throws InterruptedException {
        return process.await();
    }

    /** The resident memory of the process. */
    long residentBytes() throws IOException {
        return status("VmRSS") * KIB;
    }

    /** The bytes on the heap after a collection. */
    long liveHeapBytes() throws IOException, InterruptedException {
        String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        Process looking = new ProcessBuilder(jcmd, Long.toString(process.pid()), "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        List<String> lines = looking.inputReader().lines().toList();
        looking.waitFor();
        String[] total =
                lines.isEmpty() ? new String[0] : lines.getLast().strip().split(" +");
        if (total.length < 3 || !total[0].equals("Total")) {
            throw new IOException("no histogram of the heap of process " + process.pid() + ": " + lines);
        }
        return Long.parseLong(total[2]);
    }

    /** The processor time of the process, which is meaningful on a busy machine too. */
    Duration processorTime() {
        return ProcessHandle.of(process.pid())
                .flatMap(handle -> handle.info().totalCpuDuration())
                .orElse(Duration.ZERO);
    }

    long threads() throws IOException {
        return status("Threads");
    }

    /** The number of its sockets: connections, and one or two listeners. */
    long sockets() throws IOException {
        return open("socket:.*");
    }

    /** The number of open files below its data directory. */
    long openFiles() throws IOException {
        return open(Pattern.quote(data.toRealPath().toString()) + ".*");
    }

    private long open(String pattern) throws IOException {
        long count = 0;
        try (var files = Files.newDirectoryStream(Path.of("/proc", Long.toString(process.pid()), "fd"))) {
            for (Path file : files) {
                try {
                    count += Files.readSymbolicLink(file).toString().matches(pattern) ? 1 : 0;
                } catch (NoSuchFileException e) {
                    // The descriptor was closed just now.
                    continue;
                }
            }
        }
        return count;
    }

    private long status(String key) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status"))) {
            if (line.startsWith(key + ":")) {
                return Long.parseLong(line.replaceAll("\\D+", ""));
            }
        }
        throw new IOException("no " + key + " in the status of process " + process.pid());
    }

    @Override
    public void close() {
        process.close();
    }
}
