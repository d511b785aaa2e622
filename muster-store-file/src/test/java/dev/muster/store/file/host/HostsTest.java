package dev.muster.store.file.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.core.group.model.HostId;
import dev.muster.disk.Disk;
import dev.muster.store.LogStore;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.file.Stores;
import dev.muster.store.group.Hosts;
import dev.muster.testkit.ExpectedTrouble;
import dev.muster.testkit.disk.CallGate;
import dev.muster.testkit.disk.DiskCall.Kind;
import dev.muster.testkit.disk.DiskFault;
import dev.muster.testkit.disk.FaultyDisk;
import dev.muster.testkit.disk.MemoryDisk;
import dev.muster.testkit.disk.SimulatedProcess;
import dev.muster.testkit.disk.Tear;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Processes of a simulated machine see each other's deaths, and take no living process for dead. */
@ExtendWith(ExpectedTrouble.class)
class HostsTest {
    private static final Path DIRECTORY = Path.of("/data");
    private static final Path HOSTS = DIRECTORY.resolve(".coordinator/hosts");
    private static final UUID BOOT = new UUID(1, 1);
    private static final long TIME_MAX_SECONDS = 20;

    private final MemoryDisk machine = new MemoryDisk();

    private static FileStoreOptions sweepingOften(FileStoreOptions options) {
        return options.withRetentionInterval(Duration.ofMillis(1));
    }

    /** Ends the threads of a killed process. The threads of a real process end with it. */
    private static void endThreadsOf(LogStore store) {
        try {
            store.close();
        } catch (UncheckedIOException e) {
            assertThat(e).hasMessageContaining("killed");
        }
    }

    @Test
    void killedProcessIsGoneAndItsBellRings() throws Exception {
        SimulatedProcess process = machine.process();
        LogStore victim = Stores.open(process, DIRECTORY, BOOT);
        try (LogStore store = Stores.open(machine.process(), DIRECTORY, BOOT)) {
            Hosts hosts = store.groups().hosts();
            HostId host = victim.groups().hosts().self();
            BlockingQueue<HostId> gone = new LinkedBlockingQueue<>();
            try (var _ = hosts.watch(host, gone::add)) {
                assertThat(hosts.gone(host)).isFalse();
                process.kill();
                assertThat(gone.poll(TIME_MAX_SECONDS, TimeUnit.SECONDS)).isEqualTo(host);
                assertThat(hosts.gone(host)).isTrue();
                assertThat(hosts.renewals(host)).isEmpty();
            }
        }
        endThreadsOf(victim);
    }

    /** A process that saw an unlocked lock file would treat its owner as gone for good. */
    @Test
    void lockFileOfAProcessIsLockedFromTheMomentItHasItsName() throws Exception {
        Disk looking = machine.process();
        Set<Path> seen = new HashSet<>();
        Set<Path> unlocked = new HashSet<>();
        FaultyDisk disk = new FaultyDisk(machine.process());
        disk.after(call -> {
            for (String name : looking.list(HOSTS)) {
                Path file = HOSTS.resolve(name);
                if (name.endsWith(".lock")) {
                    seen.add(file);
                    if (!looking.isLocked(file)) {
                        unlocked.add(file);
                    }
                }
            }
        });
        Stores.open(disk, DIRECTORY, BOOT).close();
        assertThat(seen).as("lock files that were there").hasSize(1);
        assertThat(unlocked).isEmpty();
    }

    @Test
    void processWithoutABellIsCheckedNowAndThen() throws Exception {
        SimulatedProcess process = machine.process();
        FaultyDisk silent = new FaultyDisk(process);
        silent.arm(DiskFault.at(call -> call.is(Kind.BELL)).fromThenOn());
        LogStore victim = Stores.open(silent, DIRECTORY, BOOT);
        try (LogStore store = Stores.open(machine.process(), DIRECTORY, BOOT)) {
            HostId host = victim.groups().hosts().self();
            BlockingQueue<HostId> gone = new LinkedBlockingQueue<>();
            try (var _ = store.groups().hosts().watch(host, gone::add)) {
                process.kill();
                assertThat(gone.poll(TIME_MAX_SECONDS, TimeUnit.SECONDS)).isEqualTo(host);
            }
        }
        endThreadsOf(victim);
    }

    @Test
    void processWithAnUnreadableLockIsNotGone() throws Exception {
        FaultyDisk disk = new FaultyDisk(machine.process());
        try (LogStore living = Stores.open(machine.process(), DIRECTORY, BOOT);
                LogStore store = Stores.open(disk, DIRECTORY, BOOT)) {
            HostId host = living.groups().hosts().self();
            disk.arm(DiskFault.at(call -> call.is(Kind.IS_LOCKED))
                    .tooManyOpenFiles()
                    .fromThenOn());
            assertThat(store.groups().hosts().gone(host)).isFalse();
            assertThat(disk.fired()).isPositive();
            disk.heal();
            assertThat(store.groups().hosts().gone(host)).isFalse();
        }
    }

