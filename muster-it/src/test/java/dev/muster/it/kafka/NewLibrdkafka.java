package dev.muster.it.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A newer librdkafka than that of the system, for the same kcat. It is built once per checkout from the source in
 * Confluent's package for Node.js, in about half a minute of processor time.
 */
final class NewLibrdkafka {
    private static final String MODULE = "@confluentinc/kafka-javascript";
    private static final String VERSION = "1.10.1";
    private static final Path HOME = Path.of("target", "clients", "librdkafka").toAbsolutePath();
    private static final Path SOURCE =
            HOME.resolve("node_modules").resolve(MODULE).resolve("deps").resolve("librdkafka");
    private static final Path LIBRARY = SOURCE.resolve("src").resolve("librdkafka.so.1");

    private NewLibrdkafka() {}

    /** The command by which kcat runs on it. */
    static List<String> kcat() {
        return List.of("env", "LD_LIBRARY_PATH=" + LIBRARY.getParent(), "kcat");
    }

    /** Skips the test, with the reason, if the library cannot be built. */
    static void require() throws IOException {
        Programs.require("kcat", "-V");
        Programs.makeAlone(HOME, () -> Files.exists(LIBRARY) ? Optional.empty() : build())
                .ifPresent(why -> Programs.skip("a new librdkafka cannot be built: " + why));
    }

    private static Optional<String> build() {
        // Not installed by npm, because that build downloads further sources.
        Optional<String> trouble = Programs.whyNot(
                "npm",
                "install",
                "--prefix",
                HOME.toString(),
                "--no-audit",
                "--no-fund",
                "--silent",
                "--ignore-scripts",
                MODULE + "@" + VERSION);
        if (trouble.isPresent()) {
            return trouble;
        }
        String configure = "./configure --disable-optimization --disable-debug-symbols"
                + " --disable-gssapi --disable-curl --disable-syslog";
        return Programs.whyNot(
                Duration.ofMinutes(5),
                "sh",
                "-c",
                "cd '" + SOURCE + "' && " + configure + " && exec make -j2 -C src librdkafka.so.1");
    }
}
