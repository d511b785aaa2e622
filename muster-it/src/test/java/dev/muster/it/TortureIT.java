package dev.muster.it;

import static dev.muster.it.GroupMemberMain.GROUP;
import static dev.muster.it.GroupMemberMain.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.SyncLevel;
import dev.muster.core.TopicSettings;
import dev.muster.embedded.Codec;
import dev.muster.embedded.Groups;
import dev.muster.embedded.Message;
import dev.muster.embedded.Muster;
import dev.muster.embedded.Producer;
import dev.muster.it.TortureReferee.Freeze;
import dev.muster.it.TortureReferee.Life;
import dev.muster.it.TortureReferee.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Eight processes join, leave, die and freeze at random on one group while numbered records are written. Afterwards a
 * {@link TortureReferee} judges what they said. How long: {@code -Dmuster.torture.seconds}, and minutes in a soak.
 */
class TortureIT {
    private static final int SLOTS = 8;
    private static final int PARTITIONS = 12;
    private static final long SECONDS =
            Long.getLong("muster.torture.seconds", Boolean.getBoolean("muster.soak") ? 240 : 14);
    private static final long SESSION_MS = 2000;
    private static final long HEARTBEAT_MS = 400;
    private static final int FREEZE_MS_MAX = 3500;
    private static final long RECORD_EVERY_NANOS = 10_000_000;

    @TempDir
    Path directory;

    private final Random random = Rounds.random("TortureIT");
    private final TortureReferee referee =
            new TortureReferee(TimeUnit.MILLISECONDS.toNanos(SESSION_MS), TimeUnit.MILLISECONDS.toNanos(HEARTBEAT_MS));
    private final long[] written = new long[PARTITIONS];
    private volatile boolean producing = true;
    private int started;
    private int killed;
    private int left;
    private int frozen;

    /** A place for a process, which comes and goes. */
    private final class Slot {
        private final int number;
        private MemberProcess process;
        private List<Freeze> freezes = new ArrayList<>();
        private long stoppedAt;
        private long continueAt;
        private boolean stopped;

        Slot(int number) {
            this.number = number;
        }

        void join() throws IOException {
            String commit = random.nextBoolean() ? "each" : Integer.toString(random.nextInt(400));
            process = MemberProcess.join(
                    directory,
                    "S" + number + "." + started++,
                    "session=" + SESSION_MS,
                    "heartbeat=" + HEARTBEAT_MS,
                    "records=" + (1 + random.nextInt(200)),
                    "commit=" + commit);
            freezes = new ArrayList<>();
        }

        void freeze() throws IOException, InterruptedException {
            stoppedAt = System.nanoTime();
            process.child().stop();
            stopped = true;
            continueAt = stoppedAt + TimeUnit.MILLISECONDS.toNanos(100 + random.nextInt(FREEZE_MS_MAX));
            frozen++;
        }

        void goOn() throws IOException, InterruptedException {
            process.child().cont();
            freezes.add(new Freeze(stoppedAt, System.nanoTime()));
            stopped = false;
        }

        void kill() throws IOException, InterruptedException {
            long now = System.nanoTime();
            if (stopped) {
                freezes.add(new Freeze(stoppedAt, Long.MAX_VALUE));
                stopped = false;
            }
            process.child().kill();
            killed++;
            bury(OptionalLong.of(now));
        }

        void leave() throws IOException, InterruptedException {
            process.leave();
            left++;
            bury(OptionalLong.empty());
        }

        private void bury(OptionalLong killedAt) throws InterruptedException {
            referee.hear(new Life(process.name(), process.lastWords(), List.copyOf(freezes), killedAt));
            process.close();
            process = null;
        }
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void whateverHappensToMembersRecordsAndCommitsAreSafe() throws Exception {
        List<Slot> slots = new ArrayList<>();
        for (int i = 0; i < SLOTS; i++) {
            slots.add(new Slot(i));
        }
        try (Muster muster = Muster.open(directory)) {
            muster.topics().create(TOPIC, PARTITIONS, TopicSettings.DEFAULT.withSync(SyncLevel.OS));
            Thread producer = Thread.ofPlatform().start(() -> produce(muster));
            try (CommitsNeverGoBack commits = new CommitsNeverGoBack(directory, GROUP)) {
                torment(slots);
                producing = false;
                producer.join();
                drain(muster, slots);
                assertThat(commits.violations()).isEmpty();
                report(commits);
            } finally {
                producing = false;
                producer.join();
                for (Slot slot : slots) {
                    if (slot.process != null) {
                        slot.process.close();
                    }
                }
            }
        }
    }

