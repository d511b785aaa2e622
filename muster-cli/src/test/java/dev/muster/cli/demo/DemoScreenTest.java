package dev.muster.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.demo.DemoScreen.Pane;
import dev.muster.cli.demo.DemoScreen.Row;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.embedded.admin.Groups.Lag;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DemoScreenTest {
    private static Lag lag(int partition, long records) {
        return new Lag(
                TopicPartition.of("orders", partition),
                OptionalLong.of(5),
                0,
                5 + records,
                OptionalLong.of(records),
                Optional.of(Duration.ofMillis(records * 10)),
                Optional.empty());
    }

    @Test
    void theScreenIsATableOfMembersAndPartitions() {
        Pane pane = new Pane("billing", Group.empty(), List.of(lag(0, 0), lag(1, 120)));
        Map<String, List<Row>> rows = Map.of(
                "billing",
                List.of(new Row("billing-1", 4711, null, true), new Row("billing-2", 4712, "stopped", false)));
        String frame = new DemoScreen(false, false)
                .frame(
                        "muster demo",
                        List.of(pane),
                        rows,
                        List.of("12:00  billing-1 joined"),
                        "q quit",
                        TerminalSize.UNLIMITED);
        assertThat(frame).isEqualTo("""
            muster demo

            billing  Empty, generation 0, 0 members, lag 120, 1.2 s behind
                                0      1
            > billing-1         .      .   pid 4711  not in the group
              billing-2         .      .   pid 4712  stopped  not in the group
              unowned           #      #
              lag               0    120   records
              behind          0ms   1.2s

            12:00  billing-1 joined

            q quit
            """);
        assertThat(new DemoScreen(true, true).frame("", List.of(pane), rows, List.of(), "", TerminalSize.UNLIMITED))
                .contains("\u001b[31m■\u001b[0m");
    }

    /** The screen was once larger than the terminal: it scrolled, and only its end was visible. */
    @Test
    void theScreenFitsIntoASmallTerminal() {
        List<Lag> lags = IntStream.range(0, 8).mapToObj(i -> lag(i, i)).toList();
        List<Pane> panes = List.of(new Pane("billing", Group.empty(), lags), new Pane("shipping", Group.empty(), lags));
        Map<String, List<Row>> rows = Map.of(
                "billing", List.of(new Row("billing-1", 1, null, true), new Row("billing-2", 2, "starting", false)),
                "shipping", List.of(new Row("shipping-1", 3, null, false), new Row("shipping-2", 4, null, false)));
        List<String> events = IntStream.range(0, 10).mapToObj(i -> "event " + i).toList();
        for (int height = 4; height < 60; height++) {
            String frame = new DemoScreen(true, true)
                    .frame("muster demo", panes, rows, events, "q quit", new TerminalSize(height, 70));
            assertThat(frame.lines().count()).as("height %d", height).isLessThanOrEqualTo(height);
            assertThat(frame).contains("muster demo").endsWith("q quit\n");
            assertThat(frame.lines())
                    .allMatch(line -> line.replaceAll("\u001b\\[[0-9;]*m", "").length() <= 70);
        }
        String small = new DemoScreen(false, false)
                .frame("muster demo", panes, rows, events, "q quit", new TerminalSize(18, 70));
        assertThat(small)
                .contains("billing  Empty", "shipping  Empty", "shipping-2", "event 9")
                .doesNotContain("event 0");
        // Eight partitions once left no room for the state of a member.
        assertThat(small.lines())
                .contains("  billing-2       .     .     .     .     .     .     .     . starting")
                .allMatch(line -> line.length() <= 70);
        assertThat(new DemoScreen(false, false).frame("", panes, rows, events, "", TerminalSize.UNLIMITED))
                .contains("pid 2  starting\n", "event 0");
    }

    @Test
    void theSizeIsParsedFromStty() {
        assertThat(TerminalSize.parse("18 70")).isEqualTo(new TerminalSize(18, 70));
        assertThat(TerminalSize.parse("0 0")).isEqualTo(new TerminalSize(24, 80));
        assertThat(TerminalSize.parse("")).isEqualTo(new TerminalSize(24, 80));
    }
}
