package dev.muster.simulation.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.CompressionKind;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.TopicSettings;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.Timing;
import dev.muster.engine.group.member.GroupMember;
import dev.muster.engine.group.member.MemberOptions;
import dev.muster.engine.group.member.Reconciliation;
import dev.muster.engine.group.service.GroupService;
import dev.muster.engine.group.service.GroupThread;
import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.engine.runtime.SystemGroupRuntime;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.BatchBuilder;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.file.FileStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A simulated process that uses the groups of a directory; a test can have several in one JVM. */
final class GroupProcess implements AutoCloseable {
    static final GroupName GROUP = new GroupName("workers");
    static final TopicName ORDERS = new TopicName("orders");
    static final int RECORDS = 10;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    final FileStore store;
    private final GroupThread thread;

    GroupProcess(FileStore store) {
        this(store, new SystemGroupRuntime());
    }

    private GroupProcess(FileStore store, GroupRuntime world) {
        this.store = store;
        this.thread = new GroupThread(store, world);
    }

    /** A process that does not wait for a healing process: for tests without another live process. */
    static GroupProcess impatient(FileStore store) {
        return new GroupProcess(store, new Impatient());
    }

    private static final class Impatient implements GroupRuntime {
        private final SystemGroupRuntime real = new SystemGroupRuntime();

        @Override
        public long nanoTime() {
            return real.nanoTime();
        }

        @Override
        public long wallMillis() {
            return real.wallMillis();
        }

        @Override
        public String freshName() {
            return real.freshName();
        }

        @Override
        public void inBackground(Runnable work) {
            real.inBackground(work);
        }

        @Override
        public <T> T blocking(Supplier<T> call) {
            return real.blocking(call);
        }
    }

    /** Creates the topic, with ten records in each partition. */
    void createTopic(int partitions) {
        Topic topic = store.create(ORDERS, partitions, TopicSettings.DEFAULT);
        for (int i = 0; i < partitions; i++) {
            PartitionLog log = store.log(topic.id(), i);
            BatchBuilder builder = new BatchBuilder(new byte[1024], CompressionKind.NONE);
            for (int record = 0; record < RECORDS; record++) {
                assertThat(builder.tryAppend(0, null, new byte[] {(byte) record}, List.of()))
                        .isTrue();
            }
            log.append(builder.finish(BatchHeader.NO_PRODUCER, (short) -1, -1));
            log.awaitDurable(RECORDS);
        }
    }

    GroupService service() {
        return thread.service();
    }

    /** Joins a member, and waits until it owns this number of partitions of the topic. */
    GroupMember join(int partitions) {
        TreeSet<TopicName> topics = new TreeSet<>();
        topics.add(ORDERS);
        MemberOptions options = new MemberOptions(
                GROUP,
                Optional.empty(),
                "member",
                new Subscription(topics, Optional.empty()),
                new Timing(Duration.ofSeconds(45), Duration.ofSeconds(45)),
                Duration.ofSeconds(5),
                Duration.ofMinutes(5),
                "sticky");
        GroupMember member = new GroupMember(service(), options, () -> {});
        assertThat(member.join()).isInstanceOf(Reply.Joined.class);
        await(() -> {
            Reconciliation outlook = member.look();
            if (!outlook.take().isEmpty()) {
                member.awaitGeneration(outlook);
                member.took(outlook, outlook.take());
            }
            member.worked(outlook);
            return member.held().size() == partitions;
        });
        return member;
    }

    static void commit(GroupMember member, int partition, long offset) {
        TreeMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        offsets.put(partition(partition), new CommittedOffset(offset));
        assertThat(member.commit(offsets)).isInstanceOf(Reply.Done.class);
    }

    static TopicPartition partition(int number) {
        return new TopicPartition(ORDERS, number);
    }

    static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("time to wait").isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public void close() {
        thread.close();
        store.close();
    }
}
