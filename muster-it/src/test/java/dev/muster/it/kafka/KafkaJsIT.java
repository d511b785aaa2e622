package dev.muster.it.kafka;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** kafkajs, the client of Node.js, written without any of Kafka's own code. */
class KafkaJsIT extends ClientContract {
    /** Stays between runs: npm is asked once per checkout. */
    private static final Path HOME = Path.of("target", "clients", "kafkajs").toAbsolutePath();

    @Override
    void requireClient() throws Exception {
        Programs.require("node", "--version");
        Files.createDirectories(HOME);
        if (!Files.isDirectory(HOME.resolve("node_modules/kafkajs-snappy"))) {
            Optional<String> failure = Programs.whyNot(
                    "npm",
                    "install",
                    "--prefix",
                    HOME.toString(),
                    "--no-audit",
                    "--no-fund",
                    "--silent",
                    "kafkajs@2.2.4",
                    "kafkajs-snappy@1.1.0");
            failure.ifPresent(why -> Programs.skip("kafkajs cannot be installed: " + why));
        }
        // Beside its modules, where Node looks for them.
        Files.copy(Path.of(Programs.script("member.js")), script(), StandardCopyOption.REPLACE_EXISTING);
    }

    private static Path script() {
        return HOME.resolve("member.js");
    }

    /** Not lz4 and zstd: kafkajs has no codec of its own for them, and those of others must be compiled. */
    @Override
    List<String> compressions() {
        return List.of("none", "gzip", "snappy");
    }

    @Override
    List<String> producing(String address, String topic, String compression) {
        return List.of("node", script().toString(), "produce", address, topic, compression);
    }

    @Override
    List<String> consuming(String address, String topic, String... settings) {
        return Stream.concat(
                        Stream.of("node", script().toString(), "consume", address, topic, GROUP), Stream.of(settings))
                .toList();
    }
}
