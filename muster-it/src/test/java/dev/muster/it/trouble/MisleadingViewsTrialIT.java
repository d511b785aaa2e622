package dev.muster.it.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicPartition;
import dev.muster.core.json.Json;
import dev.muster.embedded.Codec;
import dev.muster.embedded.Muster;
import dev.muster.embedded.Producer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The views and the commands' output of a group whose only member was killed. */
@Timeout(600)
class MisleadingViewsTrialIT {
    private static final int ROUNDS_MAX = 20;

    @TempDir
    Path directory;

    private MusterCommand muster() {
        return MusterCommand.on(directory);
    }

    private Path group() {
        return directory.resolve("consumer-groups").resolve("billing");
    }

    private long shownOffset() throws IOException {
        try {
            String text = Files.readString(group().resolve("offsets/orders/partition-0.offset"));
            return (Long) ((Map<?, ?>) Json.parse(text)).get("offset");
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    /** The member commits, and is killed before it writes the view, which happens once a second. */
    @Test
    void theNextProcessCorrectsTheViewsOfAKilledMember() throws Exception {
        assertThat(muster().run("topic", "create", "orders").exit()).isZero();
        long committed = 0;
        boolean stale = false;
        for (int round = 0; round < ROUNDS_MAX && !stale; round++) {
            committed = commitAndKill(committed);
            stale = shownOffset() < committed;
        }
        assertThat(stale)
                .as("a member was killed between its commit and the file")
                .isTrue();
        theCommandsSayThatItIsDead();
        long dead = System.currentTimeMillis();

        MusterCommand.Result next = muster().run("consume", "orders", "-g", "billing", "--id", "B", "--exit");
        assertThat(next.exit()).as(next.errors()).isZero();
        assertThat(shownOffset()).isEqualTo(committed);
        thePartitionHasNoOwnerSinceTheKill(dead);
        assertThat(group().resolve("members")).isEmptyDirectory();
        List<Map<?, ?>> timeline = Files.readAllLines(group().resolve("timeline.jsonl")).stream()
                .<Map<?, ?>>map(line -> (Map<?, ?>) Json.parse(line))
                .toList();
        assertThat(timeline.stream().map(line -> (Long) line.get("version"))).isSorted();
        assertThat(timeline).anySatisfy(line -> assertThat(line.get("cause")).isEqualTo("process died"));
        assertThat(timeline.getLast().get("event")).isEqualTo("generation");
        assertThat(Files.readString(group().resolve("generation.txt")).lines().findFirst())
                .contains(timeline.getLast().get("generation").toString());
    }

    /** The time counts from the last sign of life, not from the entry about the death. */
    private void thePartitionHasNoOwnerSinceTheKill(long dead) throws Exception {
        MusterCommand.Result timeline = muster().run("group", "timeline", "billing", "-o", "jsonl");
        Map<?, ?> move = timeline.out().stream()
                .<Map<?, ?>>map(line -> (Map<?, ?>) Json.parse(line))
                .filter(generation -> generation.get("cause").toString().contains("A died with its process"))
                .flatMap(generation -> ((List<?>) generation.get("moves")).stream())
                .<Map<?, ?>>map(one -> (Map<?, ?>) one)
                .filter(one -> one.get("freedAt") != null)
                .toList()
                .getLast();
        assertThat((Long) move.get("freedAt")).isLessThanOrEqualTo(dead);
    }

    /** @return the commit in the journal at the end */
    private long commitAndKill(long from) throws Exception {
        try (Muster beside = Muster.open(directory);
                Producer<String, String> producer = beside.producer("orders", Codec.STRING, Codec.STRING);
                MusterCommand.Running member =
                        muster().start("consume", "orders", "-g", "billing", "--id", "A", "--commit-every", "0s")) {
            long committed = from;
            // The first commit is shown at once, the second a second later.
            for (int i = 0; i < 2; i++) {
                producer.send("key", "record").join();
                committed++;
                awaitCommit(beside, committed);
            }
            member.signal("KILL");
            member.await();
            return committed;
        }
    }

    private static void awaitCommit(Muster beside, long offset) {
        TopicPartition partition = TopicPartition.of("orders", 0);
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (beside.groups()
                .find("billing")
                .filter(group -> group.offsets().containsKey(partition)
                        && group.offsets().get(partition) >= offset)
                .isEmpty()) {
            assertThat(System.nanoTime())
                    .as("offset " + offset + " is committed")
                    .isLessThan(deadline);
            LockSupport.parkNanos(500_000);
        }
    }

    private void theCommandsSayThatItIsDead() throws Exception {
        assertThat(muster().run("group", "list").text()).contains("MembersDied");
        assertThat(muster().run("group", "describe", "billing").text())
                .contains("the next member that joins takes over", "(dead)");
        List<String> explained =
                muster().run("group", "explain", "billing", "orders:0").out();
        assertThat(explained.getFirst()).contains("The process of A", "is dead, so no member commits orders-0");
        assertThat(explained.get(1)).startsWith("Its last sign of life came at 20");
    }

    @Test
    void lagTimeIsTheAgeOfTheOldestUnreadRecord() throws Exception {
        assertThat(muster().runWithInput("read\n", "produce", "orders").exit()).isZero();
        assertThat(muster().run("consume", "orders", "-g", "billing", "--exit").exit())
                .isZero();
        assertThat(muster().runWithInput("unread\n", "produce", "orders", "--timestamp", "-1h")
                        .exit())
                .isZero();
        Map<?, ?> lag = (Map<?, ?>)
                Json.parse(muster().run("group", "lag", "billing", "-o", "json").text());
        assertThat((Long) lag.get("behindMs")).isBetween(3_600_000L, 4_000_000L);
    }
}
