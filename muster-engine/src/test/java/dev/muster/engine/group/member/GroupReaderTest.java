package dev.muster.engine.group.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.CompressionKind;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.Timing;
import dev.muster.engine.group.FaultyStore;
import dev.muster.engine.group.SimulatedWorld;
import dev.muster.engine.group.SimulatedWorld.SimulatedProcess;
import dev.muster.engine.read.ReadErrorPolicy;
import dev.muster.store.DamagedLogException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionLog;
import dev.muster.store.StoreIoException;
import dev.muster.store.batch.BatchBuilder;
import dev.muster.store.batch.BatchDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Records that a member hands out in spite of failures, in simulated time. */
class GroupReaderTest {
    private static final GroupName GROUP = new GroupName("billing");
    private static final TopicName ORDERS = new TopicName("orders");

    private final SimulatedWorld world = newWorld();
    private FaultyStore faulty;
    private final SimulatedProcess process = world.process(real -> faulty = new FaultyStore(real));
    private final Sink sink = new Sink();
    private final Hooks hooks = new Hooks();

    /** The processes of the test. Another test class runs the same tests on another kind of store. */
    SimulatedWorld newWorld() {
        return new SimulatedWorld();
    }

    @AfterEach
    void close() {
        world.close();
    }

    /** Takes records, and runs an action of the test at the first one. */
    private static final class Sink implements GroupSink {
        private final List<String> taken = new ArrayList<>();
        private final List<String> polled = new ArrayList<>();
        private Runnable first = () -> {};

        @Override
        public void accept(TopicPartition from, BatchDecoder record) {
            Runnable now = first;
            first = () -> {};
            polled.add(from.partition() + "/" + new String(record.value(), StandardCharsets.UTF_8));
            now.run();
        }

        @Override
        public void withdraw() {
            polled.clear();
        }
    }

    private static class Hooks implements GroupHooks {
        private Runnable revoked = () -> {};
        private boolean finished = true;
        private int assigned;

        @Override
        public void assigned(long generation, SortedSet<TopicPartition> partitions) {
            assigned += partitions.size();
        }

        @Override
        public SortedSet<TopicPartition> revoked(long generation, SortedSet<TopicPartition> partitions) {
            revoked.run();
            return finished ? partitions : new TreeSet<>();
        }

        @Override
        public void lost(long generation, SortedSet<TopicPartition> partitions) {}

        @Override
        public RuntimeException fenced(String why) {
            return new IllegalStateException(why);
        }
    }

    private static final ReadErrorPolicy NONE_EXPECTED = new ReadErrorPolicy() {
        @Override
        public long outOfRange(PartitionLog log, OffsetOutOfRangeException problem) {
            throw problem;
        }

        @Override
        public long damaged(PartitionLog log, DamagedLogException problem) {
            throw problem;
        }
    };

    private static MemberOptions options(String name) {
        return new MemberOptions(
                GROUP,
                Optional.empty(),
                name,
                new Subscription(new TreeSet<>(Set.of(ORDERS)), Optional.empty()),
                new Timing(Duration.ofSeconds(30), Duration.ofSeconds(10)),
                Duration.ofSeconds(5),
                Duration.ofMinutes(5),
                "sticky");
    }

    private GroupReader reader(ToLongFunction<PartitionLog> start) {
        GroupReader.Policy policy =
                new GroupReader.Policy(start, false, Optional.of(Duration.ofSeconds(5)), NONE_EXPECTED);
        return new GroupReader(process.groups, options("A"), policy, hooks);
    }

    private void send(int partition, String... values) {
        Topic topic = world.store().find(ORDERS).orElseThrow();
        BatchBuilder builder = new BatchBuilder(new byte[1024], CompressionKind.NONE);
        for (String value : values) {
            builder.tryAppend(0, null, value.getBytes(StandardCharsets.UTF_8), List.of());
        }
        world.store().log(topic.id(), partition).append(builder.finish(-1, (short) -1, -1));
    }

    private void poll(GroupReader reader) {
        sink.polled.clear();
        reader.poll(100, 0, sink);
        sink.taken.addAll(sink.polled);
    }

    /** Polls for a while of simulated time. */
    private void pollOn(GroupReader reader) {
        for (int i = 0; i < 100; i++) {
            poll(reader);
            world.pass(Duration.ofMillis(10));
        }
    }

    @Test
    void recordsFetchedWhileTheGroupIsUnreadableAreHandedOutLater() {
        world.topic("orders", 1);
        GroupReader reader = reader(log -> 0);
        pollOn(reader);
        assertThat(reader.commits().partitions()).hasSize(1);
        send(0, "a", "b", "c");
        sink.first = () -> faulty.journal(GROUP).beforeLook(() -> {
            throw new StoreIoException("cannot read the journal", null);
        });
        assertThatThrownBy(() -> poll(reader)).isInstanceOf(StoreIoException.class);
        pollOn(reader);
        assertThat(sink.taken).containsExactly("0/a", "0/b", "0/c");
    }

    @Test
    void recordsBeforeAFailingRecordAreHandedOutLater() {
        world.topic("orders", 1);
        GroupReader reader = reader(log -> 0);
        pollOn(reader);
        send(0, "a", "b", "c");
        sink.first = () -> sink.first = () -> {
            throw new AssertionError("the second record cannot be taken today");
        };
        assertThatThrownBy(() -> poll(reader)).isInstanceOf(AssertionError.class);
        pollOn(reader);
        assertThat(sink.taken).containsExactly("0/a", "0/b", "0/c");
    }