    @Test
    void namesOfOtherPathsBelongToNoHost() throws Exception {
        try (LogStore store = Stores.open(machine.process(), DIRECTORY, BOOT)) {
            Hosts hosts = store.groups().hosts();
            HostId odd = new HostId("../hosts/" + hosts.self());
            assertThat(hosts.gone(odd)).isTrue();
            assertThat(hosts.renewals(odd)).isEmpty();
            assertThat(hosts.gone(hosts.self())).isFalse();
        }
    }

    @Test
    void hostsOfAnEarlierBootAreGone() throws Exception {
        LogStore before = Stores.open(machine.process(), DIRECTORY, BOOT);
        HostId host = before.groups().hosts().self();
        machine.powerCut(new Random(1), Tear.SECTORS);
        try (LogStore store = Stores.open(machine.process(), DIRECTORY, new UUID(2, 2))) {
            BlockingQueue<HostId> gone = new LinkedBlockingQueue<>();
            try (var _ = store.groups().hosts().watch(host, gone::add)) {
                assertThat(gone.poll(TIME_MAX_SECONDS, TimeUnit.SECONDS)).isEqualTo(host);
            }
        }
        try {
            before.close();
        } catch (UncheckedIOException e) {
            assertThat(e).hasMessageContaining("power");
        }
    }

    /** The process is stopped at every call of its start, while another process sweeps all the time. */
    @Test
    void processStoppedDuringItsStartIsNotSwept() throws Exception {
        int stopped = 0;
        for (int n = 1; n < 100; n++) {
            MemoryDisk own = new MemoryDisk();
            Stores.open(own.process(), DIRECTORY, BOOT).close();
            int calls = n;
            AtomicBoolean done = new AtomicBoolean();
            FaultyDisk disk = new FaultyDisk(own.process());
            int[] seen = {0};
            CallGate gate = disk.stopBefore(call -> call.file().startsWith(HOSTS) && ++seen[0] == calls);
            CompletableFuture<FileStore> starting = CompletableFuture.supplyAsync(
                    () -> Stores.open(disk, DIRECTORY, BOOT),
                    task -> Thread.ofPlatform().daemon().start(task));
            SimulatedProcess sweeper = own.process();
            try (LogStore store = FileStore.open(DIRECTORY, sweepingOften(Stores.options(sweeper, BOOT)))) {
                boolean held = gate.awaitArrivalOr(starting);
                if (held) {
                    stopped++;
                    awaitRounds(sweeper, 2);
                }
                done.set(!held);
                gate.release();
                try (FileStore started = starting.get(TIME_MAX_SECONDS, TimeUnit.SECONDS)) {
                    HostId host = started.groups().hosts().self();
                    awaitRounds(sweeper, 2);
                    assertThat(store.groups().hosts().gone(host))
                            .as("gone, after it was stopped at call %d", n)
                            .isFalse();
                    assertThat(store.groups().hosts().renewals(host)).isPresent();
                    assertThat(sweeper.list(HOSTS))
                            .as("its files, after it was stopped at call %d", n)
                            .contains(host + ".lock", host + ".bell", host + ".beat");
                }
            }
            if (done.get()) {
                break;
            }
        }
        assertThat(stopped).as("places where it was stopped").isGreaterThan(3);
    }

    /** Waits for a round of the upkeep, which deletes the files that this test leaves for it. */
    private static void awaitRounds(SimulatedProcess process, int rounds) throws Exception {
        for (int i = 0; i < rounds; i++) {
            Path rubbish = DIRECTORY.resolve(".trash").resolve(UUID.randomUUID() + ".group");
            process.createFolders(rubbish);
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIME_MAX_SECONDS);
            while (process.exists(rubbish)) {
                assertThat(System.nanoTime()).as("housekeeping came").isLessThan(deadline);
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    @Test
    void topicWithADeadCreatorIsAnnouncedByTheUpkeep() throws Exception {
        SimulatedProcess process = machine.process();
        FaultyDisk disk = new FaultyDisk(process);
        LogStore maker = Stores.open(disk, DIRECTORY, BOOT);
        FileStoreOptions often = sweepingOften(Stores.options(machine.process(), BOOT));
        try (LogStore store = FileStore.open(DIRECTORY, often)) {
            awaitRounds(machine.process(), 2);
            long before = store.topicsVersion();
            disk.before(call -> {
                if (call.is(Kind.SYNC_FOLDER) && call.isOn("topics")) {
                    process.kill();
                }
            });
            TopicName orders = new TopicName("orders");
            try {
                maker.create(orders, 1, TopicSettings.DEFAULT);
            } catch (RuntimeException e) {
                assertThat(process.isAlive()).isFalse();
            }
            assertThat(store.find(orders)).isPresent();
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIME_MAX_SECONDS);
            long announced = before + 1;
            while (store.topicsVersion() <= announced) {
                assertThat(System.nanoTime()).as("told").isLessThan(deadline);
                LockSupport.parkNanos(1_000_000);
            }
            awaitRounds(machine.process(), 2);
            assertThat(store.topicsVersion()).as("told once").isEqualTo(announced + 1);
        }
        endThreadsOf(maker);
    }
}
