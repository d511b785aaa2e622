package dev.muster.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.embedded.GroupConsumer;
import dev.muster.embedded.Message;
import dev.muster.embedded.Muster;
import dev.muster.embedded.Producer;
import dev.muster.embedded.RebalanceListener;
import dev.muster.embedded.internal.GroupInspection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The speed of groups in one process, on a directory. It prints the figures, and compares them with limits far from the
 * targets.
 */
@OnlyFigures
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class GroupSpeedIT {
    private static final TopicName ORDERS = new TopicName("orders");

    @TempDir
    Path directory;

    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();

    private interface Step {
        void run() throws InterruptedException;
    }

    private void inBackground(Step step) {
        threads.add(Thread.ofPlatform().daemon().start(() -> {
            try {
                while (!stop.get()) {
                    step.run();
                }
            } catch (Throwable e) {
                if (!stop.get()) {
                    failure.compareAndSet(null, e);
                }
            }
        }));
    }

    private void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(failure.get()).isNull();
            assertThat(System.nanoTime() - end).as("never happened: " + what).isNegative();
            LockSupport.parkNanos(1_000_000);
        }
    }

    private void end() throws InterruptedException {
        stop.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failure.get()).isNull();
    }

    @Test
    void aNewMemberHasItsPartitionsSoon() throws Exception {
        try (Muster muster = Muster.open(directory)) {
            muster.topics().create("orders", 12);
            List<GroupConsumer<byte[], byte[]>> members = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                GroupConsumer<byte[], byte[]> member =
                        muster.consumer("billing", "orders").open();
                members.add(member);
                inBackground(() -> member.poll(Duration.ofSeconds(1)));
            }
            BooleanSupplier settled = () -> members.stream()
                    .allMatch(member -> member.assignment().partitions().size() == 4);
            await("four each", settled);
            int warmUp = 20;
            long[] nanos = new long[100];
            for (int i = -warmUp; i < nanos.length; i++) {
                AtomicLong assigned = new AtomicLong();
                long start = System.nanoTime();
                try (GroupConsumer<byte[], byte[]> late = muster.consumer("billing", "orders")
                        .listener(new RebalanceListener() {
                            @Override
                            public void assigned(long generation, Set<TopicPartition> partitions) {
                                assigned.compareAndSet(0, System.nanoTime());
                            }
                        })
                        .open()) {
                    while (assigned.get() == 0) {
                        late.poll(Duration.ofMillis(20));
                    }
                }
                if (i >= 0) {
                    nanos[i] = assigned.get() - start;
                }
                await("four each again", settled);
            }
            end();
            Arrays.sort(nanos);
            System.out.printf(
                    "join to assignment, 100 joins to a running group of 3: p50 %.1f ms, p90 %.1f ms, p99 %.1f ms, max"
                            + " %.1f ms (target: p99 below 100 ms)%n",
                    nanos[50] / 1e6, nanos[90] / 1e6, nanos[98] / 1e6, nanos[99] / 1e6);
            Figures.assertBelow("ms to join, median", nanos[50] / 1e6, 1_000);
        }
    }

    @Test
    void eightMembersCommitTogether() throws Exception {
        try (Muster muster = Muster.open(directory)) {
            muster.topics().create("orders", 8);
            fill(muster, 8, 1000);
            AtomicLong commits = new AtomicLong();
            List<AtomicLong> ofEach = new ArrayList<>();
            List<GroupConsumer<byte[], byte[]>> members = new ArrayList<>();
            AtomicBoolean shared = new AtomicBoolean();
            for (int i = 0; i < 8; i++) {
                GroupConsumer<byte[], byte[]> member =
                        muster.consumer("billing", "orders").commitByHand().open();
                AtomicLong next = new AtomicLong();
                ofEach.add(next);
                members.add(member);
                inBackground(() -> {
                    // A member with one partition may have to release a second one until all have joined.
                    if (!shared.get()) {
                        member.poll(Duration.ofMillis(5));
                    } else {
                        TopicPartition mine = member.assignment().partitions().first();
                        member.commit(Map.of(mine, next.incrementAndGet() % 1000));
                        commits.incrementAndGet();
                    }
                });
            }
            await(
                    "one each",
                    () -> GroupInspection.of(muster)
                                    .state("billing")
                                    .filter(Group::reconciled)
                                    .isPresent()
                            && members.stream()
                                    .allMatch(member ->
                                            member.assignment().partitions().size() == 1));
            shared.set(true);
            await("all commit", () -> ofEach.stream().allMatch(count -> count.get() > 10));
            long warm = System.nanoTime() + Duration.ofSeconds(10).toNanos();
            await("its code to be compiled", () -> commits.get() > 4000 || System.nanoTime() - warm > 0);
            long entriesBefore = GroupInspection.of(muster).snapshot("billing").version();
            long before = commits.get();
            long start = System.nanoTime();
            await(
                    "a while",
                    () -> System.nanoTime() - start > Duration.ofSeconds(5).toNanos());
            double seconds = (System.nanoTime() - start) / 1e9;
            double rate = (commits.get() - before) / seconds;
            double entries = (GroupInspection.of(muster).snapshot("billing").version() - entriesBefore) / seconds;
            end();
            System.out.printf(
                    "durable commits of 8 members together: %.0f/s in %.0f journal entries/s (target: 5000/s)%n",
                    rate, entries);
            Figures.assertAbove("durable commits in a second", rate, 100);
        }
    }

    @Test
    void aCommitOfAHundredPartitionsTakesAsLongAsOfOne() {
        try (Muster muster = Muster.open(directory);
                GroupConsumer<byte[], byte[]> member = createAndJoin(muster, 100)) {
            // Measured alternately, so that load on the machine slows both down.
            double[] ones = new double[101];
            double[] hundreds = new double[101];
            for (int round = -20; round < ones.length; round++) {
                double one = commitMillis(member, 1, round);
                double hundred = commitMillis(member, 100, round);
                if (round >= 0) {
                    ones[round] = one;
                    hundreds[round] = hundred;
                }
            }
            double one = median(ones);
            double hundred = median(hundreds);
            System.out.printf("a durable commit of 1 partition: %.2f ms, of 100 partitions: %.2f ms%n", one, hundred);
            Figures.assertBelow("ms of a commit of 100 partitions", hundred, 20 * one + 20);
        }
    }

    private GroupConsumer<byte[], byte[]> createAndJoin(Muster muster, int partitions) {
        muster.topics().create("orders", partitions);
        fill(muster, partitions, 20);
        GroupConsumer<byte[], byte[]> member =
                muster.consumer("billing", "orders").commitByHand().open();
        await("all partitions", () -> {
            member.poll(Duration.ofMillis(5));
            return member.assignment().partitions().size() == partitions;
        });
        return member;
    }

    private static void fill(Muster muster, int partitions, int each) {
        try (Producer<byte[], byte[]> producer = muster.producer("orders").open()) {
            for (int i = 0; i < partitions * each; i++) {
                producer.send(Message.<byte[], byte[]>of(new byte[10]).withPartition(i % partitions));
            }
            producer.flush();
        }
    }

    private static double commitMillis(GroupConsumer<byte[], byte[]> member, int partitions, int round) {
        Map<TopicPartition, Long> offsets = new TreeMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            offsets.put(new TopicPartition(ORDERS, partition), Math.floorMod(round, 20L));
        }
        long start = System.nanoTime();
        member.commit(offsets);
        return (System.nanoTime() - start) / 1e6;
    }

    private static double median(double... millis) {
        Arrays.sort(millis);
        return millis[millis.length / 2];
    }
}
