package dev.muster.it.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A group whose offsets are set beyond the end of a topic by mistake skips no record. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class BeyondTheEndTrialIT {
    @TempDir
    private Path folder;

    @Test
    void aMemberWithACommitBeyondTheEndSkipsNoRecord() throws Exception {
        MusterCommand muster = MusterCommand.on(folder.resolve("data"));
        assertThat(muster.runWithInput("a\nb\nc\nd\ne\n", "produce", "orders").exit())
                .isZero();
        MusterCommand.Result beyond = muster.run("consume", "orders", "-g", "G", "--from", "99999", "--exit");
        assertThat(beyond.out()).isEmpty();
        assertThat(beyond.errors()).contains("99,999", "beyond the end").doesNotContain("power cut");
        assertThat(muster.run("group", "describe", "G").text()).doesNotContain("99999", "99,999");
        assertThat(muster.runWithInput("f\ng\n", "produce", "orders").exit()).isZero();
        MusterCommand.Result next = muster.run("consume", "orders", "-g", "G", "--exit");
        assertThat(next.out()).containsExactly("f", "g");
        assertThat(next.errors()).doesNotContain("power cut");
    }
}
