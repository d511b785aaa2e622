package dev.muster.it;

import static dev.muster.it.GroupMemberMain.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.SyncLevel;
import dev.muster.core.TopicSettings;
import dev.muster.embedded.Codec;
import dev.muster.embedded.Message;
import dev.muster.embedded.Muster;
import dev.muster.embedded.Producer;
import dev.muster.it.MemberProcess.Said;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Measures the time from the death or hang of a member until another process gets records of its partitions. */
@Tag("figures")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class FailoverIT {
    private static final double KILLED_P99_MAX_MS = 200;
    private static final long RESIDENT_MAX_MIB = 512;
    private static final long SESSION_MS = 2000;
    private static final long HEARTBEAT_MS = 500;
    private static final int ATTEMPTS = 20;
    private static final long BATCH = 10;
    private static final long RECORD_EVERY_NANOS = 2_000_000;

    @TempDir
    Path directory;

    private Muster muster;
    private Producer<byte[], String> producer;
    private volatile boolean producing;
    private Thread producerThread;

    @BeforeEach
    void open() {
        muster = Muster.open(directory);
        muster.topics().create(TOPIC, 2, TopicSettings.DEFAULT.withSync(SyncLevel.OS));
        producer = muster.producer(TOPIC, Codec.BYTES, Codec.STRING);
    }

    @AfterEach
    void close() throws InterruptedException {
        producing = false;
        if (producerThread != null) {
            producerThread.join();
        }
        muster.close();
    }

    private void produceAllTheTime() {
        producing = true;
        producerThread = Thread.ofPlatform().start(() -> {
            long next = System.nanoTime();
            while (producing) {
                send(0, "a record");
                send(1, "a record");
                next += RECORD_EVERY_NANOS;
                LockSupport.parkNanos(next - System.nanoTime());
            }
        });
    }

    private void send(int partition, String value) {
        producer.send(Message.<byte[], String>of(value).withPartition(partition));
    }

    // Death

    @Test
    void partitionsOfAKilledMemberMoveAtOnce() throws Exception {
        Figures figures = killAgainAndAgain(List.of(), Rounds.count(10), RESIDENT_MAX_MIB);
        Figures.assertBelow("p99 in ms", figures.p99Millis(), KILLED_P99_MAX_MS);
    }

    /** The kernel frees the memory of a dead process before it releases its file locks. */
    @Test
    @EnabledIfSystemProperty(named = "muster.soak", matches = "true", disabledReason = "takes 4 GiB; only in a soak")
    void failoverTimeGrowsWithTheMemoryOfTheKilledMember() throws Exception {
        killAgainAndAgain(List.of("-Xms4g", "-Xmx4200m", "-XX:+AlwaysPreTouch"), 10, Long.MAX_VALUE);
    }

    /** Victims are started before the measurement, so that no start disturbs it. */
    private Figures killAgainAndAgain(List<String> jvm, int trials, long residentMax) throws Exception {
        List<Long> nanos = new ArrayList<>();
        long resident = 0;
        produceAllTheTime();
        try (MemberProcess survivor = MemberProcess.join(directory, "survivor")) {
            survivor.awaitOwned(owned -> owned.size() == 2);
            while (nanos.size() < trials) {
                List<MemberProcess> victims = new ArrayList<>();
                try {
                    int more = (int) Math.min(jvm.isEmpty() ? BATCH : 1, trials - nanos.size());
                    for (int i = 0; i < more; i++) {
                        victims.add(MemberProcess.start(jvm, directory, "victim"));
                    }
                    for (MemberProcess victim : victims) {
                        victim.awaitReady();
                    }
                    for (MemberProcess victim : victims) {
                        victim.go();
                        resident = Math.max(resident, killOnce(survivor, victim, nanos));
                    }
                } finally {
                    victims.forEach(MemberProcess::close);
                }
            }
            survivor.leave();
        }
        Figures figures = Figures.of(nanos);
        System.out.printf(
                "SIGKILL -> another process polls a record of its partition, %d trials, session 30 s,"
                        + " %d MiB resident: %s (target: p99 %.0f ms)%n",
                figures.count(), resident, figures, KILLED_P99_MAX_MS);
        assertThat(resident).as("MiB resident").isLessThanOrEqualTo(residentMax);
        return figures;
    }

    /** @return the resident memory of the victim in MiB */
    private static long killOnce(MemberProcess survivor, MemberProcess victim, List<Long> nanos) throws Exception {
        SortedSet<Integer> its = victim.awaitOwned(owned -> owned.size() == 1);
        survivor.awaitOwned(owned -> owned.size() == 1);
        victim.await("a record", one -> one.is("polled"));
        long resident = residentMib(victim.child().pid());
        int from = survivor.spoken();
        long killed = System.nanoTime();
        victim.child().killNow();
        Said first = survivor.await("a record of partition " + its, from, one -> polled(one, its));
        nanos.add(first.at() - killed);
        return resident;
    }

    private static boolean polled(Said one, Set<Integer> partitions) {
        return one.is("polled") && one.ranges().stream().anyMatch(range -> partitions.contains(range.partition()));
    }

    private static long residentMib(long pid) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc", Long.toString(pid), "status"))) {
            String line =
                    lines.filter(one -> one.startsWith("VmRSS:")).findFirst().orElseThrow();
            return Long.parseLong(line.replaceAll("\\D", "")) >> 10;
        }
    }

    // Sleep

    @FunctionalInterface
    private interface Stopping {
        /** Stops the victim. Returns the begin of the stop; empty if the victim was expelled before. */
        OptionalLong stop(MemberProcess victim, int partition) throws Exception;
    }

    @Test
    void partitionsOfASuspendedMemberMoveAfterItsSession() throws Exception {
        stopAndContinue("in poll", false, (victim, partition) -> {
            long begin = System.nanoTime();
            victim.child().stop();
            return OptionalLong.of(begin);
        });
    }

    @Test
    void aMemberSuspendedWithARecordMayNotCommitIt() throws Exception {
        stopAndContinue("with a record in hand", true, (victim, partition) -> {
            int from = victim.spoken();
            send(partition, GroupMemberMain.FREEZE);
            return when(victim.awaitStopped(from));
        });
    }

    @Test
    void aMemberSuspendedInAJournalAppendDelaysNoOther() throws Exception {
        stopAndContinue("holding the lock of the journal", true, (victim, partition) -> {
            int from = victim.spoken();
            victim.tell("stop-holding consumer-groups/.*\\.log$");
            victim.await("armed", one -> one.is("armed"));
            send(partition, "a record to commit");
            Optional<Said> stopping = victim.awaitStopped(from);
            assertThat(stopping.map(Said::more).orElse("consumer-groups")).contains("consumer-groups");
            return when(stopping);
        });
    }

    @Test
    void aMemberSuspendedWithAllLocksDelaysNoOther() throws Exception {
        // A process that creates another group now needs a lock, too.
        try (MemberProcess late = MemberProcess.start(directory, "late", "group=others")) {
            late.awaitReady();
            stopAndContinue("holding all locks", false, (victim, partition) -> {
                int from = victim.spoken();
                victim.tell("lock-and-stop " + String.join(" ", lockFiles()));
                Optional<Said> stopping = victim.awaitStopped(from);
                if (stopping.isPresent()) {
                    late.go();
                }
                return when(stopping);
            });
            Said joining = late.await("joining", one -> one.is("joining"));
            Said assigned = late.await("assigned", one -> one.is("assigned"));
            double millis = (assigned.at() - joining.at()) / 1e6;
            System.out.printf(
                    "makes and joins a group while another one is stopped holding all locks: %.0f ms%n", millis);
            Figures.assertBelow("ms to make and join a group", millis, SESSION_MS);
            late.leave();
        }
    }

    private static OptionalLong when(Optional<Said> word) {
        return word.stream().mapToLong(Said::at).findFirst();
    }

    /** All lock files except those that processes hold for life. */
    private List<String> lockFiles() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            List<String> locks = new ArrayList<>(files.filter(Files::isRegularFile)
                    .map(Path::toString)
                    .filter(file -> file.endsWith(".log"))
                    .toList());
            Path coordinator = directory.resolve(".coordinator");
            for (String name : List.of("topics.lock", "groups.lock", "leader.lock")) {
                locks.add(coordinator.resolve(name).toString());
            }
            assertThat(locks).hasSizeGreaterThanOrEqualTo(6);
            return locks;
        }
    }

    /**
     * Stops a victim and resumes it. A machine that pauses before the stop may expel the victim early; then the test
     * repeats.
     */
    private void stopAndContinue(String where, boolean refused, Stopping stopping) throws Exception {
        for (int attempt = 1; !stopAndContinueOnce(where, refused, stopping); attempt++) {
            assertThat(attempt).as("attempts").isLessThan(ATTEMPTS);
        }
    }

    private boolean stopAndContinueOnce(String where, boolean refused, Stopping stopping) throws Exception {
        String session = "session=" + SESSION_MS;
        String heartbeat = "heartbeat=" + HEARTBEAT_MS;
        try (MemberProcess survivor = MemberProcess.join(directory, "survivor", session, heartbeat);
                MemberProcess victim =
                        MemberProcess.join(directory, "victim", session, heartbeat, "stoppable=", "freezable=")) {
            survivor.awaitOwned(owned -> owned.size() == 1);
            SortedSet<Integer> its = victim.awaitOwned(owned -> owned.size() == 1);
            // Both members need a file to lock.
            send(0, "a record");
            send(1, "a record");
            victim.await("committed", one -> one.is("committed"));
            survivor.await("committed", one -> one.is("committed"));
            int from = survivor.spoken();
            int victimFrom = victim.spoken();
            OptionalLong stop = stopping.stop(victim, its.first());
            if (stop.isEmpty()
                    || victim.said(victimFrom).stream().anyMatch(one -> one.is("lost") || one.is("assigned"))) {
                System.out.printf("the victim was expelled, or given more, before it was stopped %s%n", where);
                return false;
            }
            long stopped = stop.getAsLong();
            send(its.first(), "a record for whoever is next");
            Said first = survivor.await("a record of partition " + its, from, one -> polled(one, its));
            double millis = (first.at() - stopped) / 1e6;
            System.out.printf(
                    "SIGSTOP %s -> another process polls a record of its partition: %.0f ms, session %d ms%n",
                    where, millis, SESSION_MS);
            // The takeover is not earlier than one session after the last sign of life.
            if (millis <= SESSION_MS - 2 * HEARTBEAT_MS) {
                return false;
            }
            Figures.assertBelow("ms from the stop to the next owner", millis, SESSION_MS + 1000);

            victim.child().cont();
            victim.await("lost", victimFrom, one -> one.is("lost"));
            victim.await("assigned again", victimFrom, one -> one.is("assigned"));
            List<String> after = victim.said(victimFrom).stream()
                    .filter(one -> one.at() > first.at())
                    .map(Said::what)
                    .filter(what -> !what.equals("continued"))
                    .toList();
            // Between the resumption and the next join no record is handed out or committed.
            assertThat(after.subList(0, after.indexOf("assigned")))
                    .isEqualTo(refused ? List.of("refused", "lost") : List.of("lost"));
            survivor.awaitOwned(owned -> owned.size() == 1);
            victim.awaitOwned(owned -> owned.size() == 1);
            victim.leave();
            survivor.leave();
            return true;
        }
    }
}
