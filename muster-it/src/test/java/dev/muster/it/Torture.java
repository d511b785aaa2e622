package dev.muster.it;

import static dev.muster.it.GroupMemberMain.GROUP;
import static dev.muster.it.GroupMemberMain.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.SyncLevel;
import dev.muster.core.TopicSettings;
import dev.muster.embedded.Codec;
import dev.muster.embedded.Message;
import dev.muster.embedded.Muster;
import dev.muster.embedded.Producer;
import dev.muster.embedded.admin.Groups;
import dev.muster.it.TortureReferee.Verdict;
import dev.muster.it.TortureSlot.Tally;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;

/**
 * The common part of all torture tests of groups. Members in slots suffer random faults while numbered records are
 * written. Then the faults end until all records are read, and a {@link TortureReferee} checks the output of the
 * members.
 *
 * <p>Records are produced by threads of the test; everything else is for one thread.
 */
final class Torture implements AutoCloseable {
    static final long SESSION_MS = 2000;
    static final long HEARTBEAT_MS = 400;
    private static final long PEACE_SECONDS_MAX = 600;

    private final String test;
    private final Path directory;
    private final Size size;
    private final Random random;
    private final TortureReferee referee =
            new TortureReferee(TimeUnit.MILLISECONDS.toNanos(SESSION_MS), TimeUnit.MILLISECONDS.toNanos(HEARTBEAT_MS));
    private final Tally tally = new Tally();
    private final List<TortureSlot> slots = new ArrayList<>();
    private final AtomicLong[] written;
    private volatile boolean producing = true;

    /**
     * @param secondsInVerify duration in seconds, unless {@code -Dmuster.torture.seconds} is set; minutes in a soak
     * @param pauseMillisMax longest pause between two faults
     */
    record Size(int partitions, long secondsInVerify, int pauseMillisMax, int freezeMillisMax, int recordEveryMillis) {
        long seconds() {
            return Long.getLong("muster.torture.seconds", Boolean.getBoolean("muster.soak") ? 240 : secondsInVerify);
        }
    }

    /** An action that runs with each fault of a member. */
    interface Meanwhile {
        void act() throws IOException, InterruptedException;
    }

    /** Sends a record without waiting. */
    interface Sending {
        void send(int partition, String value);
    }

    Torture(String test, Path directory, Size size) {
        this.test = test;
        this.directory = directory;
        this.size = size;
        this.random = Rounds.random(test);
        this.written = new AtomicLong[size.partitions()];
        for (int i = 0; i < written.length; i++) {
            written[i] = new AtomicLong();
        }
    }

    Random random() {
        return random;
    }

    // Members

    void place(TortureSlot.Kind kind) {
        slots.add(new TortureSlot(referee, tally, kind));
    }

    /** The slots in the order of their creation. */
    List<TortureSlot> places() {
        return Collections.unmodifiableList(slots);
    }

    TortureSlot anyPlace() {
        return slots.get(random.nextInt(slots.size()));
    }

    /** A member that opens the directory itself. */
    MemberProcess embedded(int number) throws IOException {
        return MemberProcess.join(
                directory,
                "embedded." + number,
                "session=" + SESSION_MS,
                "heartbeat=" + HEARTBEAT_MS,
                "records=" + (1 + random.nextInt(200)),
                "commit=" + (random.nextBoolean() ? "each" : Integer.toString(random.nextInt(400))));
    }

    void hurt(TortureSlot slot) throws IOException, InterruptedException {
        slot.suffer(random, size.freezeMillisMax());
    }

    // Records

    void createTopic(Muster muster) {
        muster.topics().create(TOPIC, size.partitions(), TopicSettings.DEFAULT.withSync(SyncLevel.OS));
    }

    Thread produceEmbedded(Muster muster, IntPredicate partitions) {
        return Thread.ofPlatform().start(() -> {
            try (Producer<byte[], String> producer = muster.producer(TOPIC, Codec.BYTES, Codec.STRING)) {
                produce(
                        partitions,
                        (partition, value) ->
                                producer.send(Message.<byte[], String>of(value).withPartition(partition)));
                producer.flush();
            }
        });
    }

