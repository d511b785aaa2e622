package dev.muster.embedded;

import static dev.muster.embedded.PollingMember.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.model.GroupName;
import dev.muster.embedded.admin.AdminReason;
import dev.muster.embedded.admin.GroupRefusedException;
import dev.muster.embedded.admin.Groups;
import dev.muster.embedded.internal.GroupInspection;
import dev.muster.embedded.internal.OpenMuster;
import dev.muster.store.StoreClosedException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Members of a group on any store. Each {@link Muster} stands for a process of its own. */
@Timeout(300)
abstract class GroupTests {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final List<AutoCloseable> open = new ArrayList<>();
    private Muster muster;

    /** Starts another process on the same data. */
    abstract Muster process();

    /** Kills a process, as SIGKILL does: it writes nothing more. */
    abstract void kill(Muster process);

    @BeforeEach
    void open() {
        muster = another();
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable one : open.reversed()) {
            try {
                one.close();
            } catch (RuntimeException e) {
                // A killed process cannot be closed properly.
                if (!(e instanceof StoreClosedException || e.getCause() instanceof StoreClosedException)) {
                    throw e;
                }
            }
        }
    }

    private Muster another() {
        Muster process = process();
        open.add(process);
        return process;
    }

    private PollingMember member(Muster in, UnaryOperator<ConsumerBuilder<String, String>> choices) {
        PollingMember member = new PollingMember(in, "billing", choices, "orders");
        open.add(member);
        return member;
    }

    private PollingMember member(Muster in, String name) {
        return member(in, it -> it.id(name));
    }

    private ConsumerBuilder<String, String> consumer(Muster in) {
        return in.consumer("billing", "orders").keys(Codec.STRING).values(Codec.STRING);
    }

    private void send(String topic, int partition, String... values) {
        try (Producer<String, String> producer = muster.producer(topic, Codec.STRING, Codec.STRING)) {
            for (String value : values) {
                producer.send(Message.<String, String>of(value).withPartition(partition));
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

    private Group group() {
        return GroupInspection.of(muster).state("billing").orElseThrow();
    }

    /** Polls until this many records have been returned. */
    private static List<String> pollValues(GroupConsumer<String, String> consumer, int count) {
        List<String> values = new ArrayList<>();
        await(count + " records", () -> {
            consumer.poll(Duration.ofMillis(50)).forEach(record -> values.add(record.value()));
            return values.size() >= count;
        });
        return values;
    }

    private static void pollUntilOwned(GroupConsumer<String, String> consumer, int partitions) {
        await(partitions + " partitions", () -> {
            assertThat(consumer.poll(Duration.ofMillis(10))).isEmpty();
            return consumer.assignment().partitions().size() == partitions;
        });
    }

    // Sharing

    @Test
    void joiningAndLeavingMembersShareThePartitions() {
        muster.topics().create("orders", 4);
        PollingMember a = member(muster, "A");
        PollingMember b = member(another(), "B");
        await(
                "A and B have two partitions each",
                () -> a.owned().size() == 2 && b.owned().size() == 2);
        Set<TopicPartition> all = new TreeSet<>(a.owned());
        all.addAll(b.owned());
        assertThat(all).hasSize(4);
        PollingMember c = member(another(), "C");
        await(
                "C has one partition",
                () -> c.owned().size() == 1 && a.owned().size() + b.owned().size() == 3);
        for (int partition = 0; partition < 4; partition++) {
            send("orders", partition, "to " + partition);
        }
        await("all four records are read", () -> a.records.size() + b.records.size() + c.records.size() == 4);
        b.close();
        await("A and C have all partitions", () -> a.owned().size() + c.owned().size() == 4);
        assertThat(group().history().getLast().cause()).contains("B").contains("left");
    }

    @Test
    void aMemberWhoseProcessDiesIsExpelledAtOnce() throws Exception {
        muster.topics().create("orders", 4);
        PollingMember a = member(muster, "A");
        Muster other = another();
        PollingMember b = member(other, "B");
        await(
                "A and B have two partitions each",
                () -> a.owned().size() == 2 && b.owned().size() == 2);
        b.stopPolling();
        kill(other);
        await("A has all partitions", () -> a.owned().size() == 4);
        assertThat(group().members()).hasSize(1);
        assertThat(group().history().getLast().cause()).contains("died");
    }

    @Test
    void twoGroupsReadTheSameTopicIndependently() {
        muster.topics().create("orders", 2);
        send("orders", 0, "a");
        send("orders", 1, "b");
        PollingMember billing = member(muster, "A");
        PollingMember shipping = new PollingMember(muster, "shipping", it -> it, "orders");
        open.add(shipping);
        await("both groups have read all records", () -> billing.records.size() == 2 && shipping.records.size() == 2);
        assertThat(muster.groups().list()).containsExactly("billing", "shipping");
    }

    @Test
    void membersThatStartTogetherNeedFewGenerations() {
        muster.topics().create("orders", 20);
        List<PollingMember> members = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            members.add(member(another(), "M" + i));
        }
        await(
                "each member has two partitions",
                () -> members.stream().allMatch(one -> one.owned().size() == 2));
        System.out.println("FIGURE ten processes, 20 partitions: " + group().generation() + " generations");
        assertThat(group().generation()).isLessThanOrEqualTo(10);
    }

    // Commits and restarts

    @Test
    void aRestartedMemberContinuesAtTheCommit() {
        muster.topics().create("orders", 1);
        send("orders", 0, numbers(0, 10));
        Muster before = another();
        try (GroupConsumer<String, String> consumer =
                consumer(before).maxRecords(4).commitByHand().open()) {
            assertThat(pollValues(consumer, 4)).containsExactly("0", "1", "2", "3");
            consumer.commit();
            assertThat(pollValues(consumer, 4)).containsExactly("4", "5", "6", "7");
        }
        before.close();
        try (GroupConsumer<String, String> consumer = consumer(muster).open()) {
            assertThat(pollValues(consumer, 6)).containsExactly("4", "5", "6", "7", "8", "9");
            assertThat(consumer.committed(Set.of(orders(0)))).containsEntry(orders(0), 4L);
        }
        // Automatic commits were on, so the close committed the records that the loop had finished.
        try (GroupConsumer<String, String> consumer = consumer(muster).open()) {
            pollUntilOwned(consumer, 1);
            assertThat(consumer.positions()).containsEntry(orders(0), 10L);
        }
    }

    @Test
    void closeDoesNotCommitWhatALoopLeft() {
        muster.topics().create("orders", 1);
        send("orders", 0, numbers(0, 10));
        assertThatThrownBy(() -> {
                    try (GroupConsumer<String, String> consumer =
                            consumer(muster).open()) {
                        while (true) {
                            for (Received<String, String> record : consumer.poll(LONG)) {
                                if (record.offset() == 3) {
                                    throw new IllegalStateException("cannot bill " + record.value());
                                }
                            }
                        }
                    }
                })
                .hasMessage("cannot bill 3");
        try (GroupConsumer<String, String> consumer = consumer(muster).open()) {
            assertThat(pollValues(consumer, 7)).startsWith("3");
        }
    }

    @Test
    void closeDoesNotCommitRecordsGotByIndex() {
        muster.topics().create("orders", 1);
        send("orders", 0, numbers(0, 10));
        try (GroupConsumer<String, String> consumer = consumer(muster).open()) {
            List<Received<String, String>> records = pollAny(consumer);
            // A close at this moment, by a shutdown for instance, cannot know that any record was processed.
            assertThat(records.get(records.size() - 1).value()).isNotEmpty();
        }
        try (GroupConsumer<String, String> consumer = consumer(muster).open()) {
            assertThat(pollValues(consumer, 10)).startsWith("0");
        }
    }

    @Test
    void closeCommitsWhatAStreamHasFinished() {
        muster.topics().create("orders", 1);
        send("orders", 0, numbers(0, 10));
        assertThatThrownBy(() -> {
                    try (GroupConsumer<String, String> consumer =
                            consumer(muster).open()) {
                        pollAny(consumer).stream().parallel().forEachOrdered(record -> {
                            if (record.offset() == 3) {
                                throw new IllegalStateException("cannot bill " + record.value());
                            }
                        });
                    }
                })
                .hasMessage("cannot bill 3");
        try (GroupConsumer<String, String> consumer = consumer(muster).open()) {
            assertThat(pollAny(consumer).stream().map(Received::value)).containsExactly(numbers(3, 10));
        }
        try (GroupConsumer<String, String> consumer = consumer(muster).open()) {
            pollUntilOwned(consumer, 1);
            assertThat(consumer.positions()).containsEntry(orders(0), 10L);
        }
    }

    private static List<Received<String, String>> pollAny(GroupConsumer<String, String> consumer) {
        List<Received<String, String>> records = consumer.poll(LONG);
        assertThat(records.isEmpty()).isFalse();
        return records;
    }

    @Test
    void theNextPollCountsTheLastRecordsAsProcessed() {
        muster.topics().create("orders", 1);
        send("orders", 0, numbers(0, 10));
        try (GroupConsumer<String, String> consumer =
                consumer(muster).maxRecords(5).commitEvery(Duration.ZERO).open()) {
            pollValues(consumer, 5);
            assertThat(muster.groups().lag("billing").getFirst().lag().orElse(10))
                    .isEqualTo(10);
            pollValues(consumer, 5);
            await(
                    "five records are committed",
                    () -> Map.of(orders(0), 5L).equals(consumer.committed(Set.of(orders(0)))));
        }
    }

    @Test
    void aClosedStaticMemberComesBackWithoutARebalance() {
        muster.topics().create("orders", 4);
        PollingMember a = member(muster, "A");
        Muster other = another();
        PollingMember b = member(other, it -> it.id("B").instance("one"));
        await(
                "A and B have two partitions each",
                () -> a.owned().size() == 2 && b.owned().size() == 2);
        await("A's listener knows its two partitions", () -> a.knownToListener().equals(a.owned()));
        Set<TopicPartition> before = b.owned();
        long generation = group().generation();
        int heard = a.heard.size();
        b.close();
        other.close();
        PollingMember again = member(another(), it -> it.id("B").instance("one"));
        await("B has its two partitions again", () -> again.owned().equals(before));
        assertThat(group().generation()).isEqualTo(generation);
        assertThat(a.heard).hasSize(heard);
    }

    @Test
    void aKilledStaticMemberComesBackWithoutARebalance() throws Exception {
        muster.topics().create("orders", 4);
        PollingMember a = member(muster, "A");
        Muster other = another();
        PollingMember b = member(other, it -> it.id("B").instance("one"));
        await(
                "A and B have two partitions each",
                () -> a.owned().size() == 2 && b.owned().size() == 2);
        Set<TopicPartition> before = b.owned();
        long generation = group().generation();
        b.stopPolling();
        kill(other);
        PollingMember again = member(another(), it -> it.id("B").instance("one"));
        await("B has its two partitions again", () -> again.owned().equals(before));
        assertThat(group().generation()).isEqualTo(generation);
        assertThat(a.owned()).hasSize(2);
    }

    @Test
    void anInstanceIdInUseIsRefusedAfterASession() {
        muster.topics().create("orders", 1);
        PollingMember a = member(muster, it -> it.instance("one"));
        await("A has joined", () -> a.owned().size() == 1);
        Duration session = Duration.ofMillis(300);
        try (GroupConsumer<String, String> second =
                consumer(another()).instance("one").session(session).open()) {
            long begin = System.nanoTime();
            assertThatThrownBy(() -> second.poll(LONG))
                    .isInstanceOf(FencedMemberException.class)
                    .hasMessageContaining("\"one\"");
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(session);
        }
        assertThat(a.owned()).hasSize(1);
    }

    // Fencing

    @Test
    void anExpelledMemberCannotCommitAndRejoinsWithAPoll() {
        muster.topics().create("orders", 1);
        send("orders", 0, "a", "b");
        List<String> heard = new ArrayList<>();
        RebalanceListener listener = new RebalanceListener() {
            @Override
            public void assigned(long generation, Set<TopicPartition> partitions) {
                heard.add("assigned");
            }

            @Override
            public void revoked(long generation, Set<TopicPartition> partitions) {
                heard.add("revoked");
            }

            @Override
            public void lost(long generation, Set<TopicPartition> partitions) {
                heard.add("lost");
            }
        };
        try (GroupConsumer<String, String> expelled =
                consumer(muster).commitByHand().listener(listener).open()) {
            assertThat(pollValues(expelled, 2)).containsExactly("a", "b");
            String id = expelled.assignment().member();
            another().groups().remove("billing", id);
            assertThatThrownBy(expelled::commit)
                    .isInstanceOf(CommitRefusedException.class)
                    .hasMessageContaining(id);
            assertThatThrownBy(() -> expelled.commitAsync().join()).hasCauseInstanceOf(CommitRefusedException.class);
            assertThat(group().offsets()).isEmpty();
            assertThat(pollValues(expelled, 2)).containsExactly("a", "b");
            assertThat(expelled.assignment().member()).isNotEqualTo(id);
            expelled.commit();
            assertThat(group().offsets().get(orders(0)).offset().offset()).isEqualTo(2);
        }
        assertThat(heard).containsExactly("assigned", "lost", "assigned", "revoked");
    }

    @Test
    void aCommitWithAPartitionNotOwnedIsRefused() {
        muster.topics().create("orders", 2);
        send("orders", 0, "a");
        send("orders", 1, "b");
        try (GroupConsumer<String, String> a = consumer(muster).commitByHand().open()) {
            pollValues(a, 2);
            assertThatThrownBy(() -> a.commit(Map.of(orders(0), 1L, TopicPartition.of("else", 0), 1L)))
                    .isInstanceOf(CommitRefusedException.class)
                    .hasMessageContaining("else-0");
            assertThat(group().offsets()).isEmpty();
            assertThatThrownBy(() -> a.commit(Map.of(orders(0), 2L)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("ends at 1");
            a.commit(Map.of(orders(0), 1L));
            assertThat(group().offsets()).containsOnlyKeys(orders(0));
            a.commit();
            assertThat(group().offsets()).containsOnlyKeys(orders(0), orders(1));
        }
    }

    @Test
    void aMemberThatDoesNotPollLeavesUntilItPolls() {
        muster.topics().create("orders", 2);
        PollingMember slow = member(muster, it -> it.id("slow").maxPollInterval(Duration.ofMillis(300)));
        PollingMember other = member(another(), "other");
        await(
                "one partition each",
                () -> slow.owned().size() == 1 && other.owned().size() == 1);
        slow.freeze(true);
        await("the other member has both partitions", () -> other.owned().size() == 2);
        assertThat(group().history().getLast().cause()).contains("slow");
        slow.freeze(false);
        await(
                "one partition each again",
                () -> slow.owned().size() == 1 && other.owned().size() == 1);
        assertThat(slow.heard.toString()).contains("lost");
    }

    // Rebalancing

    @Test
    void listenersAreCalledOnlyForMovedPartitions() {
        muster.topics().create("orders", 4);
        PollingMember a = member(muster, "A");
        await("A has all partitions", () -> !a.heard.isEmpty());
        assertThat(a.heard).containsExactly("assigned orders-0 orders-1 orders-2 orders-3");
        PollingMember b = member(another(), "B");
        await("B has its share", () -> !b.heard.isEmpty());
        assertThat(a.heard).hasSize(2);
        String moved = b.heard.getFirst().substring("assigned".length());
        assertThat(a.heard.getLast()).isEqualTo("revoked" + moved);
    }

    @Test
    void theNewOwnerGetsNoProcessedRecords() {
        muster.topics().create("orders", 2);
        send("orders", 0, numbers(0, 50));
        send("orders", 1, numbers(50, 100));
        PollingMember a = member(muster, "A");
        await("A has read all records", () -> a.records.size() == 100);
        PollingMember b = member(another(), "B");
        await("one partition each", () -> a.owned().size() == 1 && b.owned().size() == 1);
        int partition = b.owned().first().partition();
        send("orders", partition, "new");
        await("B has read the new record", () -> !b.records.isEmpty());
        assertThat(b.values()).containsExactly("new");
    }

    @Test
    void aCommitInRevokedIsSeenByTheNewOwner() {
        muster.topics().create("orders", 2);
        send("orders", 0, numbers(0, 10));
        send("orders", 1, numbers(10, 20));
        PollingMember[] members = new PollingMember[1];
        ConcurrentLinkedQueue<GroupConsumer<String, String>> self = new ConcurrentLinkedQueue<>();
        RebalanceListener committing = new RebalanceListener() {
            @Override
            public void revoked(long generation, Set<TopicPartition> partitions) {
                self.element().commit();
            }
        };
        members[0] = member(muster, it -> it.commitByHand().listener(committing));
        self.add(members[0].consumer());
        await("A has read all records", () -> members[0].records.size() == 20);
        PollingMember b = member(another(), "B");
        await("B has one partition", () -> b.owned().size() == 1);
        int partition = b.owned().first().partition();
        send("orders", partition, "new");
        await("B has read the new record", () -> !b.records.isEmpty());
        assertThat(b.values()).containsExactly("new");
    }

    @Test
    void aCommitInRevokedAtCloseLeavesUnfinishedRecords() {
        muster.topics().create("orders", 1);
        send("orders", 0, numbers(0, 10));
        ConcurrentLinkedQueue<GroupConsumer<String, String>> self = new ConcurrentLinkedQueue<>();
        RebalanceListener committing = new RebalanceListener() {
            @Override
            public void revoked(long generation, Set<TopicPartition> partitions) {
                self.element().commit();
            }
        };
        assertThatThrownBy(() -> {
                    try (GroupConsumer<String, String> consumer =
                            consumer(muster).commitByHand().listener(committing).open()) {
                        self.add(consumer);
                        for (Received<String, String> record : pollAny(consumer)) {
                            if (record.offset() == 3) {
                                throw new IllegalStateException("cannot bill " + record.value());
                            }
                        }
                    }
                })
                .hasMessage("cannot bill 3");
        try (GroupConsumer<String, String> consumer = consumer(muster).open()) {
            assertThat(pollValues(consumer, 7)).startsWith("3");
        }
    }

    @Test
    void aPollInAListenerIsRefused() {
        muster.topics().create("orders", 1);
        send("orders", 0, numbers(0, 3));
        ConcurrentLinkedQueue<GroupConsumer<String, String>> self = new ConcurrentLinkedQueue<>();
        RebalanceListener polling = new RebalanceListener() {
            @Override
            public void assigned(long generation, Set<TopicPartition> partitions) {
                self.element().poll(Duration.ZERO);
            }
        };
        try (GroupConsumer<String, String> consumer =
                consumer(muster).listener(polling).open()) {
            self.add(consumer);
            assertThatThrownBy(() -> pollValues(consumer, 3))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("poll cannot be called from a listener");
            assertThat(pollValues(consumer, 3)).containsExactly("0", "1", "2");
        }
    }

    @Test
    void aSeekInAssignedSetsTheFirstRecord() {
        muster.topics().create("orders", 1);
        send("orders", 0, numbers(0, 10));
        ConcurrentLinkedQueue<GroupConsumer<String, String>> self = new ConcurrentLinkedQueue<>();
        RebalanceListener seeking = new RebalanceListener() {
            @Override
            public void assigned(long generation, Set<TopicPartition> partitions) {
                self.element().seek(orders(0), 7);
            }
        };
        try (GroupConsumer<String, String> consumer =
                consumer(muster).listener(seeking).open()) {
            self.add(consumer);
            assertThat(pollValues(consumer, 3)).containsExactly("7", "8", "9");
        }
    }

    // Topics

    @Test
    void aPatternReadsATopicThatIsCreatedLater() {
        muster.topics().create("orders-eu", 1);
        PollingMember all = new PollingMember(
                muster, "billing", it -> it.pattern("orders-.*").from(Start.latest()));
        open.add(all);
        await("one partition", () -> all.owned().size() == 1);
        another().topics().create("other", 1);
        another().topics().create("orders-us", 2);
        send("orders-us", 1, "first");
        await("three partitions", () -> all.owned().size() == 3);
        await(
                "the record sent before the topic was seen is read",
                () -> all.values().contains("first"));
    }

    @Test
    void aMissingTopicIsReadOnceItIsCreated() {
        PollingMember early = member(muster, "early");
        await(
                "the member has joined",
                () -> muster.groups()
                                .find("billing")
                                .map(it -> it.members().size())
                                .orElse(0)
                        == 1);
        another().topics().create("orders", 2);
        await("the member has both partitions", () -> early.owned().size() == 2);
    }

    @Test
    void addedPartitionsAreReadFromTheirFirstRecord() {
        muster.topics().create("orders", 1);
        PollingMember a = member(muster, it -> it.from(Start.latest()));
        PollingMember b = member(another(), it -> it.from(Start.latest()));
        await("one member has the partition", () -> a.owned().size() + b.owned().size() == 1);
        another().topics().addPartitions("orders", 4);
        send("orders", 3, "early");
        await("two partitions each", () -> a.owned().size() == 2 && b.owned().size() == 2);
        await(
                "the record is read",
                () -> a.values().contains("early") || b.values().contains("early"));
    }

    @Test
    void aTopicCreatedAgainIsReadFromItsStart() {
        muster.topics().create("orders", 2);
        send("orders", 0, numbers(0, 5));
        PollingMember a = member(muster, it -> it.commitEvery(Duration.ZERO));
        await("all records are read", () -> a.records.size() == 5);
        await(
                "all records are committed",
                () -> group().offsets().containsKey(orders(0))
                        && group().offsets().get(orders(0)).offset().offset() == 5);
        Muster other = another();
        other.topics().delete("orders");
        await(
                "the member has lost both partitions",
                () -> a.knownToListener().isEmpty() && a.owned().isEmpty());
        assertThat(a.heard.getLast()).isEqualTo("lost orders-0 orders-1");
        assertThat(group().offsets()).isEmpty();
        other.topics().create("orders", 2);
        send("orders", 0, "anew");
        await("the new topic is read from its start", () -> a.values().contains("anew"));
        assertThat(a.failure()).isNull();
    }

    // Acks

    @Test
    void acksAreCommittedUpToTheFirstGap() {
        muster.topics().create("orders", 1);
        send("orders", 0, numbers(0, 5));
        try (GroupConsumer<String, String> consumer = consumer(muster).ackEach().open()) {
            List<Received<String, String>> records = new ArrayList<>();
            await("all records are read", () -> {
                records.addAll(consumer.poll(Duration.ofMillis(50)));
                return records.size() == 5;
            });
            consumer.ack(records.get(1));
            consumer.ack(records.get(0));
            consumer.ack(records.get(3));
            consumer.commit();
            assertThat(consumer.committed(Set.of(orders(0)))).containsEntry(orders(0), 2L);
            CompletableFuture.runAsync(() -> consumer.ack(records.get(2))).join();
            consumer.commitAsync().join();
            assertThat(consumer.committed(Set.of(orders(0)))).containsEntry(orders(0), 4L);
        }
        try (GroupConsumer<String, String> consumer = consumer(muster).ackEach().open()) {
            assertThat(pollValues(consumer, 1)).containsExactly("4");
        }
    }

    // Positions

    @Test
    void aPausedPartitionStaysOwnedAndIsNotRead() {
        muster.topics().create("orders", 2);
        try (GroupConsumer<String, String> consumer = consumer(muster).open()) {
            pollUntilOwned(consumer, 2);
            consumer.pause(Set.of(orders(0)));
            send("orders", 0, "zero");
            send("orders", 1, "one");
            assertThat(pollValues(consumer, 1)).containsExactly("one");
            assertThat(consumer.poll(Duration.ofMillis(100))).isEmpty();
            assertThat(consumer.paused()).containsExactly(orders(0));
            assertThat(consumer.assignment().partitions()).hasSize(2);
            consumer.resume(Set.of(orders(0)));
            assertThat(pollValues(consumer, 1)).containsExactly("zero");
            assertThatThrownBy(() -> consumer.seek(orders(7), 0)).hasMessageContaining("not assigned");
        }
    }

    @Test
    void withoutACommitAGroupBeginsAtItsStart() {
        muster.topics().create("orders", 1);
        send("orders", 0, "old");
        try (GroupConsumer<String, String> latest =
                consumer(muster).from(Start.latest()).open()) {
            pollUntilOwned(latest, 1);
        }
        // The first consumer read no record, but its start position became the commit of the group.
        send("orders", 0, "new");
        try (GroupConsumer<String, String> next =
                consumer(muster).from(Start.latest()).open()) {
            assertThat(pollValues(next, 1)).containsExactly("new");
        }
        Instant past = Instant.now().minusSeconds(3600);
        try (GroupConsumer<String, String> timed = muster.consumer("other", "orders")
                .keys(Codec.STRING)
                .values(Codec.STRING)
                .from(Start.time(past))
                .open()) {
            assertThat(pollValues(timed, 2)).containsExactly("old", "new");
        }
    }

    @Test
    void aCommitBelowTheStartContinuesAtTheStart() {
        muster.topics().create("orders", 1);
        send("orders", 0, numbers(0, 10));
        try (GroupConsumer<String, String> consumer =
                consumer(muster).maxRecords(2).commitByHand().open()) {
            pollValues(consumer, 2);
            consumer.commit();
        }
        muster.topics().trim("orders", 0, 6);
        try (GroupConsumer<String, String> consumer = consumer(muster).open()) {
            assertThat(pollValues(consumer, 4)).containsExactly("6", "7", "8", "9");
        }
    }

    // Threads

    @Test
    void aSecondThreadIsRefusedButMayClose() throws Exception {
        muster.topics().create("orders", 1);
        List<Set<TopicPartition>> revoked = new CopyOnWriteArrayList<>();
        GroupConsumer<String, String> consumer = consumer(muster)
                .listener(new RebalanceListener() {
                    @Override
                    public void revoked(long generation, Set<TopicPartition> partitions) {
                        revoked.add(partitions);
                    }
                })
                .open();
        open.add(consumer);
        // This poll ends only at close. So once the assignment is there, the other thread is inside poll.
        CompletableFuture<List<Received<String, String>>> poll = CompletableFuture.supplyAsync(
                () -> consumer.poll(Duration.ofDays(1000)), Thread.ofPlatform().daemon()::start);
        await("the other thread polls", () -> consumer.assignment().partitions().size() == 1);
        assertThatThrownBy(consumer::positions)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("one thread at a time");
        consumer.close();
        await("the member has left", () -> group().members().isEmpty());
        assertThat(revoked).containsExactly(Set.of(orders(0)));
        assertThat(poll.get()).isEmpty();
    }

    @Test
    void aWakeupOrAnInterruptEndsAWaitingPoll() throws Exception {
        muster.topics().create("orders", 1);
        try (GroupConsumer<String, String> consumer = consumer(muster).open()) {
            pollUntilOwned(consumer, 1);
            consumer.wakeup();
            assertThat(consumer.poll(Duration.ofDays(1000))).isEmpty();
            Thread.currentThread().interrupt();
            assertThat(consumer.poll(Duration.ofDays(1000))).isEmpty();
            assertThat(Thread.interrupted()).isTrue();
            send("orders", 0, "still works");
            assertThat(pollValues(consumer, 1)).containsExactly("still works");
        }
    }

    @Test
    void aVirtualThreadCanPollAndCommit() throws Exception {
        muster.topics().create("orders", 1);
        send("orders", 0, "a");
        CompletableFuture<List<String>> read = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try (GroupConsumer<String, String> consumer = consumer(muster).open()) {
                List<String> values = pollValues(consumer, 1);
                consumer.commit();
                read.complete(values);
            } catch (Throwable e) {
                read.completeExceptionally(e);
            }
        });
        assertThat(read.get()).containsExactly("a");
    }

    // Administration

    @Test
    void lagIsEmptyIfUnknownAndNeverNegative() {
        muster.topics().create("orders", 2);
        send("orders", 0, numbers(0, 10));
        try (GroupConsumer<String, String> consumer =
                consumer(muster).maxRecords(4).commitByHand().open()) {
            pollValues(consumer, 4);
            List<Groups.Lag> before = muster.groups().lag("billing");
            assertThat(before).allSatisfy(lag -> {
                assertThat(lag.lag()).isEmpty();
                assertThat(lag.behind()).isEmpty();
                assertThat(lag.member()).contains(consumer.assignment().member());
            });
            consumer.commit();
            Groups.Lag lag = muster.groups().lag("billing").getFirst();
            assertThat(lag.partition()).isEqualTo(orders(0));
            assertThat(lag.lag()).hasValue(6);
            assertThat(lag.end()).isEqualTo(10);
            assertThat(lag.committed()).hasValue(4);
            assertThat(lag.behind()).hasValueSatisfying(time -> assertThat(time).isGreaterThanOrEqualTo(Duration.ZERO));
            muster.topics().trim("orders", 0, 8);
            assertThat(muster.groups().lag("billing").getFirst().lag()).hasValue(2);
        }
        assertThatThrownBy(() -> muster.groups().lag("missing"))
                .isInstanceOf(GroupRefusedException.class)
                .hasMessageContaining("there is no group \"missing\"")
                .satisfies(e -> assertThat(((GroupRefusedException) e).hint()).isPresent());
    }

    @Test
    void aGroupWithMembersRefusesAReset() {
        muster.topics().create("orders", 1);
        send("orders", 0, numbers(0, 10));
        Groups groups = another().groups();
        try (GroupConsumer<String, String> consumer = consumer(muster).open()) {
            pollUntilAny(consumer);
            assertThatThrownBy(() -> groups.reset("billing", new TreeMap<>(Map.of(orders(0), 3L))))
                    .isInstanceOf(GroupRefusedException.class);
            assertThatThrownBy(() -> groups.delete("billing")).isInstanceOf(GroupRefusedException.class);
        }
        assertThat(groups.reset("billing", new TreeMap<>(Map.of(orders(0), 77L))))
                .containsEntry(orders(0), 10L);
        assertThat(groups.reset("billing", new TreeMap<>(Map.of(orders(0), 8L))))
                .containsEntry(orders(0), 8L);
        try (GroupConsumer<String, String> consumer = consumer(muster).open()) {
            assertThat(pollValues(consumer, 2)).containsExactly("8", "9");
        }
        groups.forget("billing", Set.of(orders(0)));
        assertThat(groups.find("billing").orElseThrow().offsets()).isEmpty();
        groups.delete("billing");
        assertThat(groups.list()).isEmpty();
        try (GroupConsumer<String, String> consumer = consumer(muster).open()) {
            assertThat(pollValues(consumer, 10)).startsWith("0");
        }
    }

    @Test
    void aLiveResetMovesOnlyTheOffsetsThatItNames() {
        muster.topics().create("orders", 2);
        send("orders", 0, numbers(0, 10));
        List<String> heard = new ArrayList<>();
        AtomicReference<GroupConsumer<String, String>> self = new AtomicReference<>();
        RebalanceListener listener = new RebalanceListener() {
            @Override
            public void assigned(long generation, Set<TopicPartition> partitions) {
                heard.add("assigned " + partitions + " in " + generation);
            }

            @Override
            public void revoked(long generation, Set<TopicPartition> partitions) {
                self.get().commit();
                heard.add("revoked " + partitions + " in " + generation);
            }
        };
        try (GroupConsumer<String, String> consumer =
                consumer(muster).listener(listener).commitByHand().open()) {
            self.set(consumer);
            assertThat(pollValues(consumer, 10)).contains("9");
            consumer.commit();
            Groups groups = another().groups();
            assertThat(groups.resetLive(
                            "billing",
                            new TreeMap<>(Map.of(orders(0), 7L)),
                            AdminReason.of("alice").because("a mistake")))
                    .containsEntry(orders(0), 7L);
            assertThatThrownBy(() -> consumer.commit(Map.of(orders(0), 10L)))
                    .as("a commit of the offset from before the reset")
                    .isInstanceOf(CommitRefusedException.class)
                    .hasMessageContaining("set by hand in generation 2");
            assertThat(pollValues(consumer, 3)).containsExactly("7", "8", "9");
            consumer.commit();
            assertThat(group().offsets().get(orders(0)).offset().offset()).isEqualTo(10);
        }
        assertThat(heard)
                .startsWith(
                        "assigned [orders-0, orders-1] in 1", "revoked [orders-0] in 2", "assigned [orders-0] in 2");
        assertThat(group().history().get(1).cause()).isEqualTo("reset by alice: orders-0 to 7, because a mistake");
    }

    @Test
    void aLiveResetForwardSkipsRecords() {
        muster.topics().create("orders", 1);
        send("orders", 0, numbers(0, 10));
        try (GroupConsumer<String, String> consumer =
                consumer(muster).maxRecords(1).commitEvery(Duration.ZERO).open()) {
            assertThat(pollValues(consumer, 1)).containsExactly("0");
            muster.groups().resetLive("billing", new TreeMap<>(Map.of(orders(0), 8L)), AdminReason.of("alice"));
            assertThat(pollValues(consumer, 2)).containsExactly("8", "9");
        }
        assertThat(group().offsets().get(orders(0)).offset().offset()).isEqualTo(10);
    }

    @Test
    void aRunningHandlerFollowsALiveReset() {
        muster.topics().create("orders", 1);
        send("orders", 0, numbers(0, 5));
        Queue<String> handled = new ConcurrentLinkedQueue<>();
        try (RunningConsumer _ =
                consumer(muster).commitEvery(Duration.ofMillis(10)).run(record -> handled.add(record.value()))) {
            await("all records are handled", () -> handled.size() == 5);
            muster.groups().resetLive("billing", new TreeMap<>(Map.of(orders(0), 3L)), AdminReason.of("alice"));
            await("two records are handled again", () -> handled.size() == 7);
            await(
                    "they are committed again",
                    () -> group().offsets().get(orders(0)).offset().offset() == 5);
        }
        assertThat(handled).containsExactly("0", "1", "2", "3", "4", "3", "4");
    }

    @Test
    void noPartitionIsAssignedBeforeAllExpectedMembersJoin() {
        muster.topics().create("orders", 3);
        muster.groups().expect("billing", 3, LONG);
        PollingMember a = member(muster, "A");
        PollingMember b = member(another(), "B");
        await("two members have joined", () -> group().members().size() == 2);
        assertThat(group().forming()).isPresent();
        assertThat(group().owners()).isEmpty();
        PollingMember c = member(another(), "C");
        await(
                "each member has one partition",
                () -> List.of(a, b, c).stream()
                        .allMatch(member -> member.owned().size() == 1));
        assertThat(group().generation())
                .as("generations: one for waiting, and one for the assignment")
                .isEqualTo(2);
    }

    @Test
    void aFormingGroupBeginsAfterItsTimeOrByHand() throws Exception {
        muster.topics().create("orders", 2);
        PollingMember a = member(muster, it -> it.id("A").expectedMembers(5, Duration.ofMillis(300)));
        await("A has waited long enough", () -> a.owned().size() == 2);
        assertThat(group().history().getLast().cause()).contains("waited 300 ms and has 1 of 5 members");
        assertThatThrownBy(() -> muster.groups().complete("billing", AdminReason.of("alice")))
                .isInstanceOf(GroupRefusedException.class);
        a.close();
        muster.groups().expect("billing", 5, LONG);
        PollingMember b = member(muster, "B");
        await("B waits", () -> group().forming().isPresent());
        another().groups().complete("billing", AdminReason.of("alice"));
        await("B has both partitions", () -> b.owned().size() == 2);
        muster.groups().expect("billing", 0, LONG);
        assertThat(group().expectation()).isEmpty();
    }

    private static void pollUntilAny(GroupConsumer<String, String> consumer) {
        await(
                "a poll returns records",
                () -> !consumer.poll(Duration.ofMillis(50)).isEmpty());
    }

    @Test
    void aGroupOfDeadMembersCanBeChanged() throws Exception {
        muster.topics().create("orders", 1);
        Muster other = another();
        PollingMember only = member(other, "only");
        await("the member has the partition", () -> only.owned().size() == 1);
        assertThat(muster.groups().dead("billing")).isEmpty();
        only.stopPolling();
        kill(other);
        await("the dead member is listed", () -> muster.groups().dead("billing").size() == 1);
        assertThat(group().members())
                .as("members in the journal, which does not know of the death yet")
                .hasSize(1);
        muster.groups().reset("billing", new TreeMap<>(Map.of(orders(0), 0L)));
        assertThat(group().members()).isEmpty();
        muster.groups().delete("billing");
    }

    @Test
    void aResetRevivesAGroupWhoseDeletionWasInterrupted() {
        muster.topics().create("orders", 1);
        send("orders", 0, numbers(0, 3));
        muster.groups().reset("billing", new TreeMap<>(Map.of(orders(0), 1L)));
        ((OpenMuster) another()).groupService().open(new GroupName("billing")).propose(new Command.Delete());
        muster.groups().reset("billing", new TreeMap<>(Map.of(orders(0), 2L)));
        assertThat(group().deleted()).isFalse();
        try (GroupConsumer<String, String> consumer = consumer(another()).open()) {
            assertThat(pollValues(consumer, 1)).containsExactly("2");
        }
    }

    @Test
    void awaitReturnsAtEachChangeWithoutJoining() {
        muster.topics().create("orders", 1);
        GroupInspection watcher = GroupInspection.of(another());
        assertThat(watcher.awaitSnapshot("billing", 0, Duration.ofMillis(1)).version())
                .isZero();
        CompletableFuture<GroupInspection.Snapshot> first =
                CompletableFuture.supplyAsync(() -> watcher.awaitSnapshot("billing", 0, LONG));
        PollingMember a = member(muster, "A");
        GroupInspection.Snapshot seen = first.join();
        assertThat(seen.version()).isPositive();
        while (seen.group().owners().isEmpty()) {
            GroupInspection.Snapshot next = watcher.awaitSnapshot("billing", seen.version(), LONG);
            assertThat(next.version()).isGreaterThan(seen.version());
            seen = next;
        }
        assertThat(seen.group().members()).hasSize(1);
        a.close();
    }
}
