package dev.muster.it;

import static dev.muster.it.GroupMemberMain.GROUP;
import static dev.muster.it.GroupMemberMain.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.SyncLevel;
import dev.muster.core.TopicPartition;
import dev.muster.core.TopicSettings;
import dev.muster.core.group.Group;
import dev.muster.core.group.model.Member;
import dev.muster.embedded.Codec;
import dev.muster.embedded.GroupConsumer;
import dev.muster.embedded.Muster;
import dev.muster.embedded.RebalanceListener;
import dev.muster.embedded.internal.GroupInspection;
import dev.muster.it.MemberProcess.Said;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many members join at once: they need few generations, and a later member does not disturb them. */
@Tag("figures")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ManyMembersIT {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    Path directory;

    @TempDir
    Path scratch;

    // Ten processes

    private static final int PROCESSES = 10;
    private static final int SHARED = 20;
    private static final double SETTLE_MAX_MS = 300;
    private static final long GENERATIONS_MAX = 4;

    @Test
    void tenSimultaneousProcessesNeedFewGenerations() throws Exception {
        double millis = joinAtOnce("were members elsewhere before", true);
        Figures.assertBelow("ms to settle", millis, SETTLE_MAX_MS);
    }

    /** Most of the time is class loading of ten JVMs; only the number of generations is checked. */
    @Test
    void tenNewProcessesNeedFewGenerations() throws Exception {
        joinAtOnce("never were members before", false);
    }

    private double joinAtOnce(String what, boolean rehearsed) throws Exception {
        try (Muster muster = Muster.open(directory)) {
            muster.topics().create(TOPIC, SHARED);
            List<MemberProcess> members = new ArrayList<>();
            try {
                for (int i = 0; i < PROCESSES; i++) {
                    Path elsewhere = scratch.resolve(Integer.toString(i));
                    members.add(
                            rehearsed
                                    ? MemberProcess.start(directory, "M" + i, "rehearse=" + elsewhere)
                                    : MemberProcess.start(directory, "M" + i));
                }
                for (MemberProcess member : members) {
                    member.awaitReady();
                }
                for (MemberProcess member : members) {
                    member.go();
                }
                awaitSettled(muster, PROCESSES, SHARED);
                for (MemberProcess member : members) {
                    member.awaitOwned(owned -> owned.size() == SHARED / PROCESSES);
                }
                Set<Integer> all = new HashSet<>();
                members.forEach(member -> all.addAll(member.owned()));
                assertThat(all).hasSize(SHARED);
                double millis = report(what, muster, members);
                for (MemberProcess member : members) {
                    member.tell("leave");
                }
                for (MemberProcess member : members) {
                    assertThat(member.child().await()).isZero();
                }
                return millis;
            } finally {
                members.forEach(MemberProcess::close);
            }
        }
    }

    private static double report(String what, Muster muster, List<MemberProcess> members) {
        long up = Long.MIN_VALUE;
        long settled = Long.MIN_VALUE;
        int moved = 0;
        for (MemberProcess member : members) {
            for (Said one : member.said()) {
                switch (one.what()) {
                    case "joining" -> up = Math.max(up, one.at());
                    case "assigned" -> settled = Math.max(settled, one.at());
                    case "revoked" -> moved += one.partitions().size();
                    default -> assertThat(one.what()).isEqualTo("ready");
                }
            }
        }
        long generations = GroupInspection.of(muster).state(GROUP).orElseThrow().generation();
        double millis = (settled - up) / 1e6;
        System.out.printf(
                "%d processes that %s join at once on %d partitions: settled %.0f ms after the last was up,"
                        + " %d generations, %d partitions moved twice (targets: %.0f ms, %d)%n",
                PROCESSES, what, SHARED, millis, generations, moved, SETTLE_MAX_MS, GENERATIONS_MAX);
        // On a busy machine the processes may join one after the other, with more generations.
        assertThat(generations).isLessThanOrEqualTo(Figures.JUDGED ? GENERATIONS_MAX : PROCESSES);
        return millis;
    }

    /** Waits until this number of members own all partitions in equal shares. */
    private static void awaitSettled(Muster muster, int members, int partitions) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        var snapshot = GroupInspection.of(muster).snapshot(GROUP);
        while (!settled(snapshot.group(), members, partitions)) {
            assertThat(System.nanoTime())
                    .as("settled in time: " + snapshot.group())
                    .isLessThan(deadline);
            snapshot = GroupInspection.of(muster).awaitSnapshot(GROUP, snapshot.version(), Duration.ofSeconds(1));
        }
    }

    private static boolean settled(Group group, int members, int partitions) {
        return group.members().size() == members
                && !group.settling()
                && group.owners().size() == partitions
                && group.members().values().stream()
                        .allMatch(member ->
                                !member.owned().isEmpty() && member.toRelease().isEmpty());
    }

    // A hundred members

    private static final int MEMBERS = 100;
    private static final int MANY = 1000;
    private static final double MANY_SETTLE_MAX_MS = 2000;
    private static final Duration POLL = Duration.ofMillis(20);
    private static final long WATCHED_MS = 1500;

    @Test
    void aHundredMembersInOneProcessShareAThousandPartitions() throws Exception {
        try (Muster muster = Muster.open(directory)) {
            muster.topics().create(TOPIC, MANY, TopicSettings.DEFAULT.withSync(SyncLevel.OS));
            List<Working> members = new ArrayList<>();
            CountDownLatch go = new CountDownLatch(1);
            try {
                for (int i = 0; i < MEMBERS; i++) {
                    members.add(new Working(muster, "M" + i, go));
                }
                long begin = System.nanoTime();
                go.countDown();
                awaitSettled(muster, MEMBERS, MANY);
                awaitTaken(members, MANY);
                long settled = members.stream()
                        .mapToLong(one -> one.lastAssigned)
                        .max()
                        .orElseThrow();
                double millis = (settled - begin) / 1e6;
                long generations =
                        GroupInspection.of(muster).state(GROUP).orElseThrow().generation();
                System.out.printf(
                        "%d members in one process join at once on %d partitions: settled after %.0f ms,"
                                + " %d generations (target: %.0f ms)%n",
                        MEMBERS, MANY, millis, generations, MANY_SETTLE_MAX_MS);
                Figures.assertBelow("ms to settle", millis, MANY_SETTLE_MAX_MS);
                oneMore(muster, members);
            } finally {
                members.forEach(one -> one.stopping = true);
                members.forEach(Working::end);
            }
        }
    }

    private static void awaitTaken(List<Working> members, int partitions) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (members.stream().mapToInt(one -> one.owned.size()).sum() != partitions) {
            assertThat(System.nanoTime()).as("all is taken in time").isLessThan(deadline);
            members.forEach(Working::check);
            Rounds.letTimePass(1);
        }
    }

    private void oneMore(Muster muster, List<Working> members) throws Exception {
        members.forEach(Working::forgetGaps);
        Rounds.letTimePass(WATCHED_MS);
        double before = members.stream().mapToLong(Working::forgetGaps).max().orElseThrow() / 1e6;
        Map<TopicPartition, String> owners = owners(muster);

        CountDownLatch now = new CountDownLatch(0);
        members.add(new Working(muster, "one more", now));
        awaitSettled(muster, MEMBERS + 1, MANY);
        awaitTaken(members, MANY);
        Rounds.letTimePass(WATCHED_MS);
        double gap = members.subList(0, MEMBERS).stream()
                        .mapToLong(Working::forgetGaps)
                        .max()
                        .orElseThrow()
                / 1e6;

        Map<TopicPartition, String> after = owners(muster);
        Set<TopicPartition> moved = new HashSet<>(after.keySet());
        moved.removeIf(partition -> owners.get(partition).equals(after.get(partition)));
        Set<TopicPartition> taken = members.getLast().owned;
        int revoked = members.stream().mapToInt(one -> one.revoked.get()).sum();
        int lost = members.stream().mapToInt(one -> one.lost.get()).sum();
        int most = Math.ceilDiv(MANY, MEMBERS + 1);
        System.out.printf(
                "one more joins: %d partitions move (at most %d), %d revoked, longest gap between two polls of the"
                        + " others %.0f ms, before that %.0f ms%n",
                moved.size(), most, revoked, gap, before);
        assertThat(moved).hasSizeLessThanOrEqualTo(most).isEqualTo(taken);
        assertThat(revoked).as("partitions that anybody had to let go of").isEqualTo(moved.size());
        assertThat(lost).isZero();
        Figures.assertBelow("longest gap in ms", gap, 2 * before);
    }

    private static Map<TopicPartition, String> owners(Muster muster) {
        Map<TopicPartition, String> owners = new HashMap<>();
        for (Member member :
                GroupInspection.of(muster).state(GROUP).orElseThrow().members().values()) {
            member.owned()
                    .forEach(partition -> owners.put(partition, member.spec().client()));
        }
        return owners;
    }

    /** A member with a thread of its own that polls all the time. */
    private static final class Working implements RebalanceListener {
        private final Set<TopicPartition> owned = ConcurrentHashMap.newKeySet();
        private final AtomicLong longest = new AtomicLong();
        private final GroupConsumer<byte[], byte[]> consumer;
        private final Thread thread;
        private volatile boolean stopping;
        private volatile long lastAssigned;
        private final AtomicInteger revoked = new AtomicInteger();
        private final AtomicInteger lost = new AtomicInteger();
        private volatile Throwable trouble;
        private volatile boolean settled;

        Working(Muster muster, String name, CountDownLatch go) {
            consumer = muster.consumer(GROUP, TOPIC)
                    .keys(Codec.BYTES)
                    .values(Codec.BYTES)
                    .id(name)
                    .listener(this)
                    .open();
            thread = Thread.ofPlatform().daemon().name(name).start(() -> work(go));
        }

        private void work(CountDownLatch go) {
            try (consumer) {
                go.await();
                long last = System.nanoTime();
                while (!stopping) {
                    consumer.poll(POLL);
                    long now = System.nanoTime();
                    longest.accumulateAndGet(now - last, Math::max);
                    last = now;
                }
            } catch (Throwable e) {
                trouble = e;
            }
        }

        /** The longest time between two polls since the last call. */
        long forgetGaps() {
            check();
            settled = true;
            return longest.getAndSet(0);
        }

        void check() {
            if (trouble != null) {
                throw new AssertionError(thread.getName() + " failed", trouble);
            }
        }

        @Override
        public void assigned(long generation, Set<TopicPartition> partitions) {
            owned.addAll(partitions);
            lastAssigned = System.nanoTime();
        }

        @Override
        public void revoked(long generation, Set<TopicPartition> partitions) {
            owned.removeAll(partitions);
            if (!stopping && settled) {
                revoked.addAndGet(partitions.size());
            }
        }

        @Override
        public void lost(long generation, Set<TopicPartition> partitions) {
            owned.removeAll(partitions);
            lost.addAndGet(partitions.size());
        }

        void end() {
            consumer.wakeup();
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
