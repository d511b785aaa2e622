package dev.muster.it.kafka;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** External programs that may be installed. A test without its program is skipped, with a message. */
final class Programs {
    private Programs() {}

    static void require(String... command) {
        Optional<String> missing = whyNot(command);
        missing.ifPresent(why -> skip(command[0] + " is not here: " + why));
    }

    static void skip(String why) {
        System.out.println("SKIPPED: " + why);
        assumeTrue(false, why);
    }

    /** The first interpreter that has a module: only the system's interpreter has the system's packages. */
    static Optional<String> pythonWith(String module) {
        return Stream.of("python3", "/usr/bin/python3")
                .filter(one -> whyNot(one, "-c", "import " + module).isEmpty())
                .findFirst();
    }

    /** The path of a script among the test's resources. */
    static String script(String name) {
        try {
            return Path.of(Programs.class.getResource("/clients/" + name).toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The folder with the jars of a client, which Maven copies before the integration tests. */
    private static Path jars(String client) {
        return Path.of("target", "clients", client).toAbsolutePath();
    }

    static void requireJars(String client) {
        if (!Files.isDirectory(jars(client))) {
            skip(jars(client) + " is not there: run this by mvn verify, which makes it");
        }
    }

    /** A JVM for a main class, with the jars of a client and our test classes behind them. */
    static List<String> java(String client, String main) {
        return java(jars(client), main);
    }

    static List<String> java(Path jars, String main) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-UsePerfData",
                "-Xlog:disable",
                "-Xlog:all=warning:stderr",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-Xmx128m",
                "-cp",
                jars + "/*" + File.pathSeparator
                        + Path.of("target", "test-classes").toAbsolutePath(),
                main);
    }

    /** Builds the content of a folder, while other processes of the same run wait. Returns the cause of a failure. */
    static Optional<String> makeAlone(Path folder, Supplier<Optional<String>> making) throws IOException {
        Files.createDirectories(folder);
        try (FileChannel channel =
                        FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock _ = channel.lock()) {
            return making.get();
        }
    }

    /** The reason why a command fails; empty if it succeeds. */
    static Optional<String> whyNot(String... command) {
        return whyNot(Duration.ofMinutes(1), command);
    }

    static Optional<String> whyNot(Duration patience, String... command) {
        try {
            ForeignProcess.make(patience, List.of(command));
            return Optional.empty();
        } catch (IOException | AssertionError e) {
            return Optional.of(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("interrupted");
        }
    }
}
