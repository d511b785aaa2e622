package dev.muster.it.kafka;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiVersionsRequestData;

/**
 * A broker of Apache Kafka in a process of its own, as it comes, but with one thread of each kind: what reaches it
 * first is done first, so that who got an answer knows that everything sent before was looked at.
 */
final class KafkaPeer implements AutoCloseable {
    private static final long PATIENCE_S = 120;

    private final Process process;
    private final int port;

    private KafkaPeer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Where the build puts Kafka's jars; empty when it could not. */
    static Optional<Path> jars() throws IOException {
        Path folder = Path.of("target", "kafka-peer").toAbsolutePath();
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.anyMatch(file -> file.getFileName().toString().startsWith("kafka_"))
                    ? Optional.of(folder)
                    : Optional.empty();
        }
    }

    static KafkaPeer start(Path jars, Path folder) throws IOException, InterruptedException {
        int[] ports = freePorts();
        Path settings = Files.write(folder.resolve("server.properties"), settings(folder, ports[0], ports[1]));
        Files.write(
                folder.resolve("log4j2.properties"),
                List.of(
                        "status = error",
                        "appender.out.type = Console",
                        "appender.out.name = out",
                        "appender.out.layout.type = PatternLayout",
                        "appender.out.layout.pattern = %d %p %c %m%n",
                        "rootLogger.level = warn",
                        "rootLogger.appenderRef.out.ref = out"));
        Process format = java(
                jars,
                folder,
                "kafka.tools.StorageTool",
                "format",
                "--standalone",
                "-t",
                Uuid.randomUuid().toString(),
                "-c",
                settings.toString());
        if (!format.waitFor(PATIENCE_S, TimeUnit.SECONDS) || format.exitValue() != 0) {
            format.destroyForcibly();
            throw new IOException("Kafka did not format its folder: " + said(folder));
        }
        KafkaPeer peer = new KafkaPeer(java(jars, folder, "kafka.Kafka", settings.toString()), ports[0]);
        peer.awaitStart(folder);
        return peer;
    }

    private static List<String> settings(Path folder, int port, int controllerPort) {
        return List.of(
                "process.roles=broker,controller",
                "node.id=1",
                "listeners=PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort,
                "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
                "controller.listener.names=CONTROLLER",
                "controller.quorum.bootstrap.servers=127.0.0.1:" + controllerPort,
                "log.dirs=" + folder.resolve("data"),
                "num.network.threads=1",
                "num.io.threads=1",
                "group.coordinator.threads=1",
                "group.coordinator.append.linger.ms=0",
                "group.initial.rebalance.delay.ms=0",
                "group.min.session.timeout.ms=1000",
                "offsets.topic.num.partitions=1",
                "offsets.topic.replication.factor=1",
                "auto.create.topics.enable=false");
    }

    /** Somebody may take them before Kafka does; then it says so and the test fails, which nobody has seen yet. */
    private static int[] freePorts() throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket one = new ServerSocket(0, 1, loopback);
                ServerSocket other = new ServerSocket(0, 1, loopback)) {
            return new int[] {one.getLocalPort(), other.getLocalPort()};
        }
    }

    private static Process java(Path jars, Path folder, String main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx512m",
                "-Dlog4j2.configurationFile=" + folder.resolve("log4j2.properties"),
                "-cp",
                jars + "/*",
                main));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("output").toFile()))
                .start();
    }

    private void awaitStart(Path folder) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        while (!answers()) {
            // Its end would be noticed at once; else it is asked again a little later.
            if (process.waitFor(50, TimeUnit.MILLISECONDS) || System.nanoTime() > deadline) {
                close();
                throw new IOException("Kafka did not start: " + said(folder));
            }
        }
    }

    private boolean answers() throws InterruptedException {
        try (RawConnection connection = new RawConnection(port, "test")) {
            connection.send(new ApiVersionsRequestData(), 0).get(5, TimeUnit.SECONDS);
            return true;
        } catch (IOException | ExecutionException | TimeoutException e) {
            return false;
        }
    }

    private static String said(Path folder) throws IOException {
        return Files.readString(folder.resolve("output"));
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
