package dev.muster.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyRoutingTest {
    /** The vectors of Kafka's own test. They fix the partition of every key ever written. */
    @ParameterizedTest
    @CsvSource({
        "21, -973932308",
        "foobar, -790332482",
        "a-little-bit-long-string, -985981536",
        "a-little-bit-longer-string, -1486304829",
        "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8, -58897971",
        "abc, 479470107"
    })
    void theHashEqualsKafkas(String key, int hash) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        assertThat(KeyRouting.murmur2(bytes)).isEqualTo(hash);
        assertThat(KeyRouting.partition(bytes, 7)).isEqualTo((hash & Integer.MAX_VALUE) % 7);
    }
}
