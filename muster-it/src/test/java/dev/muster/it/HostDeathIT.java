package dev.muster.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.group.model.HostId;
import dev.muster.disk.local.ChannelDisk;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.group.Hosts;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The kernel reports the death of a process to others at once. A stopped process is not dead. */
@Tag("figures")
class HostDeathIT {
    private static final int TRIALS = Rounds.count(12);
    private static final int FEWER_TRIALS = Math.ceilDiv(TRIALS, 3);
    private static final double P50_MAX_MS = 100;
    private static final double DEAF_P50_MAX_MS = 500;
    private static final double LONGEST_MAX_MS = 1000;

    @TempDir
    Path directory;

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void aKilledProcessIsGoneWithinMilliseconds() throws Exception {
        try (FileStore store = FileStore.open(directory, FileStoreOptions.defaults())) {
            report("killed", trials(store.groups().hosts(), Ending.KILL, TRIALS, true), P50_MAX_MS);
        }
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void aProcessThatClosesItsStoreIsGoneWithinMilliseconds() throws Exception {
        try (FileStore store = FileStore.open(directory, FileStoreOptions.defaults())) {
            report("closed", trials(store.groups().hosts(), Ending.CLOSE, FEWER_TRIALS, true), P50_MAX_MS);
        }
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void withoutBellsADeathIsNoticedByPolling() throws Exception {
        FileStoreOptions options = FileStoreOptions.defaults().withDisk(new ChannelDisk());
        try (FileStore store = FileStore.open(directory, options)) {
            report(
                    "killed, seen without native access",
                    trials(store.groups().hosts(), Ending.KILL, FEWER_TRIALS, false),
                    DEAF_P50_MAX_MS);
        }
    }

    private enum Ending {
        KILL,
        CLOSE
    }

    /** Waits until the bell of a process is watched. Then only the bell reports its end. */
    private static void awaitListening(HostId host) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (!isOpenHere(host.value() + ".bell")) {
            assertThat(System.nanoTime()).as("listened to in time").isLessThan(deadline);
            Rounds.letTimePass(1);
        }
    }

    private static boolean isOpenHere(String name) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path file : files) {
                try {
                    if (Files.readSymbolicLink(file).endsWith(name)) {
                        return true;
                    }
                } catch (NoSuchFileException e) {
                    // The descriptor was closed just now.
                    continue;
                }
            }
            return false;
        }
    }

    private List<Long> trials(Hosts hosts, Ending ending, int count, boolean hears) throws Exception {
        List<Long> nanos = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            try (Child child = Child.start(Resident.class, directory)) {
                HostId host = new HostId(child.readLine());
                BlockingQueue<Long> gone = new LinkedBlockingQueue<>();
                try (var _ = hosts.watch(host, _ -> gone.add(System.nanoTime()))) {
                    assertThat(hosts.gone(host)).isFalse();
                    assertThat(hosts.renewals(host)).isPresent();
                    assertThat(gone).isEmpty();
                    if (hears) {
                        awaitListening(host);
                    }
                    long begin;
                    if (ending == Ending.KILL) {
                        begin = System.nanoTime();
                        child.killNow();
                    } else {
                        child.tell("close");
                        begin = Long.parseLong(child.readLine());
                    }
                    Long seen = gone.poll(3, TimeUnit.MINUTES);
                    assertThat(seen).as("told of the end of %s", host).isNotNull();
                    nanos.add(seen - begin);
                    assertThat(hosts.gone(host)).isTrue();
                    assertThat(hosts.renewals(host)).isEmpty();
                }
            }
        }
        return nanos;
    }

    private static void report(String what, List<Long> nanos, double p50MaxMs) {
        Figures figures = Figures.of(nanos);
        System.out.printf("process %s -> told, %d trials: %s%n", what, figures.count(), figures);
        Figures.assertBelow("p50 in ms", figures.p50Millis(), p50MaxMs);
        Figures.assertBelow("longest in ms", figures.maxMillis(), LONGEST_MAX_MS);
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void aStoppedProcessIsNotGone() throws Exception {
        try (FileStore store = FileStore.open(directory, FileStoreOptions.defaults());
                Child child = Child.start(Resident.class, directory)) {
            Hosts hosts = store.groups().hosts();
            HostId host = new HostId(child.readLine());
            BlockingQueue<HostId> gone = new LinkedBlockingQueue<>();
            try (var _ = hosts.watch(host, gone::add)) {
                awaitBeat(hosts, host);
                child.stop();
                long beats = hosts.renewals(host).orElseThrow();
                Rounds.letTimePass(2500);
                assertThat(gone).isEmpty();
                assertThat(hosts.gone(host)).isFalse();
                assertThat(hosts.renewals(host).orElseThrow() - beats)
                        .as("beats while it was stopped")
                        .isLessThanOrEqualTo(1);
                child.cont();
                awaitBeat(hosts, host);
                assertThat(gone).isEmpty();
                child.stop();
                child.killNow();
                assertThat(gone.poll(3, TimeUnit.MINUTES)).isEqualTo(host);
            }
        }
    }

    private static void awaitBeat(Hosts hosts, HostId host) {
        long before = hosts.renewals(host).orElseThrow();
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (hosts.renewals(host).orElseThrow() == before) {
            assertThat(System.nanoTime()).as("a beat came in time").isLessThan(deadline);
            Rounds.letTimePass(10);
        }
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void filesOfDeadHostsAreSweptAndOfLiveOnesKept() throws Exception {
        FileStoreOptions often = FileStoreOptions.defaults().withRetentionInterval(Duration.ofMillis(50));
        Path hostsFolder = directory.resolve(".coordinator").resolve("hosts");
        try (Child living = Child.start(Resident.class, directory);
                Child dying = Child.start(Resident.class, directory);
                FileStore store = FileStore.open(directory, often)) {
            HostId alive = new HostId(living.readLine());
            HostId dead = new HostId(dying.readLine());
            dying.kill();
            long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
            // The last heartbeat is kept for an hour: it shows since when the partitions of its members waited.
            while (filesOf(hostsFolder, dead).stream()
                    .anyMatch(name -> !HEARTBEAT.matcher(name).find())) {
                assertThat(System.nanoTime()).as("swept in time").isLessThan(deadline);
                Rounds.letTimePass(10);
            }
            assertThat(filesOf(hostsFolder, alive)).hasSize(4);
            assertThat(store.groups().hosts().gone(alive)).isFalse();
            assertThat(store.groups().hosts().gone(dead)).isTrue();
        }
    }

    private static final Pattern HEARTBEAT = Pattern.compile("\\.(beat|json)$");

    private static List<String> filesOf(Path folder, HostId host) {
        String[] names = folder.toFile().list((_, name) -> name.startsWith(host.value()));
        return names == null ? List.of() : List.of(names);
    }

    /** Opens a store, prints its host id, and waits for its end. */
    static final class Resident {
        private Resident() {}

        public static void main(String[] args) throws Exception {
            FileStore store = FileStore.open(Path.of(args[0]), FileStoreOptions.defaults());
            System.out.println(store.groups().hosts().self());
            if (System.in.read() < 0) {
                return;
            }
            // The machine's clock: the same for all its processes.
            System.out.println(System.nanoTime());
            store.close();
        }
    }
}
