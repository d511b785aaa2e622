package dev.muster.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.bench.measure.Figures;
import dev.muster.bench.measure.Samples;
import dev.muster.bench.measure.Target;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TableReportTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    private String printed() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void showsMediansAndWhetherTargetsAreMet() {
        Figures figures = new Figures("append 100 B");
        figures.add("Muster", "append_per_s", 3_000_000);
        figures.add("Muster", "append_per_s", 1_000_000);
        figures.add("Muster", "append_per_s", 2_000_000);
        figures.add("raw", "p50_us", 12.34);

        Report report = new TableReport(out);
        report.figures(figures);
        report.target(Target.atLeast(1, "over Chronicle", new Samples(1.5, 0.9, 1.2)));
        report.target(Target.atMost(100, "µs", "wake", new Samples(180)));
        report.end();

        assertThat(printed().replaceAll(" +", " ")).isEqualTo("""

            append 100 B append/s p50 µs
             Muster 2,000,000\s
             raw 12.3

            target measured wanted range
            over Chronicle 1.20 × ≥ 1.00 × 0.90…1.50 met
            wake 180 µs ≤ 100 µs 180…180 MISSED
            """);
    }

    @Test
    void jsonLinesHaveOneObjectPerLine() {
        Report report = new JsonLinesReport(out);
        report.target(Target.atLeast(1, "over Chronicle", new Samples(1.5)));
        report.failure("many", new IllegalStateException("lost"));

        assertThat(printed().lines())
                .containsExactly(
                        "{\"type\":\"target\",\"name\":\"over"
                                + " Chronicle\",\"measured\":1.5,\"relation\":\"≥\",\"bound\":1.0,"
                                + "\"unit\":\"×\",\"met\":true,\"values\":[1.5]}",
                        "{\"type\":\"failure\",\"case\":\"many\",\"reason\":\"java.lang.IllegalStateException:"
                                + " lost\"}");
    }
}
