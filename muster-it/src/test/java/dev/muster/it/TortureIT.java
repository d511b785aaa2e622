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
import dev.muster.it.TortureReferee.Verdict;
import dev.muster.it.TortureSlot.Tally;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
    private final Tally tally = new Tally();

    private MemberProcess join(int number) throws IOException {
        String commit = random.nextBoolean() ? "each" : Integer.toString(random.nextInt(400));
        return MemberProcess.join(
                directory,
                "S" + number,
                "session=" + SESSION_MS,
                "heartbeat=" + HEARTBEAT_MS,
                "records=" + (1 + random.nextInt(200)),
                "commit=" + commit);
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void whateverHappensToMembersRecordsAndCommitsAreSafe() throws Exception {
        List<TortureSlot> slots = new ArrayList<>();
        for (int i = 0; i < SLOTS; i++) {
            slots.add(new TortureSlot(referee, tally, this::join));
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
                slots.forEach(TortureSlot::close);
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

    private void torment(List<TortureSlot> slots) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        for (TortureSlot slot : slots) {
            slot.join();
        }
        while (System.nanoTime() < end) {
            Rounds.letTimePass(random.nextInt(100));
            for (TortureSlot slot : slots) {
                slot.goOnIfDue();
            }
            slots.get(random.nextInt(SLOTS)).suffer(random, FREEZE_MS_MAX);
        }
    }

    /** Lets everything be read to its end, and all who live leave in peace. */
    private static void drain(Muster muster, List<TortureSlot> slots) throws Exception {
        for (TortureSlot slot : slots) {
            slot.goOn();
        }
        if (slots.stream().allMatch(TortureSlot::isEmpty)) {
            slots.getFirst().join();
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        List<Groups.Lag> lag = muster.groups().lag(GROUP);
        while (lag.size() < PARTITIONS || lag.stream().anyMatch(one -> one.lag().orElse(-1) != 0)) {
            assertThat(System.nanoTime()).as("all is read in time: " + lag).isLessThan(deadline);
            Rounds.letTimePass(20);
            lag = muster.groups().lag(GROUP);
        }
        for (TortureSlot slot : slots) {
            slot.leave();
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
                tally.started,
                tally.killed,
                tally.left,
                tally.frozen,
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
        assertThat(tally.killed).as("members killed, or this test is blind").isPositive();
        assertThat(tally.frozen).as("members frozen, or this test is blind").isPositive();
    }
}
