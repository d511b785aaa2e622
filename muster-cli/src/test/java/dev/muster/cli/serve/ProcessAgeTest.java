package dev.muster.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ProcessAgeTest {
    private static final Path UPTIME = Path.of("/proc/uptime");

    @Test
    void theAgeAgreesWithTheKernelAndGrows() throws IOException {
        assumeTrue(Files.exists(UPTIME));
        long started = startMillis();
        long before = uptimeMillis();
        long first = ProcessAge.millis();
        // The kernel counts both in hundredths of a second.
        assertThat(first).isBetween(before - started - 10, uptimeMillis() - started + 10);
        assertThat(ProcessAge.millis()).isGreaterThanOrEqualTo(first);
    }

    private static long uptimeMillis() throws IOException {
        return Math.round(1_000 * Double.parseDouble(Files.readString(UPTIME).split(" ", 2)[0]));
    }

    /** The start time of this process: field 22, where the program's name in parentheses is the second. */
    private static long startMillis() throws IOException {
        String[] fields = Files.readString(Path.of("/proc/self/stat"))
                .replaceFirst("\\(.*\\)", "name")
                .split(" ", -1);
        return 10 * Long.parseLong(fields[21]);
    }
}
