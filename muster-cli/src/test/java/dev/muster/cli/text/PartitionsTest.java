package dev.muster.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicPartition;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartitionsTest {
    private static List<TopicPartition> partitions(String... texts) {
        return Stream.of(texts)
                .map(text -> text.split("-"))
                .map(parts -> TopicPartition.of(parts[0], Integer.parseInt(parts[1])))
                .toList();
    }

    @Test
    void neighboursAreShownTogether() {
        assertThat(Partitions.show(List.of())).isEqualTo("-");
        assertThat(Partitions.show(partitions("t-3"))).isEqualTo("t 3");
        assertThat(Partitions.show(partitions("t-1", "t-0", "t-3", "u-4", "t-10", "t-11", "t-12")))
                .isEqualTo("t 0-1,3,10-12; u 4");
        assertThat(Partitions.show(partitions("a-1", "b-2"))).isEqualTo("a 1; b 2");
    }

    @ParameterizedTest
    @CsvSource({
        "0,0 ms",
        "999,999 ms",
        "1000,1.0 s",
        "3149,3.1 s",
        "9999,9.9 s",
        "10000,10 s",
        "59999,59 s",
        "60000,1m 0s",
        "3599999,59m 59s",
        "3600000,1h 0m",
        "86400000,1d 0h",
        "273600000,3d 4h"
    })
    void spansHaveASuitableUnit(long millis, String text) {
        assertThat(Spans.show(millis)).isEqualTo(text);
    }
}
