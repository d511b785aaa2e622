package dev.muster.it.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** kafkajs, the client of Node.js, written without any of Kafka's own code. */
class KafkaJsIT extends ClientContract {
    /** The folder is kept between runs, so npm runs once per checkout. */
    private static final Path HOME = Path.of("target", "clients", "kafkajs").toAbsolutePath();

    private static String member = "";
    private static final List<String> CODECS = List.of("lz4", "zstd");

    @Override
    void requireClient() throws Exception {
        member = script("member.js");
    }

    /** Copies a script beside the modules that it needs. Skips the test without these. */
    static String script(String name) throws Exception {
        Programs.require("node", "--version");
        install("kafkajs@2.2.4", "kafkajs-snappy@1.1.0")
                .ifPresent(why -> Programs.skip("kafkajs cannot be installed: " + why));
        Path script = HOME.resolve(name);
        Files.copy(Path.of(Programs.script(name)), script, StandardCopyOption.REPLACE_EXISTING);
        return script.toString();
    }

    /** Installs missing modules with npm. Returns the cause of a failure. */
    private static Optional<String> install(String... modules) throws IOException {
        return Programs.makeAlone(HOME, () -> installAlone(modules));
    }

    private static Optional<String> installAlone(String... modules) {
        if (Stream.of(modules)
                .map(module -> module.substring(0, module.lastIndexOf('@')))
                .allMatch(name -> Files.isDirectory(HOME.resolve("node_modules").resolve(name)))) {
            return Optional.empty();
        }
        return Programs.whyNot(Stream.concat(
                        Stream.of("npm", "install", "--prefix", HOME.toString(), "--no-audit", "--no-fund", "--silent"),
                        Stream.of(modules))
                .toArray(String[]::new));
    }

    /** kafkajs has no codecs for the last two compressions; other packages are tried if npm has them. */
    @Override
    List<String> compressions() throws IOException {
        Optional<String> missing = install("lz4-napi@2.10.0", "zstd-codec@0.1.5");
        missing.ifPresent(why -> System.out.println("SKIPPED: kafkajs with " + CODECS + ": " + why));
        return Stream.concat(
                        Stream.of("none", "gzip", "snappy"), missing.isPresent() ? Stream.empty() : CODECS.stream())
                .toList();
    }

    @Override
    List<String> producing(String address, String topic, String compression) {
        return List.of("node", member, "produce", address, topic, compression);
    }

    @Override
    List<String> consuming(String address, String topic, String... settings) {
        return Stream.concat(Stream.of("node", member, "consume", address, topic, GROUP), Stream.of(settings))
                .toList();
    }
}
