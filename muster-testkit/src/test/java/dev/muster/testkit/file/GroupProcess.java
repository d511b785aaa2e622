package dev.muster.testkit.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.CommittedOffset;
import dev.muster.core.group.GroupName;
import dev.muster.core.group.Reply;
import dev.muster.core.group.Subscription;
import dev.muster.core.group.Timing;
import dev.muster.engine.group.GroupMember;
import dev.muster.engine.group.GroupService;
import dev.muster.engine.group.GroupThread;
import dev.muster.engine.group.MemberOptions;
import dev.muster.engine.group.Outlook;
import dev.muster.engine.group.SystemSurroundings;
import dev.muster.store.file.FileStore;
import java.time.Duration;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/** A process that uses the groups of a directory, as far as a test can have several in one JVM. */
final class GroupProcess implements AutoCloseable {
    static final GroupName GROUP = new GroupName("workers");
    static final TopicName ORDERS = new TopicName("orders");
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    final FileStore store;
    private final GroupThread thread;

    GroupProcess(FileStore store) {
        this.store = store;
        this.thread = new GroupThread(store, new SystemSurroundings());
    }

    GroupService service() {
        return thread.service();
    }

    /** A member that owns all partitions of the topic when this returns. */
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
        GroupMember member = service().member(options, () -> {});
        assertThat(member.join()).isInstanceOf(Reply.Joined.class);
        await(() -> {
            Outlook outlook = member.look();
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
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        thread.close();
        store.close();
    }
}
