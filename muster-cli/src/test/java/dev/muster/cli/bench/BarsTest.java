package dev.muster.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class BarsTest {
    @Test
    void timesHaveASuitableUnit() {
        assertThat(Times.show(7)).isEqualTo("7 ns");
        assertThat(Times.show(1_234)).isEqualTo("1.23 µs");
        assertThat(Times.show(45_600)).isEqualTo("45.6 µs");
        assertThat(Times.show(999_600)).isEqualTo("1.00 ms");
        assertThat(Times.show(12_000_000_000L)).isEqualTo("12.0 s");
    }

    @Test
    void eachBarCoversTwiceTheTimeAndShowsOutliers() {
        Histogram histogram = new Histogram(3);
        histogram.recordValueWithCount(1100, 10);
        histogram.recordValueWithCount(2100, 4000);
        histogram.recordValue(9000);
        assertThat(Bars.of(histogram).replaceAll(" +", " ")).isEqualTo("""
             1.02 µs █ 10
             2.05 µs ████████████████████████████████████████ 4,000
             4.10 µs 0
             8.19 µs █ 1
            """);
    }

    @Test
    void noValuesMakeNoBars() {
        assertThat(Bars.of(new Histogram(3))).isEmpty();
    }
}
