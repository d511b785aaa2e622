package dev.muster.it.trouble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes with wrong clocks: no record is deleted early, and the user gets a warning. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class WrongClockTrialIT {
    @TempDir
    private Path folder;

    @BeforeAll
    static void findFaketime() {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(":"))
                        .anyMatch(one -> Files.isExecutable(Path.of(one, "faketime"))),
                "faketime is not installed: no clock is changed");
    }

    private MusterCommand muster() {
        return MusterCommand.on(folder.resolve("data"));
    }

    /**
     * Both clocks of the process are wrong. With a clock that is ahead, housekeeping is due at once and all records are
     * too old; with one that is behind, neither. In both cases the process must notice that its monotonic clock is not
     * the machine's, and report that it does no housekeeping.
     */
    @ParameterizedTest
    @ValueSource(strings = {"+30d", "-30d"})
    void aReaderWithAWrongClockTrimsNothing(String off) throws Exception {
        assertThat(muster().runWithInput("a\nb\nc\n", "produce", "orders").exit())
                .isZero();
        MusterCommand wrong = muster().under("faketime", "-m", "-f", off);
        try (MusterCommand.Running reader = wrong.start("consume", "orders")) {
            reader.out().await("c"::equals);
            assertThat(wrong.runWithInput("d\n", "produce", "orders").exit()).isZero();
            reader.out().await("d"::equals);
            reader.err().await(line -> line.contains("other processes keep house"));
        }
        assertThat(muster().run("consume", "orders", "--exit").out()).containsExactly("a", "b", "c", "d");
    }

    /** A slow test: under faketime a JVM with the real monotonic clock spins instead of waiting. */
    @EnabledIfSystemProperty(named = "muster.soak", matches = "true")
    @Test
    void describeNamesAProcessWithAWrongClock() throws Exception {
        assertThat(muster().runWithInput("a\n", "produce", "orders").exit()).isZero();
        try (MusterCommand.Running right = muster().start("consume", "orders");
                MusterCommand.Running wrong = muster().under("faketime", "-m", "--exclude-monotonic", "-f", "+30d")
                        .start("consume", "orders")) {
            right.out().await("a"::equals);
            String note = wrong.err().await(line -> line.contains("the clock of process "));
            assertThat(note).contains("30 days ahead", "it is ignored");
            assertThat(muster().run("topic", "describe", "orders").errors()).contains("30 days ahead");
            assertThat(muster().run("check").errors()).contains("30 days ahead");
        }
    }
}
