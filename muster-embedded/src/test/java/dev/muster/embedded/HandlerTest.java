package dev.muster.embedded;

import static dev.muster.embedded.PollingMember.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.Header;
import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.TopicSettings;
import dev.muster.core.group.model.GroupName;
import dev.muster.embedded.internal.ConsumerPlan;
import dev.muster.embedded.internal.GroupInspection;
import dev.muster.embedded.internal.HandlerRun;
import dev.muster.embedded.internal.OpenMuster;
import dev.muster.store.memory.MemoryStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class HandlerTest {
    private static final HandlerOptions NO_RETRIES = HandlerOptions.DEFAULT.withRetries(0, Duration.ZERO);

    private final MemoryStore memory = new MemoryStore();
    private final OpenMuster muster = OpenMuster.over(memory);
    private final OpenMuster other = OpenMuster.over(memory.anotherHost());
    private final Queue<String> handled = new ConcurrentLinkedQueue<>();

    @AfterEach
    void close() {
        other.close();
        muster.close();
    }

    private static ConsumerBuilder<String, String> consumer(Muster in) {
        return in.consumer("billing", "orders").keys(Codec.STRING).values(Codec.STRING);
    }

    private void send(int partition, String key, String... values) {
        try (Producer<String, String> producer = muster.producer("orders", Codec.STRING, Codec.STRING)) {
            for (String value : values) {
                producer.send(Message.of(key, value).withPartition(partition));
            }
            producer.flush();
        }
    }

    private static String[] numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(Integer::toString).toArray(String[]::new);
    }

    private static TopicPartition orders(int partition) {
        return TopicPartition.of("orders", partition);
    }

    /** The committed offset of a partition; -1 if there is no commit, or no group yet. */
    private long committed(int partition) {
        return GroupInspection.of(muster)
                .state("billing")
                .map(group -> group.offsets().get(orders(partition)))
                .map(commit -> commit.offset().offset())
                .orElse(-1L);
    }

    private static void awaitOpen(CountDownLatch latch) throws InterruptedException {
        if (!latch.await(2, TimeUnit.MINUTES)) {
            throw new AssertionError("the latch was not opened within two minutes");
        }
    }

    @Test
    void partitionsAreProcessedInParallelAndEachInOrder() {
        muster.topics().create("orders", 4);
        for (int partition = 0; partition < 4; partition++) {
            send(partition, null, numbers(partition * 1000, partition * 1000 + 1000));
        }
        CountDownLatch together = new CountDownLatch(4);
        Map<Integer, List<Integer>> seen = new ConcurrentHashMap<>();
        try (RunningConsumer running = consumer(muster).run(record -> {
            together.countDown();
            awaitOpen(together);
            seen.computeIfAbsent(record.partition(), any -> new ArrayList<>()).add(Integer.parseInt(record.value()));
        })) {
            await(
                    "all are handled",
                    () -> seen.values().stream().mapToInt(List::size).sum() == 4000);
            assertThat(running.assignment().partitions()).hasSize(4);
        }
        seen.values().forEach(values -> assertThat(values).isSorted());
        assertThat(committed(3)).isEqualTo(1000);
    }

    @Test
    void withOrderByKeyOnlyRecordsOfOneKeyWait() {
        muster.topics().create("orders", 1);
        send(0, "a", "a1");
        send(0, "b", "b1");
        send(0, "a", "a2");
        send(0, "b", "b2");
        send(0, null, "n1");
        CountDownLatch openA = new CountDownLatch(1);
        try (RunningConsumer running = consumer(muster)
                .commitEvery(Duration.ZERO)
                .run(HandlerOptions.DEFAULT.withOrderByKey(8), record -> {
                    if (record.value().equals("a1")) {
                        awaitOpen(openA);
                    }
                    handled.add(record.value());
                })) {
            await("all records but those of key a are handled", () -> handled.size() == 3);
            assertThat(handled).containsOnly("b1", "b2", "n1").containsSubsequence("b1", "b2");
            // Records behind an unfinished one are not committed.
            assertThat(committed(0)).isLessThanOrEqualTo(0);
            openA.countDown();
            await("all are handled", () -> handled.size() == 5);
            assertThat(handled).containsSubsequence("a1", "a2");
            await("all are committed", () -> committed(0) == 5);
            assertThat(running.assignment().member()).isNotEmpty();
        }
    }

    @Test
    void aFailedRecordIsRetriedBeforeTheNextOnes() {
        muster.topics().create("orders", 1);
        send(0, null, numbers(0, 3));
        AtomicInteger attempts = new AtomicInteger();
        try (RunningConsumer running = consumer(muster)
                .run(HandlerOptions.DEFAULT.withRetries(3, Duration.ofMillis(1)), record -> {
                    if (record.value().equals("1") && attempts.incrementAndGet() < 3) {
                        throw new IllegalStateException("not yet");
                    }
                    handled.add(record.value());
                })) {
            await("all are handled", () -> handled.size() == 3);
            assertThat(running.assignment().partitions()).hasSize(1);
        }
        assertThat(handled).containsExactly("0", "1", "2");
        assertThat(attempts).hasValue(3);
    }

    @Test
    void afterTheLastRetryTheConsumerCommitsEarlierRecordsAndStops() {
        muster.topics().create("orders", 1);
        send(0, null, numbers(0, 5));
        RunningConsumer running = consumer(muster).run(NO_RETRIES, record -> {
            if (record.value().equals("3")) {
                throw new IllegalStateException("cannot bill");
            }
        });
        assertThatThrownBy(running::join)
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("orders-0@3")
                .hasRootCauseMessage("cannot bill");
        assertThat(committed(0)).isEqualTo(3);
        assertThat(GroupInspection.of(muster).state("billing").orElseThrow().members())
                .isEmpty();
        running.close();
    }

    @Test
    void withSkipAFailedRecordIsSkipped() {
        muster.topics().create("orders", 1);
        send(0, null, numbers(0, 5));
        try (RunningConsumer running = consumer(muster).run(NO_RETRIES.withSkip(), record -> {
            if (record.value().equals("3")) {
                throw new IllegalStateException("cannot bill");
            }
            handled.add(record.value());
        })) {
            await("the other records are handled", () -> handled.size() == 4);
            assertThat(running.assignment().partitions()).hasSize(1);
        }
        assertThat(committed(0)).isEqualTo(5);
    }

    @Test
    void aFailedRecordIsCopiedToTheDeadLettersUnchanged() {
        muster.topics().create("orders", 1);
        muster.producer("orders", Codec.LONG, Codec.BYTES)
                .send(7L, new byte[] {1, 2, 3})
                .join();
        try (RunningConsumer running = muster.consumer("billing", "orders")
                        .keys(Codec.LONG)
                        // The value is not a long, so it cannot be decoded, and no retry would help.
                        .values(Codec.LONG)
                        .run(
                                HandlerOptions.DEFAULT
                                        .withRetries(3, Duration.ofDays(1))
                                        .withDeadLetters("failed"),
                                record -> {});
                Reader<Long, byte[]> reader = muster.reader("failed", Codec.LONG, Codec.BYTES)) {
            Received<Long, byte[]> letter = reader.poll(Duration.ofSeconds(30)).getFirst();
            assertThat(letter.key()).isEqualTo(7);
            assertThat(letter.value()).containsExactly(1, 2, 3);
            Map<String, String> headers = letter.headers().stream()
                    .collect(Collectors.toMap(Header::key, it -> new String(it.value(), StandardCharsets.UTF_8)));
            assertThat(headers)
                    .containsEntry("muster.dead-letter.topic", "orders")
                    .containsEntry("muster.dead-letter.offset", "0")
                    .containsEntry("muster.dead-letter.attempts", "1")
                    .containsKey("muster.dead-letter.error");
            assertThat(running.assignment().partitions()).hasSize(1);
        }
        assertThat(committed(0)).isEqualTo(1);
    }

    @Test
    void aMissingDeadLetterTopicIsCreatedAtTheStart() {
        muster.topics().create("orders", 1);
        try (RunningConsumer _ = consumer(muster).run(NO_RETRIES.withDeadLetters("failed"), record -> {})) {
            Topic failed = muster.topics().describe("failed");
            assertThat(failed.partitions()).isEqualTo(1);
            assertThat(failed.settings().retentionTime())
                    .as("retention, zero for none")
                    .isZero();
        }
        muster.topics().create("several", 3);
        try (RunningConsumer _ = consumer(muster).run(NO_RETRIES.withDeadLetters("several"), record -> {})) {
            assertThat(muster.topics().describe("several").partitions())
                    .as("partitions of a topic that exists already")
                    .isEqualTo(3);
        }
    }

    @Test
    void aDeadLetterMayExceedTheSizeLimitOfItsRecord() {
        muster.topics().create("orders", 1);
        send(0, null, "x".repeat(TopicSettings.DEFAULT.messageBytesMax() - 200));
        try (RunningConsumer _ = consumer(muster).run(NO_RETRIES.withDeadLetters("failed"), record -> {
                    throw new IllegalStateException("cannot bill");
                });
                Reader<byte[], String> letters = muster.reader("failed", Codec.BYTES, Codec.STRING)) {
            await(
                    "the dead letter is written",
                    () -> !letters.poll(Duration.ofMillis(10)).isEmpty());
        }
    }

    @Test
    void aTimestampThatIsNotAllowedGoesIntoAHeader() {
        muster.topics().create("orders", 1);
        muster.topics().alter("orders", Map.of("message.timestamp.after.max.ms", "" + Long.MAX_VALUE));
        try (Producer<String, String> producer = muster.producer("orders", Codec.STRING, Codec.STRING)) {
            producer.send(Message.<String, String>of("v").withTimestamp(Instant.ofEpochMilli(Long.MAX_VALUE)))
                    .join();
        }
        try (RunningConsumer _ = consumer(muster).run(NO_RETRIES.withDeadLetters("failed"), record -> {
                    throw new IllegalStateException("cannot bill");
                });
                Reader<byte[], String> letters = muster.reader("failed", Codec.BYTES, Codec.STRING)) {
            Received<byte[], String> letter =
                    letters.poll(Duration.ofSeconds(30)).getFirst();
            assertThat(letter.value()).isEqualTo("v");
            assertThat(letter.timestampMillis()).isLessThan(Long.MAX_VALUE);
            assertThat(letter.headers())
                    .contains(new Header(
                            "muster.dead-letter.timestamp",
                            Long.toString(Long.MAX_VALUE).getBytes(StandardCharsets.UTF_8)));
        }
    }

    @Test
    void aGroupCannotReadItsOwnDeadLetters() {
        HandlerOptions options = NO_RETRIES.withDeadLetters("orders-failed");
        assertThatThrownBy(() ->
                        muster.consumer("billing", "orders", "orders-failed").run(options, record -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("reads topic \"orders-failed\" itself");
        assertThatThrownBy(() -> muster.consumer("billing").pattern("orders.*").run(options, record -> {}))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(muster.topics().list()).isEmpty();
    }

    @Test
    void anUnwrittenDeadLetterStopsTheConsumerAtItsRecord() {
        muster.topics().create("orders", 1);
        send(0, null, numbers(0, 3));
        RunningConsumer running = consumer(muster).run(NO_RETRIES.withDeadLetters("failed"), record -> {
            if (record.value().equals("1")) {
                muster.topics().delete("failed");
                throw new IllegalStateException("cannot bill");
            }
        });
        assertThatThrownBy(running::join)
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("the dead letter of orders-0@1 cannot be written to topic \"failed\"");
        assertThat(committed(0)).isEqualTo(1);
    }

    @Test
    void recordsInProgressAreFinishedBeforeTheirPartitionMoves() {
        muster.topics().create("orders", 2);
        CountDownLatch finish = new CountDownLatch(1);
        CountDownLatch busy = new CountDownLatch(2);
        Handler<String, String> slow = record -> {
            if (record.value().startsWith("slow")) {
                busy.countDown();
                awaitOpen(finish);
            }
            handled.add(record.value());
        };
        try (RunningConsumer a = consumer(muster).id("A").run(slow)) {
            await("A has both partitions", () -> a.assignment().partitions().size() == 2);
            send(0, null, "slow 0", "waiting");
            send(1, null, "slow 1", "waiting");
            await("both handlers are busy", () -> busy.getCount() == 0);
            try (RunningConsumer b = consumer(other).id("B").run(record -> handled.add("B " + record.value()))) {
                await(
                        "A has to release a partition",
                        () -> GroupInspection.of(muster).state("billing").orElseThrow().members().values().stream()
                                .anyMatch(member -> !member.toRelease().isEmpty()));
                assertThat(b.assignment().partitions()).isEmpty();
                finish.countDown();
                await(
                        "one partition each",
                        () -> a.assignment().partitions().size() == 1
                                && b.assignment().partitions().size() == 1);
                await("all are handled", () -> handled.size() >= 4);
            }
        }
        // A finished its records in progress. One of the members handled the waiting records, and no record came twice.
        assertThat(handled).hasSize(4).containsOnlyOnce("slow 0", "slow 1").doesNotContain("B slow 0", "B slow 1");
        assertThat(committed(0)).isEqualTo(2);
        assertThat(committed(1)).isEqualTo(2);
    }

    @Test
    void aPartitionReassignedDuringItsRecordContinues() {
        muster.topics().create("orders", 2);
        CountDownLatch finish = new CountDownLatch(1);
        CountDownLatch busy = new CountDownLatch(2);
        Handler<String, String> slow = record -> {
            if (record.value().equals("slow")) {
                busy.countDown();
                awaitOpen(finish);
            }
            handled.add(record.partition() + " " + record.value());
        };
        try (RunningConsumer a = consumer(muster).id("A").run(slow)) {
            await("A has both partitions", () -> a.assignment().partitions().size() == 2);
            send(0, null, "slow");
            send(1, null, "slow");
            await("both handlers are busy", () -> busy.getCount() == 0);
            try (RunningConsumer _ = consumer(other).id("B").run(record -> handled.add("B " + record.value()))) {
                await(
                        "A has to release a partition",
                        () -> GroupInspection.of(muster).state("billing").orElseThrow().members().values().stream()
                                .anyMatch(member -> !member.toRelease().isEmpty()));
            }
            finish.countDown();
            send(0, null, "next");
            send(1, null, "next");
            await("all are handled", () -> handled.size() == 4);
        }
        assertThat(handled).containsExactlyInAnyOrder("0 slow", "1 slow", "0 next", "1 next");
    }

    @Test
    void aRunThatWasNeverStartedCanBeClosed() {
        muster.topics().create("orders", 1);
        ConsumerPlan plan = new ConsumerPlan(new GroupName("billing"), List.of(new TopicName("orders")));
        HandlerRun<String, String> run = new HandlerRun<>(
                muster,
                muster.groupService(),
                Codec.STRING,
                Codec.STRING,
                plan,
                HandlerOptions.DEFAULT,
                1,
                records -> handled.add(records.getFirst().value()));
        run.close();
        assertThat(GroupInspection.of(muster).state("billing")).isEmpty();
    }

    @Test
    void allTimesMayBeForEver() {
        muster.topics().create("orders", 1);
        send(0, null, numbers(0, 3));
        Duration forEver = ChronoUnit.FOREVER.getDuration();
        ConsumerBuilder<String, String> patient = consumer(muster)
                .session(forEver)
                .revokeTimeout(forEver)
                .maxPollInterval(forEver)
                .commitEvery(forEver);
        try (RunningConsumer running = patient.run(record -> handled.add(record.value()))) {
            await("all are handled", () -> handled.size() == 3);
            assertThat(running.assignment().partitions()).hasSize(1);
        }
        assertThat(committed(0)).isEqualTo(3);
    }

    @Test
    void afterTheRevokeTimeABusyHandlerLosesItsPartition() {
        muster.topics().create("orders", 2);
        CountDownLatch never = new CountDownLatch(1);
        try (RunningConsumer a =
                consumer(muster).revokeTimeout(Duration.ofMillis(500)).run(record -> awaitOpen(never))) {
            await("A has both partitions", () -> a.assignment().partitions().size() == 2);
            send(0, null, "stuck");
            send(1, null, "stuck");
            try (RunningConsumer b = consumer(other).run(record -> handled.add("B " + record.value()))) {
                await("B handles a record", () -> handled.contains("B stuck"));
                assertThat(b.assignment().partitions()).isNotEmpty();
            }
            never.countDown();
        }
    }

    @Test
    void aMemberWithAStuckHandlerRejoinsWhenItReturns() {
        muster.topics().create("orders", 2);
        CountDownLatch stuck = new CountDownLatch(1);
        try (RunningConsumer a =
                        consumer(muster).maxPollInterval(Duration.ofSeconds(1)).run(record -> awaitOpen(stuck));
                RunningConsumer b = consumer(other).run(record -> handled.add(record.value()))) {
            await(
                    "one partition each",
                    () -> a.assignment().partitions().size() == 1
                            && b.assignment().partitions().size() == 1);
            int partition = a.assignment().partitions().first().partition();
            send(partition, null, "stuck");
            await("B handles the record", () -> handled.contains("stuck"));
            stuck.countDown();
            await(
                    "one partition each again",
                    () -> a.assignment().partitions().size() == 1
                            && b.assignment().partitions().size() == 1);
        }
    }

    @Test
    void closeFromAHandlerFinishesTheRecordInProgress() throws Exception {
        muster.topics().create("orders", 1);
        send(0, null, numbers(0, 100));
        RunningConsumer[] self = new RunningConsumer[1];
        CountDownLatch begun = new CountDownLatch(1);
        RunningConsumer running = consumer(muster).run(record -> {
            awaitOpen(begun);
            handled.add(record.value());
            if (record.value().equals("9")) {
                self[0].close();
            }
        });
        self[0] = running;
        begun.countDown();
        running.join();
        assertThat(handled).hasSize(10);
        assertThat(committed(0)).isEqualTo(10);
    }

    @Test
    void moreRecordsThanTheBacklogAreAllProcessedInOrder() {
        muster.topics().create("orders", 1);
        send(0, null, numbers(0, 5000));
        try (RunningConsumer running = consumer(muster).run(record -> handled.add(record.value()))) {
            await("all are handled", () -> handled.size() == 5000);
            assertThat(running.assignment().partitions()).hasSize(1);
        }
        assertThat(List.copyOf(handled).subList(0, 3)).containsExactly("0", "1", "2");
    }

    // Batches

    @Test
    void aBatchHasWaitingRecordsOfOnePartitionInOrder() {
        muster.topics().create("orders", 2);
        send(0, null, numbers(0, 100));
        send(1, null, numbers(100, 150));
        Queue<List<Received<String, String>>> batches = new ConcurrentLinkedQueue<>();
        try (RunningConsumer running = consumer(muster).maxRecords(40).runBatches(batches::add)) {
            await("all are handled", () -> batches.stream().mapToInt(List::size).sum() == 150);
            await("all are committed", () -> committed(0) == 100 && committed(1) == 50);
            assertThat(running.assignment().partitions()).hasSize(2);
        }
        Map<Integer, List<Integer>> seen = new ConcurrentHashMap<>();
        for (List<Received<String, String>> batch : batches) {
            assertThat(batch).hasSizeBetween(1, 40);
            assertThat(batch)
                    .extracting(Received::partition)
                    .containsOnly(batch.getFirst().partition());
            batch.forEach(record -> seen.computeIfAbsent(record.partition(), any -> new ArrayList<>())
                    .add(Integer.parseInt(record.value())));
        }
        assertThat(seen.get(0)).isEqualTo(IntStream.range(0, 100).boxed().toList());
        assertThat(seen.get(1)).isEqualTo(IntStream.range(100, 150).boxed().toList());
        assertThat(batches.size()).isLessThan(150);
    }

    @Test
    void aFailedBatchIsRetriedAsAWhole() {
        muster.topics().create("orders", 1);
        send(0, null, "a", "b", "c");
        AtomicInteger calls = new AtomicInteger();
        HandlerOptions options = HandlerOptions.DEFAULT.withRetries(3, Duration.ofMillis(1));
        try (RunningConsumer running = consumer(muster).runBatches(options, batch -> {
            if (calls.incrementAndGet() < 3) {
                throw new IllegalStateException("not yet");
            }
            batch.forEach(record -> handled.add(record.value()));
        })) {
            await("all are committed", () -> committed(0) == 3);
            assertThat(running.assignment().generation()).isPositive();
        }
        assertThat(handled).containsExactly("a", "b", "c");
    }

    @Test
    void aBatchThatAlwaysFailsStopsAtItsFirstRecord() {
        muster.topics().create("orders", 1);
        send(0, null, "a", "b");
        try (RunningConsumer running = consumer(muster).runBatches(NO_RETRIES, batch -> {
            throw new IllegalStateException("never");
        })) {
            assertThatThrownBy(() -> running.join(Duration.ofSeconds(60)))
                    .isInstanceOf(MusterException.class)
                    .hasMessageContaining("the handler failed at orders-0@0");
        }
        assertThat(committed(0)).isLessThanOrEqualTo(0);
    }

    @Test
    void recordsOfAFailedBatchBecomeDeadLettersInOrder() {
        muster.topics().create("orders", 1);
        send(0, null, "a", "b", "c");
        try (RunningConsumer running = consumer(muster).runBatches(NO_RETRIES.withDeadLetters("failed"), batch -> {
            throw new IllegalStateException("never");
        })) {
            await("all are committed", () -> committed(0) == 3);
            assertThat(running.assignment().partitions()).hasSize(1);
        }
        List<String> letters = new ArrayList<>();
        try (Reader<String, String> failed = muster.reader("failed", Codec.STRING, Codec.STRING)) {
            while (!failed.atEnd()) {
                failed.poll(Duration.ofSeconds(1)).forEach(letter -> letters.add(letter.value()));
            }
        }
        assertThat(letters).containsExactly("a", "b", "c");
    }

    @Test
    void anUndecodableRecordOfABatchFailsAlone() {
        muster.topics().create("orders", 1);
        send(0, null, "1", "2", "three", "4");
        Codec<Integer> numbers = Codec.of(
                number -> Integer.toString(number).getBytes(StandardCharsets.UTF_8),
                bytes -> Integer.parseInt(new String(bytes, StandardCharsets.UTF_8)));
        Queue<Integer> seen = new ConcurrentLinkedQueue<>();
        HandlerOptions skipping =
                HandlerOptions.DEFAULT.withRetries(3, Duration.ZERO).withSkip();
        try (RunningConsumer running = muster.consumer("billing", "orders")
                .values(numbers)
                .runBatches(skipping, batch -> batch.forEach(record -> seen.add(record.value())))) {
            await("all are committed", () -> committed(0) == 4);
            assertThat(running.assignment().partitions()).hasSize(1);
        }
        assertThat(seen).containsExactly(1, 2, 4);
    }

    @Test
    void batchesCannotBeOrderedByKey() {
        muster.topics().create("orders", 1);
        assertThatThrownBy(() -> consumer(muster).runBatches(HandlerOptions.DEFAULT.withOrderByKey(4), batch -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("run(handler)");
    }
}
