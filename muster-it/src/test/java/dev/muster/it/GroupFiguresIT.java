package dev.muster.it;

import static dev.muster.it.GroupMemberMain.GROUP;
import static dev.muster.it.GroupMemberMain.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicPartition;
import dev.muster.disk.local.NativeDisk;
import dev.muster.embedded.Codec;
import dev.muster.embedded.GroupConsumer;
import dev.muster.embedded.Message;
import dev.muster.embedded.Muster;
import dev.muster.embedded.MusterOverStore;
import dev.muster.embedded.Producer;
import dev.muster.embedded.RebalanceListener;
import dev.muster.embedded.internal.GroupInspection;
import dev.muster.it.MemberProcess.Said;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.testkit.disk.RecordingDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The times of joins and commits. They are printed, and compared with the targets with {@code -Pfigures}. */
@Tag("figures")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class GroupFiguresIT {
    @TempDir
    Path directory;

    @TempDir
    Path scratch;

    // Joining

    private static final double JOIN_P99_MAX_MS = 100;
    private static final int RUNNING = 3;

    @OnlyFigures
    @Test
    void aJoiningMemberHasItsPartitionsSoon() throws Exception {
        try (Muster muster = Muster.open(directory)) {
            muster.topics().create(TOPIC, 12);
            List<MemberProcess> running = new ArrayList<>();
            try {
                for (int i = 0; i < RUNNING; i++) {
                    running.add(MemberProcess.join(directory, "R" + i));
                }
                for (MemberProcess member : running) {
                    member.awaitOwned(owned -> owned.size() == 12 / RUNNING);
                }
                // The first joins of a process load code; the later ones are measured.
                try (Child joiner = Child.start(Joiner.class, directory, Rounds.count(30))) {
                    List<Long> nanos = new ArrayList<>();
                    for (String line : joiner.readLines()) {
                        nanos.add(Long.valueOf(line));
                    }
                    assertThat(joiner.await()).isZero();
                    assertThat(nanos).hasSizeGreaterThanOrEqualTo(Rounds.count(30));
                    Figures figures = Figures.of(nanos.subList(Joiner.WARM_UP, nanos.size()));
                    System.out.printf(
                            "one more member joins %d running processes -> it has partitions, %d joins: %s"
                                    + " (target: p99 %.0f ms); the first one in a fresh process: %.0f ms%n",
                            RUNNING, figures.count(), figures, JOIN_P99_MAX_MS, nanos.getFirst() / 1e6);
                    Figures.assertBelow("p99 in ms", figures.p99Millis(), JOIN_P99_MAX_MS);
                }
                // A new process that was a member of another group before.
                try (MemberProcess fresh =
                        MemberProcess.join(directory, "fresh", "rehearse=" + scratch.resolve("elsewhere"))) {
                    Said joining = fresh.await("joining", one -> one.is("joining"));
                    Said assigned = fresh.await("assigned", one -> one.is("assigned"));
                    System.out.printf("a rehearsed new process: %.1f ms%n", (assigned.at() - joining.at()) / 1e6);
                }
            } finally {
                running.forEach(MemberProcess::close);
            }
        }
    }

    /** Joins and leaves repeatedly; prints the time from each join to its partitions. */
    static final class Joiner {
        static final int WARM_UP = 5;

        private Joiner() {}

        public static void main(String[] args) {
            int joins = Integer.parseInt(args[1]);
            try (Muster muster = Muster.open(Path.of(args[0]))) {
                for (int i = 0; i < WARM_UP + joins; i++) {
                    long[] assigned = new long[1];
                    RebalanceListener listener = new RebalanceListener() {
                        @Override
                        public void assigned(long generation, Set<TopicPartition> partitions) {
                            assigned[0] = assigned[0] == 0 ? System.nanoTime() : assigned[0];
                        }
                    };
                    try (GroupConsumer<byte[], byte[]> consumer = muster.consumer(GROUP, TOPIC)
                            .id("joiner")
                            .listener(listener)
                            .open()) {
                        long begin = System.nanoTime();
                        while (assigned[0] == 0) {
                            consumer.poll(Duration.ofMillis(50));
                        }
                        System.out.println(assigned[0] - begin);
                        // Waits for all its partitions, so that the group is stable before it leaves.
                        while (consumer.assignment().partitions().size() < 3) {
                            consumer.poll(Duration.ofMillis(50));
                        }
                    }
                }
            }
        }
    }

    // Committing

    private static final int COMMITTERS = 8;
    private static final int RECORDS = 1000;
    private static final double COMMITS_PER_SECOND_MIN = 5000;
    private static final long COMMIT_MS = Long.getLong("muster.commit.ms", Figures.JUDGED ? 3000 : 500);
    /** The first commits of a process load and compile code; they are printed, and judged separately. */
    private static final long COMMIT_WARM_UP_MS = Long.getLong("muster.commit.warmup.ms", Figures.JUDGED ? 4000 : 500);

    @Test
    void eightMembersOfOneProcessCommitDurably() throws Exception {
        try (Muster muster = Muster.open(directory)) {
            createWithRecords(muster);
            List<Committer> committers = new ArrayList<>();
            for (int i = 0; i < COMMITTERS; i++) {
                committers.add(new Committer(muster));
            }
            List<Thread> threads = new ArrayList<>();
            for (Committer committer : committers) {
                threads.add(Thread.ofPlatform().start(committer));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            List<Committed> results = committers.stream().map(one -> one.result).toList();
            judgeCommits("8 members of one process", results, 1);
            assertCommitted(muster, results);
        }
    }

    @Test
    void eightProcessesCommitDurably() throws Exception {
        try (Muster muster = Muster.open(directory)) {
            createWithRecords(muster);
            List<Child> children = new ArrayList<>();
            try {
                for (int i = 0; i < COMMITTERS; i++) {
                    children.add(Child.start(Committer.class, directory));
                }
                for (Child child : children) {
                    assertThat(child.readLine()).isEqualTo("ready");
                }
                for (Child child : children) {
                    child.tell("go");
                }
                List<Committed> results = new ArrayList<>();
                for (Child child : children) {
                    results.add(Committed.parse(child.readLine()));
                    assertThat(child.await()).isZero();
                }
                // Eight JVMs on few cores: printed, with a rough limit only.
                judgeCommits("8 processes", results, 10);
                assertCommitted(muster, results);
            } finally {
                children.forEach(Child::close);
            }
        }
    }

    /** @param all number of commits, including the warm-up */
    private record Committed(long all, long count, long from, long to) {
        static Committed parse(String line) {
            String[] words = line.split(" ");
            return new Committed(
                    Long.parseLong(words[0]),
                    Long.parseLong(words[1]),
                    Long.parseLong(words[2]),
                    Long.parseLong(words[3]));
        }

        @Override
        public String toString() {
            return all + " " + count + " " + from + " " + to;
        }
    }

    private static void judgeCommits(String who, List<Committed> results, int leniency) {
        long from = results.stream().mapToLong(Committed::from).min().orElseThrow();
        long to = results.stream().mapToLong(Committed::to).max().orElseThrow();
        long count = results.stream().mapToLong(Committed::count).sum();
        double perSecond = count * 1e9 / (to - from);
        System.out.printf(
                "%s: %d durable commits, %.0f/s (target: %.0f/s); in the %d ms before that, from cold: %d%n",
                who,
                count,
                perSecond,
                COMMITS_PER_SECOND_MIN,
                COMMIT_WARM_UP_MS,
                results.stream().mapToLong(one -> one.all() - one.count()).sum());
        assertThat(results).hasSize(COMMITTERS).allMatch(one -> one.count() > 0);
        Figures.assertAbove("durable commits in a second", perSecond, COMMITS_PER_SECOND_MIN / leniency);
    }

    private static void createWithRecords(Muster muster) {
        muster.topics().create(TOPIC, COMMITTERS);
        try (Producer<byte[], String> producer = muster.producer(TOPIC, Codec.BYTES, Codec.STRING)) {
            for (int i = 0; i < COMMITTERS * RECORDS; i++) {
                producer.send(Message.<byte[], String>of("a record").withPartition(i % COMMITTERS));
            }
        }
    }

    /** The last commit of each counts. */
    private static void assertCommitted(Muster muster, List<Committed> results) {
        assertThat(GroupInspection.of(muster).state(GROUP).orElseThrow().offsets().values().stream()
                        .map(commit -> commit.offset().offset()))
                .containsExactlyInAnyOrderElementsOf(
                        results.stream().map(one -> one.all() % RECORDS).toList());
    }

    /** A member that commits its partition as fast as it can, each time waiting until that is durable. */
    static final class Committer implements Runnable {
        private final Muster muster;
        private final GroupConsumer<byte[], byte[]> consumer;
        private volatile Committed result;

        Committer(Muster muster) {
            this.muster = muster;
            consumer = muster.consumer(GROUP, TOPIC).commitByHand().open();
        }

        public static void main(String[] args) throws IOException {
            try (Muster muster = Muster.open(Path.of(args[0]))) {
                Committer committer = new Committer(muster);
                committer.awaitPartition();
                System.out.println("ready");
                if (System.in.read() < 0) {
                    return;
                }
                committer.commitAllTheTime();
                System.out.println(committer.result);
            }
        }

        /**
         * Waits until all eight members have one partition each. Before that a member may have to release a second one,
         * which takes a poll.
         */
        private void awaitPartition() {
            while (consumer.assignment().partitions().size() != 1 || !isShared()) {
                consumer.poll(Duration.ofMillis(10));
            }
        }

        private boolean isShared() {
            return GroupInspection.of(muster)
                    .state(GROUP)
                    .filter(group -> group.members().size() == COMMITTERS && group.reconciled())
                    .isPresent();
        }

        @Override
        public void run() {
            awaitPartition();
            commitAllTheTime();
        }

        private void commitAllTheTime() {
            long cold = commitFor(COMMIT_WARM_UP_MS, 0);
            long from = System.nanoTime();
            long all = commitFor(COMMIT_MS, cold);
            result = new Committed(all, all - cold, from, System.nanoTime());
        }

        private long commitFor(long millis, long soFar) {
            TopicPartition partition = consumer.assignment().partitions().first();
            long from = System.nanoTime();
            long count = soFar;
            do {
                consumer.commit(Map.of(partition, ++count % RECORDS));
            } while (System.nanoTime() - from < TimeUnit.MILLISECONDS.toNanos(millis));
            return count;
        }
    }

    @Test
    void aCommitOfAHundredPartitionsCostsOneSync() {
        RecordingDisk disk = new RecordingDisk(NativeDisk.orFallback(), directory);
        FileStore store = FileStore.open(directory, FileStoreOptions.defaults().withDisk(disk));
        try (Muster muster = MusterOverStore.open(store)) {
            muster.topics().create(TOPIC, 100);
            try (Producer<byte[], String> producer = muster.producer(TOPIC, Codec.BYTES, Codec.STRING)) {
                for (int i = 0; i < 100; i++) {
                    producer.send(Message.<byte[], String>of("a record").withPartition(i));
                }
            }
            try (GroupConsumer<byte[], byte[]> consumer =
                    muster.consumer(GROUP, TOPIC).commitByHand().open()) {
                Map<TopicPartition, Long> next = new TreeMap<>();
                while (next.size() < 100) {
                    consumer.poll(Duration.ofSeconds(1))
                            .forEach(record -> next.put(record.topicPartition(), record.offset() + 1));
                }
                // The first commit may overlap with syncs of the join, so the second one is counted.
                consumer.commit(next);
                // The store may sync the journal in the background meanwhile: then the round is repeated.
                int rounds = 0;
                for (int asExpected = 0; asExpected < 5; rounds++) {
                    assertThat(rounds).as("rounds until 5 had one sync each").isLessThan(100);
                    long before = syncs(disk);
                    consumer.commit(next);
                    asExpected += syncs(disk) - before == 1 ? 1 : 0;
                }
                assertThat(consumer.committed(next.keySet())).isEqualTo(next);
                assertThat(next).containsKey(TopicPartition.of(TOPIC, 99));
            }
            System.out.println("100 partitions in one commit: 1 sync");
        }
    }

    private static long syncs(RecordingDisk disk) {
        return disk.transcript()
                .lines()
                .filter(line -> line.contains("sync") && line.contains("consumer-groups") && line.contains(".log"))
                .count();
    }
}