    private void produce(Muster muster) {
        try (Producer<byte[], String> producer = muster.producer(TOPIC, Codec.BYTES, Codec.STRING)) {
            for (long next = System.nanoTime(); producing; next += RECORD_EVERY_NANOS) {
                for (int partition = 0; partition < PARTITIONS; partition++) {
                    String value = "#" + written[partition]++;
                    producer.send(Message.<byte[], String>of(value).withPartition(partition));
                }
                LockSupport.parkNanos(next - System.nanoTime());
            }
            producer.flush();
        }
    }

    private void torment(List<Slot> slots) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        for (Slot slot : slots) {
            slot.join();
        }
        while (System.nanoTime() < end) {
            Rounds.letTimePass(random.nextInt(100));
            for (Slot slot : slots) {
                if (slot.stopped && System.nanoTime() > slot.continueAt) {
                    slot.goOn();
                }
            }
            Slot slot = slots.get(random.nextInt(SLOTS));
            int dice = random.nextInt(10);
            if (slot.process == null) {
                slot.join();
            } else if (slot.stopped) {
                if (dice == 0) {
                    slot.kill();
                }
            } else if (dice < 2) {
                slot.kill();
            } else if (dice < 4) {
                slot.leave();
            } else if (dice < 7) {
                slot.freeze();
            }
        }
    }

    /** Lets everything be read to its end, and all who live leave in peace. */
    private static void drain(Muster muster, List<Slot> slots) throws Exception {
        for (Slot slot : slots) {
            if (slot.process != null && slot.stopped) {
                slot.goOn();
            }
        }
        if (slots.stream().allMatch(slot -> slot.process == null)) {
            slots.getFirst().join();
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        List<Groups.Lag> lag = muster.groups().lag(GROUP);
        while (lag.size() < PARTITIONS || lag.stream().anyMatch(one -> one.lag().orElse(-1) != 0)) {
            assertThat(System.nanoTime()).as("all is read in time: " + lag).isLessThan(deadline);
            Rounds.letTimePass(20);
            lag = muster.groups().lag(GROUP);
        }
        for (Slot slot : slots) {
            if (slot.process != null) {
                slot.leave();
            }
        }
    }

    private void report(CommitsNeverGoBack commits) throws IOException {
        SortedMap<Integer, Long> ends = new TreeMap<>();
        long records = 0;
        for (int partition = 0; partition < PARTITIONS; partition++) {
            ends.put(partition, written[partition]);
            records += written[partition];
        }
        Verdict verdict = referee.judge(ends);
        System.out.printf(
                "%d s: %d processes, %d killed, %d left, %d freezes; %d records written, %d handed out (%d again after"
                        + " a crash or a freeze); partitions taken %d times in %d generations, %d journal entries;"
                        + " overlaps after being continued: %d; partitions lost by starved members: %d%n",
                SECONDS,
                started,
                killed,
                left,
                frozen,
                records,
                verdict.handedOut(),
                verdict.duplicates(),
                verdict.takes(),
                commits.group().generation(),
                commits.entries(),
                verdict.overlaps(),
                verdict.starved());
        if (!verdict.violations().isEmpty()) {
            System.out.println("everything that was said: "
                    + Files.write(Path.of("target", "torture.txt"), referee.transcript())
                            .toAbsolutePath());
        }
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.takes())
                .as("partitions moved, or this test is blind")
                .isGreaterThan(2 * PARTITIONS);
        assertThat(killed).as("members killed, or this test is blind").isPositive();
        assertThat(frozen).as("members frozen, or this test is blind").isPositive();
    }
}
