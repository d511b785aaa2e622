package dev.muster.it.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.it.trouble.MusterCommand.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code muster check} on a directory with damage of several kinds: shown, previewed, repaired. */
class CheckTrialIT {
    @TempDir
    Path directory;

    private Path data;
    private MusterCommand muster;

    @BeforeEach
    void aTopicAndAGroup() throws Exception {
        data = directory.resolve("data");
        muster = MusterCommand.on(data);
        assertThat(muster.run("topic", "create", "orders").exit()).isZero();
        assertThat(muster.runWithInput("one\ntwo\n", "produce", "orders").exit())
                .isZero();
        assertThat(muster.run("consume", "orders", "-g", "billing", "--exit").exit())
                .isZero();
    }

    @Test
    void repairsAreShownFirstAndThenMade() throws Exception {
        Path topic = data.resolve("topics/orders/topic.json");
        byte[] flipped = Files.readAllBytes(topic);
        flipped[flipped.length / 2] ^= 4;
        Files.write(topic, flipped);
        Path group = data.resolve("consumer-groups/billing/group.json");
        Files.delete(group);
        Files.delete(data.resolve("muster.json"));

        Result check = muster.run("check");
        assertThat(check.exit()).isEqualTo(1);
        assertThat(check.text()).contains("topic.json", "group.json", "muster.json", "restore it from");
        Result preview = muster.run("check", "--repair", "--dry-run");
        assertThat(preview.exit()).isEqualTo(1);
        assertThat(Files.readAllBytes(topic)).isEqualTo(flipped);
        assertThat(group).doesNotExist();

        Result repair = muster.run("check", "--repair");
        assertThat(repair.exit()).as(repair.text()).isZero();
        assertThat(repair.text()).contains("repaired");
        assertThat(muster.run("check").out()).isEmpty();
        assertThat(muster.runWithInput("three\n", "produce", "orders").exit()).isZero();
        assertThat(muster.run("consume", "orders", "-g", "billing", "--exit").out())
                .containsExactly("three");
    }

    @Test
    void aDeletedJournalIsDamageThatGroupRepairRebuilds() throws Exception {
        Path segment = journalSegment();
        Files.delete(segment);
        Result check = muster.run("check");
        assertThat(check.exit()).isEqualTo(1);
        assertThat(check.text()).contains("group billing", "muster group repair billing");
        assertThat(muster.run("check", "--repair").exit()).isEqualTo(1);
    }

    private Path journalSegment() throws IOException {
        try (Stream<Path> files = Files.walk(data.resolve("consumer-groups/billing"))) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
