package dev.muster.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.demo.DemoScreen.Pane;
import dev.muster.cli.demo.DemoScreen.Row;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.embedded.Groups.Lag;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
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
                .frame("muster demo", List.of(pane), rows, List.of("12:00  billing-1 joined"), "q quit");
        assertThat(frame).isEqualTo("""
            muster demo

            billing  Empty, generation 0, 0 members, lag 120, 1.2 s behind
                                0      1
            > billing-1         .      .   pid 4711  not in the group
              billing-2         .      .   pid 4712  stopped  not in the group
              nobody            #      #
              lag               0    120   records
              behind          0ms   1.2s

            12:00  billing-1 joined

            q quit
            """);
        assertThat(new DemoScreen(true, true).frame("", List.of(pane), rows, List.of(), ""))
                .contains("\u001b[31m■\u001b[0m");
    }
}
