package dev.muster.it.kafka;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Programs of others that may or may not be installed. A test that misses one is skipped and says so. */
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

    /** The path of a script among the test's resources. */
    static String script(String name) {
        try {
            return Path.of(Programs.class.getResource("/clients/" + name).toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Why a command cannot be run to a good end; empty if it can. */
    static Optional<String> whyNot(String... command) {
        try {
            ForeignProcess.run(List.of(command));
            return Optional.empty();
        } catch (IOException | AssertionError e) {
            return Optional.of(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("interrupted");
        }
    }
}
