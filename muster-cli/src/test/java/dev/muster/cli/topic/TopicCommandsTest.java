package dev.muster.cli.topic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.Cli;
import dev.muster.cli.command.Terminal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TopicCommandsTest {
    private final Cli cli = Cli.inMemory();

    @AfterEach
    void close() {
        cli.close();
    }

    @Test
    void aTopicIsCreatedWithPartitionsAndSettings() {
        Cli.Result made = cli.run(
                "topic",
                "create",
                "orders",
                "--partitions",
                "3",
                "--set",
                "muster.sync=os",
                "--set",
                "retention.ms=-1");
        assertThat(made.exitCode()).isZero();
        assertThat(made.err()).isEqualTo("topic orders created: 3 partitions, sync=os\n");
        assertThat(made.outBytes()).isEmpty();
        assertThat(described("orders"))
                .containsEntry("name", "orders")
                .containsEntry("partitionCount", 3L)
                .containsKeys("id", "createdAt", "records", "sizeBytes");
        assertThat(described("orders").get("settings"))
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
                .containsEntry("muster.sync", "os")
                .containsEntry("retention.ms", "-1");
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> described(String topic) {
        return (Map<String, Object>)
                cli.run("topic", "describe", topic, "-o", "json").json();
    }

    @Test
    void aSecondTopicOfTheSameNameIsRefused() {
        cli.run("topic", "create", "orders");
        Cli.Result again = cli.run("topic", "create", "orders");
        assertThat(again.exitCode()).isEqualTo(4);
        assertThat(again.err()).startsWith("muster: topic \"orders\" exists already\ntry: ");
    }

    @Test
    void describeShowsEachPartition() {
        cli.run("topic", "create", "orders", "-P", "2");
        cli.runWith("a\nb\nc\n", "produce", "orders", "-p", "1");
        assertThat(described("orders")).containsEntry("records", 3L);
        assertThat(described("orders").get("partitions"))
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.list(Map.class))
                .satisfiesExactly(zero -> assertThat(zero.get("endOffset")).isEqualTo(0L), one -> {
                    assertThat(one.get("partition")).isEqualTo(1L);
                    assertThat(one.get("startOffset")).isEqualTo(0L);
                    assertThat(one.get("endOffset")).isEqualTo(3L);
                    assertThat(one.get("records")).isEqualTo(3L);
                });
        assertThat(cli.run("topic", "describe", "orders").out())
                .contains("muster.sync", "commit", "PARTITION  START  END  RECORDS");
        assertThat(cli.run("topic", "describe", "orders", "-o", "csv").lines())
                .hasSize(3)
                .element(0)
                .isEqualTo("partition,startOffset,endOffset,records,sizeBytes");
        assertThat(cli.run("topic", "describe", "orders", "-o", "name").out()).isEqualTo("orders\n");
    }

    @Test
    void listIsSortedInEveryFormat() {
        cli.run("topic", "create", "b");
        cli.run("topic", "create", "a", "-P", "2");
        assertThat(cli.run("topic", "list").out())
                .isEqualTo("NAME  PARTITIONS  SYNC\na              2  commit\nb              1  commit\n");
        assertThat(cli.run("topic", "list", "-o", "name").lines()).containsExactly("a", "b");
        assertThat(cli.run("topic", "list", "-o", "jsonl").lines()).hasSize(2);
        assertThat(cli.run("topic", "list", "-o", "csv").lines()).hasSize(3);
        assertThat(cli.run("topic", "list", "-o", "wide").lines().getFirst()).contains("ID", "CREATED", "SETTINGS");
        assertThat(cli.run("topic", "list", "-o", "xml").exitCode()).isEqualTo(2);
    }

    @Test
    void anEmptyListHasANoteOnlyInTheTable() {
        Cli.Result people = cli.run("topic", "list");
        assertThat(people.outBytes()).isEmpty();
        assertThat(people.err()).isEqualTo("there is no topic yet\n");
        assertThat(cli.run("topic", "list", "-q").err()).isEmpty();
    }

    @Test
    void alterChangesOnlyTheNamedSettings() {
        cli.run("topic", "create", "t", "--set", "flush.ms=77");
        assertThat(cli.run("topic", "alter", "t", "--set", "muster.sync=interval")
                        .exitCode())
                .isZero();
        assertThat(described("t").get("settings"))
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
                .containsEntry("muster.sync", "interval")
                .containsEntry("flush.ms", "77");
        assertThat(cli.run("topic", "alter", "t").exitCode()).isEqualTo(2);
        assertThat(cli.run("topic", "alter", "t", "--set", "sync").exitCode()).isEqualTo(2);
        assertThat(cli.run("topic", "alter", "t", "--set", "a=b").exitCode()).isEqualTo(2);
        assertThat(cli.run("topic", "alter", "none", "--set", "flush.ms=1").exitCode())
                .isEqualTo(3);
    }

    @Test
    void theNumberOfPartitionsOnlyGrows() {
        cli.run("topic", "create", "t", "-P", "2");
        assertThat(cli.run("topic", "add-partitions", "t", "--partitions", "5").exitCode())
                .isZero();
        assertThat(described("t")).containsEntry("partitionCount", 5L);
        Cli.Result fewer = cli.run("topic", "add-partitions", "t", "--partitions", "3");
        assertThat(fewer.exitCode()).isEqualTo(4);
        assertThat(described("t")).containsEntry("partitionCount", 5L);
        assertThat(cli.run("topic", "add-partitions", "t").exitCode()).isEqualTo(2);
        assertThat(cli.run("topic", "add-partitions", "none", "-P", "3").exitCode())
                .isEqualTo(3);
    }

    @Test
    void trimRemovesTheOldestRecordsOfAPartition() {
        cli.runWith("a\nb\nc\n", "produce", "t");
        assertThat(cli.run("topic", "trim", "t", "--partition", "0", "--before", "2", "-o", "json")
                        .json())
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.list(Map.class))
                .singleElement()
                .satisfies(row -> assertThat(row.get("startOffset")).isEqualTo(2L));
        assertThat(cli.run("consume", "t", "--exit").out()).isEqualTo("c\n");
        assertThat(cli.run("topic", "trim", "t", "-p", "0", "--before", "99").exitCode())
                .isEqualTo(4);
        assertThat(cli.run("topic", "trim", "t", "-p", "9", "--before", "0").exitCode())
                .isEqualTo(3);
        assertThat(cli.run("topic", "trim", "t", "-p", "0", "--before", "-1").exitCode())
                .isEqualTo(2);
        assertThat(cli.run("topic", "trim", "t", "-p", "0", "--before", "x").exitCode())
                .isEqualTo(2);
        assertThat(cli.run("topic", "trim", "t", "-p", "0", "--before", "end").exitCode())
                .isZero();
        assertThat(cli.run("consume", "t", "--exit").out()).isEmpty();
    }

    @Test
    void deletingNeedsConfirmation() {
        cli.run("topic", "create", "t");
        Cli.Result refused = cli.run("topic", "delete", "t");
        assertThat(refused.exitCode()).isEqualTo(4);
        assertThat(refused.err()).contains("try: muster topic delete t --yes");
        assertThat(cli.run("topic", "delete", "t", "--yes").exitCode()).isZero();
        assertThat(cli.run("topic", "delete", "t", "--yes").exitCode()).isEqualTo(3);
    }

    @Test
    void deletingAsksOnATerminal() {
        cli.withTerminal(new Terminal(true, true, true));
        cli.runWith("a\nb\n", "produce", "t");
        Cli.Result no = cli.runWith("n\n", "topic", "delete", "t");
        assertThat(no.exitCode()).isEqualTo(4);
        assertThat(no.err()).startsWith("delete topic t with 2 records? [y/N] ");
        assertThat(cli.runWith("", "topic", "delete", "t").exitCode()).isEqualTo(4);
        assertThat(cli.runWith("y\n", "topic", "delete", "t", "--no-input").exitCode())
                .isEqualTo(4);
        assertThat(cli.runWith("y\n", "topic", "delete", "t").exitCode()).isZero();
        assertThat(cli.run("topic", "list", "-o", "json").json()).isEqualTo(List.of());
    }
}
