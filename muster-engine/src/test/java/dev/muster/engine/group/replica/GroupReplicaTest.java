package dev.muster.engine.group.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.MemberId;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.assign.Assignors;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.command.GroupTimer;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.Timing;
import dev.muster.core.group.model.TopicShape;
import dev.muster.engine.runtime.SystemGroupRuntime;
import dev.muster.store.ReadOnlyException;
import dev.muster.store.StoreIoException;
import dev.muster.store.SyncFailedException;
import dev.muster.store.group.GroupDeletedException;
import dev.muster.store.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GroupReplicaTest {
    private static final GroupName GROUP = new GroupName("billing");
    private static final TopicName ORDERS = new TopicName("orders");
    private static final TopicPartition ORDERS_0 = new TopicPartition(ORDERS, 0);
    private static final HostId HOST = new HostId("host-1");
    private static final MemberId A = new MemberId("A");

    private final MemoryStore store = new MemoryStore();
    private final FaultyJournal journal = new FaultyJournal(store.groups().open(GROUP));
    private final GroupReplica replica = replica(HOST);
    private final GroupReplica other = replica(new HostId("host-2"));

    @AfterEach
    void close() {
        store.close();
    }

    private GroupReplica replica(HostId host) {
        return new GroupReplica(
                journal, host, Assignors.BUILT_IN, new SystemGroupRuntime(), new GroupReplica.Watcher() {
                    @Override
                    public void moved() {}

                    @Override
                    public void wrote(Entry entry, VersionedGroup before, VersionedGroup after) {
                        assertThat(after.version()).isEqualTo(before.version() + 1);
                    }
                });
    }

    private static Command.Join join(MemberId id) {
        SortedMap<TopicName, TopicShape> topics = new TreeMap<>();
        topics.put(ORDERS, new TopicShape(new TopicId(new UUID(0, 1)), 8));
        Subscription subscription = new Subscription(new TreeSet<>(Set.of(ORDERS)), Optional.empty());
        return new Command.Join(
                new MemberSpec(
                        id,
                        Optional.empty(),
                        id.value(),
                        HOST,
                        Optional.empty(),
                        subscription,
                        Timing.DEFAULT,
                        "sticky"),
                topics);
    }

    private static Command.Commit commit(MemberId id, long offset) {
        TreeMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        offsets.put(ORDERS_0, new CommittedOffset(offset));
        return new Command.Commit(id, 1, offsets);
    }

    /** Lets A join, as the owner of all partitions. */
    private void begin() {
        assertThat(replica.propose(join(A))).isEqualTo(new Reply.Joined(A, false));
        replica.propose(group -> new Command.Settle(token(replica)));
        assertThat(replica.newest().group().owners()).hasSize(8);
    }

    private static long token(GroupReplica of) {
        return of.newest().group().timers().stream()
                .filter(wish -> wish instanceof GroupTimer.Settle)
                .map(wish -> ((GroupTimer.Settle) wish).token())
                .findFirst()
                .orElse(-1L);
    }

    private long committed() {
        return other.newest().group().offsets().get(ORDERS_0).offset().offset();
    }

    @Test
    void anEntryOfOneProcessIsSeenByAnother() {
        begin();
        assertThat(other.newest().group()).isEqualTo(replica.newest().group());
        assertThat(replica.propose(commit(A, 7))).isInstanceOf(Reply.Done.class);
        assertThat(committed()).isEqualTo(7);
    }

    @Test
    void aDecisionOnAnOldVersionIsRepeated() {
        begin();
        // While A's commit is in flight, another process expels A.
        journal.beforeAppend(() -> other.propose(new Command.Leave(A, LeaveCause.REMOVED, false)));
        assertThat(replica.propose(commit(A, 7))).isInstanceOf(Reply.UnknownMember.class);
        assertThat(other.newest().group().offsets()).isEmpty();
    }

    @Test
    void aConditionalCommandIsComputedAgainOnTheNewerState() {
        begin();
        List<Integer> members = new ArrayList<>();
        journal.beforeAppend(() -> other.propose(join(new MemberId("B"))));
        replica.propose(group -> {
            members.add(group.members().size());
            return new Command.Leave(A, LeaveCause.LEFT, false);
        });
        assertThat(members).containsExactly(1, 2);
    }

    @Test
    void anUnnecessaryConditionalCommandWritesNothing() {
        begin();
        int appends = journal.appends.get();
        assertThat(replica.propose(group -> null)).isInstanceOf(Reply.Done.class);
        assertThat(journal.appends).hasValue(appends);
    }

    @Test
    void commandsWaitingForAnAppendShareOneEntry() throws Exception {
        begin();
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch inside = new CountDownLatch(1);
        journal.beforeAppend(() -> {
            inside.countDown();
            await(release);
        });
        List<CompletableFuture<Reply>> first =
                List.of(CompletableFuture.supplyAsync(() -> replica.propose(commit(A, 1))));
        await(inside);
        int appends = journal.appends.get();
        CountDownLatch queued = new CountDownLatch(50);
        List<Thread> threads = IntStream.range(0, 50)
                .mapToObj(i -> Thread.ofPlatform().start(() -> {
                    queued.countDown();
                    assertThat(replica.propose(commit(A, 100 + i))).isInstanceOf(Reply.Done.class);
                }))
                .toList();
        await(queued);
        // All threads are queued or wait for the lock; a waiting thread is parked.
        while (threads.stream().anyMatch(thread -> thread.getState() == Thread.State.RUNNABLE)) {
            Thread.onSpinWait();
        }
        release.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(first.getFirst().join()).isInstanceOf(Reply.Done.class);
        assertThat(journal.appends.get() - appends)
                .as("entries for fifty commits")
                .isLessThanOrEqualTo(2);
        assertThat(committed()).isBetween(100L, 149L);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void concurrentCommandsOfTwoProcessesAreAllApplied() throws Exception {
        List<Thread> threads = new ArrayList<>();
        CyclicBarrier together = new CyclicBarrier(8);
        for (int i = 0; i < 8; i++) {
            GroupReplica mine = i % 2 == 0 ? replica : other;
            int base = i * 100;
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    together.await();
                    for (int j = 0; j < 50; j++) {
                        MemberId id = new MemberId("M" + (base + j));
                        assertThat(mine.propose(join(id))).isInstanceOf(Reply.Joined.class);
                    }
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(replica.newest().group().members()).hasSize(400);
        assertThat(other.newest().group()).isEqualTo(replica.newest().group());
        assertThat(replica(new HostId("late")).newest().group())
                .isEqualTo(replica.newest().group());
    }

    @Test
    void anAppendWhoseAnswerWasLostCounts() {
        begin();
        journal.afterAppend(() -> {
            throw new StoreIoException("the connection broke", null);
        });
        assertThat(replica.propose(commit(A, 7))).isInstanceOf(Reply.Done.class);
        assertThat(committed()).isEqualTo(7);
    }

    @Test
    void aFailedAppendFailsAllItsCommandsAndTheNextWorks() {
        begin();
        journal.beforeAppend(() -> {
            throw new StoreIoException("no room", null);
        });
        assertThatThrownBy(() -> replica.propose(commit(A, 7))).hasMessage("no room");
        journal.beforeAppend(() -> {
            throw new StoreIoException("no room", null);
        });
        assertThatThrownBy(() -> replica.submit(commit(A, 7)).join()).hasRootCauseMessage("no room");
        assertThat(replica.propose(commit(A, 8))).isInstanceOf(Reply.Done.class);
        assertThat(committed()).isEqualTo(8);
    }

    @Test
    void aCommitWaitsForASyncAndAJoinDoesNot() {
        begin();
        assertThat(journal.syncs).hasValue(0);
        replica.propose(commit(A, 7));
        assertThat(journal.syncs).hasValue(1);
        VersionedGroup seen = replica.newest();
        assertThat(replica.isGenerationDurable(seen))
                .as("the commit's sync covered it")
                .isTrue();
        replica.propose(join(new MemberId("B")));
        replica.propose(group -> new Command.Settle(token(replica)));
        assertThat(journal.syncs).hasValue(1);
        assertThat(replica.isGenerationDurable(replica.newest())).isFalse();
        replica.awaitGeneration(replica.newest());
        replica.awaitGeneration(replica.newest());
        assertThat(journal.syncs).hasValue(2);
    }

    @Test
    void afterAFailedSyncASnapshotKeepsTheCommit() {
        begin();
        AtomicBoolean failed = new AtomicBoolean();
        journal.beforeSync(() -> {
            if (failed.compareAndSet(false, true)) {
                throw new SyncFailedException("journal", null);
            }
        });
        assertThat(replica.propose(commit(A, 7))).isInstanceOf(Reply.Done.class);
        assertThat(committed()).isEqualTo(7);
        assertThat(journal.startVersion())
                .as("what was lost is no longer needed")
                .isPositive();
        assertThat(replica(new HostId("late")).newest().group())
                .isEqualTo(replica.newest().group());
    }

    @Test
    void aCommitFailsWhenEverySyncFails() {
        begin();
        journal.beforeSync(() -> {
            throw new SyncFailedException("journal", null);
        });
        assertThatThrownBy(() -> replica.propose(commit(A, 7))).isInstanceOf(SyncFailedException.class);
    }

    @Test
    void aReplicaThatMissedATrimReadsTheSnapshot() {
        begin();
        VersionedGroup old = other.newest();
        // Snapshots are written in parallel to the commits, so the commit that causes the trim is not known.
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(50);
        for (int i = 0; journal.startVersion() <= old.version(); i++) {
            assertThat(System.nanoTime()).as("trimmed in time, by commit %d", i).isLessThan(deadline);
            replica.propose(commit(A, i));
        }
        assertThat(other.newest().group()).isEqualTo(replica.newest().group());
    }

    @Test
    void manyLargeCommandsAreSplitIntoSeveralEntries() {
        for (int i = 0; i < 100; i++) {
            assertThat(replica.propose(join(new MemberId("M%03d".formatted(i)))))
                    .isInstanceOf(Reply.Joined.class);
        }
        replica.propose(group -> new Command.Settle(token(replica)));
        List<Command> leaves = IntStream.range(0, 100)
                .<Command>mapToObj(i -> new Command.Leave(new MemberId("M%03d".formatted(i)), LeaveCause.LEFT, false))
                .toList();
        int appends = journal.appends.get();
        assertThat(replica.propose(leaves, true)).hasSize(100).allMatch(reply -> reply instanceof Reply.Done);
        assertThat(journal.appends.get()).isGreaterThan(appends);
        assertThat(other.newest().group().members()).isEmpty();
    }

    @Test
    void aReadOnlyProcessCannotPropose() {
        begin();
        assertThatThrownBy(() -> replica(null).propose(commit(A, 7))).isInstanceOf(ReadOnlyException.class);
        assertThat(replica(null).newest().group().members()).containsKey(A);
    }

    @Test
    void aCommandToADeletedGroupIsRefused() {
        begin();
        store.groups().delete(store.groups().open(GROUP));
        assertThatThrownBy(() -> replica.propose(commit(A, 7))).isInstanceOf(GroupDeletedException.class);
        assertThatThrownBy(replica::newest).isInstanceOf(GroupDeletedException.class);
    }
}