    /** Produces numbered records until {@link #stopProducing}. */
    void produce(IntPredicate partitions, Sending sending) {
        long every = TimeUnit.MILLISECONDS.toNanos(size.recordEveryMillis());
        for (long next = System.nanoTime(); producing; next += every) {
            for (int partition = 0; partition < written.length; partition++) {
                if (partitions.test(partition)) {
                    sending.send(partition, "#" + written[partition].getAndIncrement());
                }
            }
            LockSupport.parkNanos(next - System.nanoTime());
        }
    }

    void stopProducing() {
        producing = false;
    }

    // Torture

    void joinAll() throws IOException {
        for (TortureSlot slot : slots) {
            slot.join();
        }
    }

    /** Waits until all members own partitions. Otherwise a slow machine would kill members before they joined. */
    void awaitOwners() throws InterruptedException {
        for (TortureSlot slot : slots) {
            slot.awaitOwner();
        }
    }

    /** Continues until the time has passed, every conditional stop has ended, and at least one member was killed. */
    void torment(Meanwhile meanwhile) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(size.seconds());
        long deadline = end + TimeUnit.SECONDS.toNanos(PEACE_SECONDS_MAX);
        while (System.nanoTime() < end || slots.stream().anyMatch(TortureSlot::isSpared) || isHarmless()) {
            assertThat(System.nanoTime())
                    .as("time until stopped members met their condition, and one was killed and one frozen")
                    .isLessThan(deadline);
            Rounds.letTimePass(random.nextInt(size.pauseMillisMax()));
            for (TortureSlot slot : slots) {
                slot.goOnIfDue();
            }
            meanwhile.act();
            hurt(anyPlace());
        }
    }

    private boolean isHarmless() {
        return tally.killed == 0 || tally.frozen == 0;
    }

    /** Waits until all records are read, and lets all live members leave. */
    void drain(Muster muster) throws IOException, InterruptedException {
        for (TortureSlot slot : slots) {
            slot.goOn();
        }
        if (slots.stream().allMatch(TortureSlot::isEmpty)) {
            slots.getFirst().join();
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PEACE_SECONDS_MAX);
        List<Groups.Lag> lag = muster.groups().lag(GROUP);
        while (lag.size() < size.partitions()
                || lag.stream().anyMatch(one -> one.lag().orElse(-1) != 0)) {
            assertThat(System.nanoTime()).as("all is read in time: %s", lag).isLessThan(deadline);
            Rounds.letTimePass(20);
            lag = muster.groups().lag(GROUP);
        }
        for (TortureSlot slot : slots) {
            slot.tellToLeave();
        }
        for (TortureSlot slot : slots) {
            slot.awaitLeft();
        }
    }

    // Judgement

    /** @param more further facts about this run, to print */
    void judge(CommitsNeverGoBack commits, String more) throws IOException, InterruptedException {
        assertThat(commits.violations()).isEmpty();
        SortedMap<Integer, Long> ends = new TreeMap<>();
        for (int partition = 0; partition < written.length; partition++) {
            ends.put(partition, written[partition].get());
        }
        Verdict verdict = referee.judge(ends);
        System.out.printf(
                "%s, %d s: %d processes, %d killed, %d left, %d freezes%s; %d records written, %d handed out (%d again"
                        + " after a crash or a freeze); partitions taken %d times (%s) in %d generations, %d journal"
                        + " entries; handed out by those who had not heard that they were out: %d; partitions lost by"
                        + " starved members: %d%n",
                test,
                size.seconds(),
                tally.started,
                tally.killed,
                tally.left,
                tally.frozen,
                more,
                ends.values().stream().mapToLong(Long::longValue).sum(),
                verdict.handedOut(),
                verdict.duplicates(),
                verdict.takes(),
                referee.takesByKind(),
                commits.group().generation(),
                commits.entries(),
                verdict.overlaps(),
                verdict.starved());
        if (!verdict.violations().isEmpty()) {
            System.out.println("everything that was said: "
                    + Files.write(Path.of("target", test + ".txt"), referee.transcript())
                            .toAbsolutePath());
        }
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.takes())
                .as("partitions moved, or this test is blind")
                .isGreaterThan(written.length);
        assertThat(tally.killed).as("members killed, or this test is blind").isPositive();
        assertThat(tally.frozen).as("members frozen, or this test is blind").isPositive();
    }

    @Override
    public void close() {
        producing = false;
        slots.forEach(TortureSlot::close);
    }
}
