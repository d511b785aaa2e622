package dev.muster.testkit.kafka;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Apache Kafka's unmodified broker: one node that is its own controller. It runs from the jars that
 * {@code muster-testkit/kafka-peer/pom.xml} fetches.
 *
 * @param jars folder with Kafka's jars
 * @param jvm options for the JVM of the broker
 * @param settings lines of {@code server.properties} in addition to those that one node needs
 */
public record KafkaPeer(Path jars, List<String> jvm, List<String> settings) {
    private static final long FORMAT_SECONDS_MAX = 120;

    /** The folder with the jars; empty if they have not been fetched. */
    public static Optional<Path> jars(Path checkout) throws IOException {
        Path folder = checkout.resolve("muster-testkit", "kafka-peer", "target", "jars")
                .toAbsolutePath()
                .normalize();
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.anyMatch(file -> file.getFileName().toString().startsWith("kafka_"))
                    ? Optional.of(folder)
                    : Optional.empty();
        }
    }

    /** Formats a folder for a broker. Returns the broker, which is not launched yet. */
    public ServerProcess prepare(Path folder) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        Path properties = folder.resolve("server.properties");
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
        ServerProcess server = ServerProcess.of(
                port -> {
                    Files.write(properties, properties(folder, port));
                    return java(jvm, folder, "kafka.Kafka", properties.toString());
                },
                Map.of(),
                output);
        format(folder, properties, output);
        return server;
    }

    private void format(Path folder, Path properties, Path output) throws IOException, InterruptedException {
        Process format = new ProcessBuilder(java(
                        List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                        folder,
                        "kafka.tools.StorageTool",
                        "format",
                        "--standalone",
                        "-t",
                        clusterId(),
                        "-c",
                        properties.toString()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                .start();
        if (!format.waitFor(FORMAT_SECONDS_MAX, TimeUnit.SECONDS) || format.exitValue() != 0) {
            format.destroyForcibly();
            throw new IOException(
                    "Kafka's StorageTool failed to format folder " + folder + ": " + Files.readString(output));
        }
    }

    private List<String> properties(Path folder, int port) throws IOException {
        int controllerPort = LoopbackPorts.free();
        while (controllerPort == port) {
            controllerPort = LoopbackPorts.free();
        }
        List<String> lines = new ArrayList<>(List.of(
                "process.roles=broker,controller",
                "node.id=1",
                "listeners=PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort,
                "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
                "controller.listener.names=CONTROLLER",
                "controller.quorum.bootstrap.servers=127.0.0.1:" + controllerPort,
                "log.dirs=" + folder.resolve("data"),
                "offsets.topic.replication.factor=1",
                "transaction.state.log.replication.factor=1",
                "transaction.state.log.min.isr=1",
                "share.coordinator.state.topic.replication.factor=1",
                "share.coordinator.state.topic.min.isr=1"));
        lines.addAll(settings);
        return lines;
    }

    private List<String> java(List<String> options, Path folder, String main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(
                List.of("-Dlog4j2.configurationFile=" + folder.resolve("log4j2.properties"), "-cp", jars + "/*", main));
        command.addAll(List.of(arguments));
        return command;
    }

    /** A new cluster id in Kafka's form: the 16 bytes of a UUID in 22 characters. */
    private static String clusterId() {
        UUID id = UUID.randomUUID();
        byte[] bytes = ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .array();
        // StorageTool would take an id that begins with a dash for an option.
        bytes[0] &= 0x7f;
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
