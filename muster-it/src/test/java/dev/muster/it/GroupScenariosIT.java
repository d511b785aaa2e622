package dev.muster.it;

import static dev.muster.it.GroupMemberMain.GROUP;
import static dev.muster.it.GroupMemberMain.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.json.Json;
import dev.muster.embedded.Codec;
import dev.muster.embedded.Message;
import dev.muster.embedded.Muster;
import dev.muster.embedded.Producer;
import dev.muster.embedded.internal.GroupInspection;
import dev.muster.it.MemberProcess.Range;
import dev.muster.it.MemberProcess.Said;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The typical scenarios of groups on a directory, with real processes. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class GroupScenariosIT {
    private static final int PARTITIONS = 4;

    private static final String LONG_SESSION = "session=600000";

    @TempDir
    Path directory;

    @Test
    void membersShareFourPartitionsThroughAJoinAndAKill() throws Exception {
        try (Muster muster = Muster.open(directory)) {
            muster.topics().create(TOPIC, PARTITIONS);
            try (MemberProcess a = MemberProcess.join(directory, "A", LONG_SESSION)) {
                assertThat(a.awaitOwned(owned -> owned.size() == PARTITIONS)).containsExactly(0, 1, 2, 3);
                try (MemberProcess b = MemberProcess.join(directory, "B", LONG_SESSION)) {
                    awaitShared(List.of(a, b), 2);
                    SortedSet<Integer> ofA = a.owned();
                    SortedSet<Integer> ofB = b.owned();
                    awaitView(Map.of("A", ofA, "B", ofB));
                    try (MemberProcess c = MemberProcess.join(directory, "C", LONG_SESSION)) {
                        awaitShared(List.of(a, b, c), 1);
                        assertThat(c.owned()).hasSize(1);
                        // Only the partitions of C moved.
                        assertThat(ofA).containsAll(a.owned());
                        assertThat(ofB).containsAll(b.owned());
                        awaitView(Map.of("A", a.owned(), "B", b.owned(), "C", c.owned()));
                        ofA = a.owned();
                        SortedSet<Integer> ofC = c.owned();

                        long killed = System.nanoTime();
                        b.child().killNow();
                        awaitShared(List.of(a, c), 2);
                        System.out.printf(
                                "B was killed: A and C own everything %.1f ms later%n",
                                (lastAssigned(a, c) - killed) / 1e6);
                        // Long before the session expired: the kernel reported the death of B.
                        assertThat(lastAssigned(a, c) - killed).isLessThan(TimeUnit.MINUTES.toNanos(2));
                        assertThat(a.owned()).containsAll(ofA);
                        assertThat(c.owned()).containsAll(ofC);
                        awaitView(Map.of("A", a.owned(), "C", c.owned()));
                        c.leave();
                        a.awaitOwned(owned -> owned.size() == PARTITIONS);
                    }
                }
                a.leave();
                awaitView(Map.of());
            }
        }
    }

    private static long lastAssigned(MemberProcess... members) {
        long last = Long.MIN_VALUE;
        for (MemberProcess member : members) {
            for (Said one : member.said()) {
                last = one.is("assigned") ? Math.max(last, one.at()) : last;
            }
        }
        return last;
    }

    /** Waits until each member has at least this number of partitions, and all partitions have one owner. */
    private static void awaitShared(List<MemberProcess> members, int least) throws InterruptedException {
        awaitTrue("all is owned", () -> {
            int count =
                    members.stream().mapToInt(member -> member.owned().size()).sum();
            SortedSet<Integer> all = new TreeSet<>();
            members.forEach(member -> all.addAll(member.owned()));
            return all.size() == PARTITIONS
                    && count == PARTITIONS
                    && members.stream().allMatch(member -> member.owned().size() >= least);
        });
    }

    /** Waits until assignments.json has this content. Members are named there by an id that begins with their name. */
    private void awaitView(Map<String, SortedSet<Integer>> expected) throws InterruptedException {
        Path file = directory.resolve("consumer-groups").resolve(GROUP).resolve("assignments.json");
        awaitTrue("assignments.json says " + expected, () -> assigned(file).equals(new TreeMap<>(expected)));
    }

    private static SortedMap<String, SortedSet<Integer>> assigned(Path file) {
        SortedMap<String, SortedSet<Integer>> assigned = new TreeMap<>();
        try {
            Map<?, ?> view = (Map<?, ?>) Json.parse(Files.readString(file));
            ((Map<?, ?>) view.get("assignments")).forEach((member, partitions) -> {
                SortedSet<Integer> numbers = new TreeSet<>();
                for (Object partition : (List<?>) partitions) {
                    String name = partition.toString();
                    numbers.add(Integer.valueOf(name.substring(TOPIC.length() + 1)));
                }
                assigned.put(member.toString().split("-")[0], numbers);
            });
            return assigned;
        } catch (IOException e) {
            return assigned;
        }
    }

    private static void awaitTrue(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what + ", in time").isLessThan(deadline);
            Rounds.letTimePass(2);
        }
    }

    @Test
    void twoGroupsReadTheSameTopicIndependently() throws Exception {
        try (Muster muster = Muster.open(directory)) {
            muster.topics().create(TOPIC, PARTITIONS);
            produce(muster, 25);
            try (MemberProcess a = MemberProcess.join(directory, "A", "group=analytics");
                    MemberProcess b = MemberProcess.join(directory, "B", "group=analytics");
                    MemberProcess c = MemberProcess.join(directory, "C", "group=alerting")) {
                awaitTrue("alerting has all", () -> recordsOf(c).size() == 4 * 25);
                awaitTrue("analytics has all", () -> {
                    SortedSet<String> both = recordsOf(a);
                    both.addAll(recordsOf(b));
                    return both.size() == 4 * 25;
                });
                awaitShared(List.of(a, b), 2);
                assertThat(c.owned()).hasSize(PARTITIONS);
                // One group loses a member; the other group does not change.
                int before = c.spoken();
                a.child().kill();
                b.awaitOwned(owned -> owned.size() == PARTITIONS);
                assertThat(c.said(before))
                        .filteredOn(one -> !one.is("polled") && !one.is("committed"))
                        .isEmpty();
                awaitTrue(
                        "analytics committed all",
                        () -> muster.groups().lag("analytics").stream()
                                .allMatch(lag -> lag.lag().orElse(-1) == 0));
                awaitTrue(
                        "alerting committed all",
                        () -> muster.groups().lag("alerting").stream()
                                .allMatch(lag -> lag.lag().orElse(-1) == 0));
            }
        }
    }

    private static SortedSet<String> recordsOf(MemberProcess member) {
        SortedSet<String> records = new TreeSet<>();
        for (Said one : member.said()) {
            assertThat(one.what()).isNotEqualTo("wrong");
            if (one.is("polled")) {
                for (Range range : one.ranges()) {
                    for (long offset = range.first(); offset <= range.last(); offset++) {
                        records.add(range.partition() + "=" + offset);
                    }
                }
            }
        }
        return records;
    }

    @Test
    void aRestartedMemberContinuesAtTheLastCommit() throws Exception {
        try (Muster muster = Muster.open(directory)) {
            muster.topics().create(TOPIC, 1);
            produce(muster, 100);
            long committed;
            try (MemberProcess a = MemberProcess.join(directory, "A", "records=10")) {
                a.await("half is committed", one -> one.is("committed") && next(one) >= 50);
                a.child().kill();
                committed = a.lastWords().stream()
                        .filter(one -> one.is("committed"))
                        .mapToLong(GroupScenariosIT::next)
                        .max()
                        .orElseThrow();
            }
            produce(muster, 7, 100);
            long known = GroupInspection.of(muster).state(GROUP).orElseThrow().offsets().values().stream()
                    .mapToLong(commit -> commit.offset().offset())
                    .sum();
            // The member may have been killed between its last commit and the line about it.
            assertThat(known).isBetween(committed, committed + 10);
            try (MemberProcess again = MemberProcess.join(directory, "A", "records=10")) {
                Said first = again.await("a record", one -> one.is("polled"));
                assertThat(first.ranges().getFirst().first()).isEqualTo(known);
                again.await("the last one", one -> one.is("committed") && next(one) == 107);
                again.leave();
            }
            Path view = directory
                    .resolve("consumer-groups")
                    .resolve(GROUP)
                    .resolve("offsets")
                    .resolve(TOPIC)
                    .resolve("partition-0.offset");
            awaitTrue("the view says 107", () -> offset(view) == 107);
        }
    }

    private static long offset(Path view) {
        try {
            return (Long) ((Map<?, ?>) Json.parse(Files.readString(view))).get("offset");
        } catch (IOException e) {
            return -1;
        }
    }

    private static long next(Said committed) {
        return Long.parseLong(committed.more().split("=")[1]);
    }

    private static void produce(Muster muster, int perPartition) {
        produce(muster, perPartition, 0);
    }

    private static void produce(Muster muster, int perPartition, int first) {
        try (Producer<byte[], String> producer = muster.producer(TOPIC, Codec.BYTES, Codec.STRING)) {
            int partitions = muster.topics().partitions(TOPIC).size();
            for (int i = first; i < first + perPartition; i++) {
                for (int partition = 0; partition < partitions; partition++) {
                    producer.send(Message.<byte[], String>of("#" + i).withPartition(partition));
                }
            }
            producer.flush();
        }
    }
}
