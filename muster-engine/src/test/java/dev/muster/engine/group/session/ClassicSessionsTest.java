package dev.muster.engine.group.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.MemberId;
import dev.muster.core.assign.Assignors;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ClassicReply;
import dev.muster.core.group.classic.ClassicSpec;
import dev.muster.core.group.classic.ClassicTimer;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.Opaque;
import dev.muster.core.group.model.Protocol;
import dev.muster.engine.group.remote.ClassicProtocol;
import dev.muster.engine.group.replica.FaultyJournal;
import dev.muster.engine.group.replica.GroupReplica;
import dev.muster.engine.group.replica.VersionedGroup;
import dev.muster.engine.group.service.GroupThread;
import dev.muster.engine.group.session.ClassicRequest.Identity;
import dev.muster.engine.runtime.SystemGroupRuntime;
import dev.muster.store.memory.MemoryStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers on real threads: no answer precedes durability, and many simultaneous requests are all answered. */
@Timeout(60)
class ClassicSessionsTest {
    private static final GroupName GROUP = new GroupName("billing");
    private static final HostId HOST = new HostId("host-1");

    /** Waits an hour for further joins. The test ends the wait itself, so it cannot expire on a slow machine. */
    private static final ClassicConfig PATIENT = new ClassicConfig(
            ClassicConfig.DEFAULT.sessionMin(),
            ClassicConfig.DEFAULT.sessionMax(),
            ClassicConfig.DEFAULT.sizeMax(),
            Duration.ofHours(1),
            Duration.ofHours(1),
            ClassicConfig.DEFAULT.joinMax(),
            ClassicConfig.DEFAULT.grace());

    private final MemoryStore store = new MemoryStore();

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void aGenerationThatIsNotDurableIsNotAnswered() throws Exception {
        FaultyJournal journal = new FaultyJournal(store.groups().open(GROUP));
        GroupReplica replica = new GroupReplica(
                journal, HOST, Assignors.BUILT_IN, new SystemGroupRuntime(), new GroupReplica.Watcher() {
                    @Override
                    public void moved() {}

                    @Override
                    public void wrote(Entry entry, VersionedGroup before, VersionedGroup after) {}
                });
        CountDownLatch syncing = new CountDownLatch(1);
        CountDownLatch disk = new CountDownLatch(1);
        journal.beforeSync(() -> {
            syncing.countDown();
            await(disk);
        });
        ClassicSessions desk = new ClassicSessions(replica, HOST, new SystemGroupRuntime());
        ClassicSpec spec = new ClassicSpec(
                new MemberId("A"),
                Optional.empty(),
                "A",
                "/127.0.0.1",
                HOST,
                Duration.ofSeconds(10),
                Duration.ofSeconds(20),
                "consumer",
                List.of(new Protocol("range", Opaque.EMPTY)),
                Optional.empty());
        replica.propose(new Command.Classic(
                new ClassicCommand.Join(
                        Optional.empty(),
                        spec,
                        false,
                        true,
                        "",
                        new ClassicCommand.Limits(10, Duration.ZERO, Duration.ZERO)),
                new TreeMap<>()));
        CompletableFuture<ClassicReply.JoinAnswer> join = desk.parkJoin(new MemberId("A"), Optional.empty(), 1);
        assertThat(syncing.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(replica.newest().group().generation()).isEqualTo(1);
        assertThat(join).as("generation 1 is written and not durable").isNotDone();
        disk.countDown();
        assertThat(join.get(30, TimeUnit.SECONDS)).isInstanceOf(ClassicReply.Joined.class);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void fiftySimultaneousJoinsAreAllAnsweredAndAssigned() throws Exception {
        try (GroupThread thread = new GroupThread(store, new SystemGroupRuntime());
                ClassicProtocol server = new ClassicProtocol(thread.service(), PATIENT)) {
            List<CompletableFuture<ClassicReply.Joined>> joins = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                joins.add(joined(server, "m" + i, ""));
            }
            settle(thread.service().open(GROUP), 50);
            CompletableFuture.allOf(joins.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
            assertThat(joins).allMatch(join -> join.join().generation() == 1);
            List<CompletableFuture<ClassicReply.SyncAnswer>> syncs = new ArrayList<>();
            for (CompletableFuture<ClassicReply.Joined> join : joins) {
                syncs.add(server.sync(GROUP.value(), sync(join.join())));
            }
            CompletableFuture.allOf(syncs.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
            for (int i = 0; i < syncs.size(); i++) {
                byte[] own = joins.get(i).join().member().value().getBytes(StandardCharsets.UTF_8);
                assertThat(syncs.get(i).join())
                        .isInstanceOfSatisfying(
                                ClassicReply.Assigned.class,
                                assigned -> assertThat(assigned.assignment().toBytes())
                                        .isEqualTo(own));
            }
        }
    }

    /** Ends the wait for joins once the group has this number of members. */
    private static void settle(GroupReplica replica, int members) {
        ClassicGroup group = replica.newest().group().classic();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (group.members().size() < members) {
            assertThat(System.nanoTime()).as("%d came in time", members).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
            group = replica.newest().group().classic();
        }
        assertThat(group.timers()).singleElement().isInstanceOf(ClassicTimer.Settle.class);
        replica.propose(
                new Command.Classic(new ClassicCommand.Expire(group.timers().getFirst()), new TreeMap<>()));
    }

    private static CompletableFuture<ClassicReply.Joined> joined(ClassicProtocol server, String name, String member) {
        ClassicRequest.Join join = new ClassicRequest.Join(
                member,
                Optional.empty(),
                name,
                "/127.0.0.1",
                Duration.ofSeconds(30),
                Duration.ofSeconds(30),
                "consumer",
                List.of(new Protocol("range", Opaque.EMPTY)),
                Optional.empty(),
                true,
                true,
                "",
                1);
        return server.join(GROUP.value(), join).thenCompose(answer -> switch (answer) {
            case ClassicReply.Joined joined -> CompletableFuture.completedFuture(joined);
            case ClassicReply.MemberIdRequired required ->
                joined(server, name, required.member().value());
            case ClassicReply.JoinedModern admitted -> throw new AssertionError(admitted);
            case ClassicReply.Refusal refusal -> throw new AssertionError(refusal);
        });
    }

    private static ClassicRequest.Sync sync(ClassicReply.Joined joined) {
        Map<MemberId, Opaque> assignment = new TreeMap<>();
        joined.members()
                .forEach(fellow -> assignment.put(
                        fellow.member(), Opaque.of(fellow.member().value().getBytes(StandardCharsets.UTF_8))));
        return new ClassicRequest.Sync(
                new Identity(joined.member().value(), Optional.empty(), joined.generation()),
                new ClassicCommand.SyncContent(
                        Optional.of("consumer"), Optional.of("range"), assignment, new TreeMap<>(), true));
    }
}
