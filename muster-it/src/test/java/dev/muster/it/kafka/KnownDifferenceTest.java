package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class KnownDifferenceTest {
    @Test
    void theDocumentListsExactlyTheKnownDifferences() throws IOException {
        assertThat(Files.readAllLines(Path.of("..", "docs", "kafka-differences.md")).stream()
                        .filter(line -> line.startsWith("## "))
                        .map(line -> line.substring(3)))
                .containsExactlyElementsOf(Arrays.stream(KnownDifference.values())
                        .map(KnownDifference::title)
                        .toList());
    }
}
