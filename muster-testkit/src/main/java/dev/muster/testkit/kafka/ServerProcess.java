package dev.muster.testkit.kafka;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A server of the Kafka protocol in a process of its own, on one port of the loopback interface. It can be killed and
 * launched again on the same data. Not thread-safe. Closing it kills the process, and so does the end of this JVM.
 */
public final class ServerProcess implements AutoCloseable {
    private static final Duration START_MAX = Duration.ofMinutes(2);
    private static final int ANSWER_MS_MAX = 5000;
    private static final int ASK_AGAIN_MS = 2;
    /** A request: length, API 18 (ApiVersions), version 0, correlation id 7, no client id. */
    private static final byte[] ASK_FOR_VERSIONS = HexFormat.of().parseHex("0000000a0012000000000007ffff");

    private final List<String> command;
    private final Map<String, String> environment;
    private final int port;
    private final Path output;
    private final Thread atExit = new Thread(this::kill, "kill a server");
    private volatile Process process;
    private long launchedNanos;

    /** @param output file to which the output of the server is appended */
    private ServerProcess(List<String> command, Map<String, String> environment, int port, Path output) {
        this.command = List.copyOf(command);
        this.environment = Map.copyOf(environment);
        this.port = port;
        this.output = output;
    }

    /** Makes the command for a server that listens on a given port. */
    public interface Command {
        List<String> listeningOn(int port) throws IOException;
    }

    /** Makes a server for a port that is free now. It is not launched yet. */
    public static ServerProcess of(Command command, Map<String, String> environment, Path output) throws IOException {
        int port = LoopbackPorts.free();
        ServerProcess server = new ServerProcess(command.listeningOn(port), environment, port, output);
        Runtime.getRuntime().addShutdownHook(server.atExit);
        return server;
    }

    /** Launches the server and waits for its first answer. Returns the time between the two. */
    public Duration start() throws IOException, InterruptedException {
        launch();
        return awaitAnswer();
    }

    /** Starts the process, and returns without waiting for an answer. */
    public void launch() throws IOException {
        if (process != null && process.isAlive()) {
            throw new IllegalStateException("the server is already running, as process " + process.pid());
        }
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
        builder.environment().putAll(environment);
        launchedNanos = System.nanoTime();
        process = builder.start();
    }

    /** Waits until the server has answered a request. Returns the time since it was launched. */
    public Duration awaitAnswer() throws IOException, InterruptedException {
        while (!answers()) {
            // waitFor returns at once when the process ends; otherwise the next request follows shortly.
            if (process.waitFor(ASK_AGAIN_MS, TimeUnit.MILLISECONDS)
                    || sinceLaunch().compareTo(START_MAX) > 0) {
                kill();
                throw new IOException("the server did not start: " + said());
            }
        }
        return sinceLaunch();
    }

    public Duration sinceLaunch() {
        return Duration.ofNanos(System.nanoTime() - launchedNanos);
    }

    private boolean answers() {
        InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        try (Socket socket = new Socket()) {
            socket.connect(server, ANSWER_MS_MAX);
            socket.setSoTimeout(ANSWER_MS_MAX);
            socket.getOutputStream().write(ASK_FOR_VERSIONS);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            int length = in.readInt();
            int correlationId = in.readInt();
            short error = in.readShort();
            return length > 0 && correlationId == 7 && error == 0;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Kills the process ({@code kill -9}), and waits until it has ended. */
    public void kill() {
        if (process != null) {
            process.destroyForcibly();
            process.onExit().join();
        }
    }

    public long pid() {
        return process.pid();
    }

    public int port() {
        return port;
    }

    /** The output of the server so far. */
    public String said() throws IOException {
        return Files.exists(output) ? Files.readString(output) : "";
    }

    @Override
    public void close() {
        kill();
        Runtime.getRuntime().removeShutdownHook(atExit);
    }
}