    @Test
    void anAssignedPartitionThatIsNotVisibleYetIsReadLater() {
        world.topic("orders", 1);
        send(0, "a");
        GroupReader reader = reader(log -> 0);
        faulty.noPartitions = true;
        pollOn(reader);
        assertThat(reader.commits().partitions()).isEmpty();
        faulty.noPartitions = false;
        pollOn(reader);
        assertThat(sink.taken).containsExactly("0/a");
        assertThat(hooks.assigned).isEqualTo(1);
    }

    @Test
    void aMemberSuspendedDuringAssignmentDoesNotGetLostPartitions() {
        world.topic("orders", 1);
        Hooks others = new Hooks();
        GroupReader.Policy policy =
                new GroupReader.Policy(log -> 0, false, Optional.of(Duration.ofSeconds(5)), NONE_EXPECTED);
        GroupReader other = new GroupReader(world.process().groups, options("B"), policy, others);
        GroupReader reader = reader(log -> {
            process.stop();
            for (int i = 0; i < 100 && others.assigned == 0; i++) {
                poll(other);
                world.pass(Duration.ofSeconds(1));
            }
            process.goOn();
            return 0;
        });
        pollOn(reader);
        assertThat(others.assigned).isEqualTo(1);
        assertThat(hooks.assigned).isZero();
    }

    @Test
    void whenAnotherPartitionCannotStartAPartitionIsStartedOnce() {
        world.topic("orders", 2);
        send(0, "a", "b");
        send(1, "c", "d");
        boolean[] failed = new boolean[1];
        GroupReader reader = reader(log -> {
            if (log.partition() == 1 && !failed[0]) {
                failed[0] = true;
                throw new StoreIoException("cannot look for the start", null);
            }
            return 0;
        });
        try {
            pollOn(reader);
        } catch (StoreIoException e) {
            sink.polled.clear();
        }
        assertThat(failed[0]).isTrue();
        pollOn(reader);
        assertThat(sink.taken).containsExactlyInAnyOrder("0/a", "0/b", "1/c", "1/d");
    }

    @Test
    void aPausedPartitionOfADeletedTopicCanBeResumed() {
        world.topic("orders", 2);
        GroupReader reader = reader(log -> 0);
        pollOn(reader);
        assertThat(reader.commits().partitions()).hasSize(2);
        Set<TopicPartition> first = Set.of(new TopicPartition(ORDERS, 0));
        reader.pause(first, true);
        send(1, "a");
        world.store().delete(ORDERS);
        poll(reader);
        // The partition is not read any more, although the group has not revoked it yet.
        assertThat(reader.commits().partitions()).hasSize(2);
        reader.pause(first, false);
        assertThat(reader.paused()).isEmpty();
        pollOn(reader);
        assertThat(reader.commits().partitions()).isEmpty();
    }

    @Test
    void aPartitionReassignedBeforeItsReleaseIsProcessedFurther() {
        world.topic("orders", 2);
        send(0, "a");
        send(1, "b");
        GroupReader reader = reader(log -> 0);
        pollOn(reader);
        assertThat(sink.taken).containsExactlyInAnyOrder("0/a", "1/b");
        hooks.finished = false;
        GroupMember other = new GroupMember(world.process().groups, options("B"), () -> {});
        assertThat(other.join()).isInstanceOf(Reply.Joined.class);
        pollOn(reader);
        assertThat(group().members()).hasSize(2);
        other.leave(new TreeMap<>());
        pollOn(reader);
        hooks.finished = true;
        pollOn(reader);
        assertThat(hooks.assigned).as("times that partitions came").isEqualTo(3);
        assertThat(reader.commits().partitions()).hasSize(2);
        send(0, "c");
        send(1, "d");
        pollOn(reader);
        assertThat(sink.taken).containsExactlyInAnyOrder("0/a", "1/b", "0/c", "1/d");
    }

    @Test
    void aMemberWhoseLeaveFailedIsOutSoon() {
        world.topic("orders", 1);
        GroupReader reader = reader(log -> 0);
        pollOn(reader);
        faulty.journal(GROUP).beforeAppend(() -> {
            throw new StoreIoException("no space left on device", null);
        });
        assertThatThrownBy(reader::close).isInstanceOf(StoreIoException.class);
        assertThat(group().members()).hasSize(1);
        world.pass(Duration.ofSeconds(4));
        assertThat(group().members()).isEmpty();
        long looks = faulty.journal(GROUP).looks.get();
        world.pass(Duration.ofMinutes(1));
        assertThat(faulty.journal(GROUP).looks.get())
                .as("nobody looks after a group that nobody is in")
                .isEqualTo(looks);
    }

    private Group group() {
        return process.groups.open(GROUP).known().group();
    }

    @Test
    void aCommitOfAReleasedPartitionIsRefused() {
        world.topic("orders", 1);
        GroupReader reader = reader(log -> 0);
        pollOn(reader);
        TreeMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        offsets.put(new TopicPartition(ORDERS, 1), new CommittedOffset(3));
        CompletableFuture<Reply> commit = reader.commits().commitAsync(offsets);
        world.settle();
        assertThat(commit.join()).isInstanceOf(Reply.StaleGeneration.class);
    }

    @Test
    void closeWithAFailingListenerStillLeavesTheGroup() {
        world.topic("orders", 1);
        GroupReader reader = reader(log -> 0);
        pollOn(reader);
        hooks.revoked = () -> {
            throw new AssertionError("the listener is broken");
        };
        assertThatThrownBy(reader::close).isInstanceOf(AssertionError.class);
        assertThat(process.groups.open(GROUP).newest().group().members()).isEmpty();
    }
}
