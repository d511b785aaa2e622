package dev.muster.core.group;

import static dev.muster.core.group.GroupFixture.id;
import static dev.muster.core.group.GroupFixture.spec;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicPartition;
import dev.muster.core.assign.Assignors;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Decision;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.json.GroupJson;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The duration of decisions in a group of 100 members and 1000 partitions. The times are printed for people. The
 * asserted limits are wide, so that a busy machine does not fail the build, and still fail a quadratic algorithm.
 */
@Tag("figures")
class GroupSpeedTest {
    private static final boolean JUDGED = Boolean.getBoolean("muster.figures");
    private static final int MEMBERS = 100;
    private static final int PARTITIONS = 1_000;

    private Group group = Group.empty();

    private Reply run(Command command) {
        Decision decision = group.decide(command, Assignors.BUILT_IN);
        group = group.apply(new Entry(1, GroupFixture.HOST, decision.events()));
        return decision.reply();
    }

    private void settle() {
        run(new Command.Settle(group.pending().token()));
    }

    private void fill(GroupFixture fixture) {
        group = Group.empty();
        for (int i = 0; i < MEMBERS; i++) {
            run(new Command.Join(spec("m%03d".formatted(i), "orders"), fixture.topics));
        }
        settle();
    }

    @Test
    void decisionsOfALargeGroupAreQuick() {
        GroupFixture fixture = new GroupFixture().topic("orders", PARTITIONS);
        List<Long> fill = new ArrayList<>();
        List<Long> join = new ArrayList<>();
        List<Long> leave = new ArrayList<>();
        for (int round = 0; round < 15; round++) {
            fill.add(millis(() -> fill(fixture)));
            join.add(millis(() -> {
                run(new Command.Join(spec("newcomer", "orders"), fixture.topics));
                settle();
                for (Member member : group.members().values()) {
                    run(new Command.Release(member.spec().id(), member.toRelease()));
                }
            }));
            assertThat(group.members().get(id("newcomer")).owned()).hasSize(9);
            leave.add(millis(() -> run(new Command.Leave(id("m050"), LeaveCause.LEFT, false))));
            assertThat(group.owners()).hasSize(PARTITIONS);
        }
        print("100 joins, settle, 1000 grants", fill);
        print("one more join, settle, all releases and grants", join);
        print("one leave with its grants", leave);
        if (JUDGED) {
            assertThat(median(join)).isLessThan(200_000);
            assertThat(median(leave)).isLessThan(200_000);
        }
    }

    @Test
    void aCommitIsQuickInALargeGroup() {
        fill(new GroupFixture().topic("orders", PARTITIONS));
        List<Long> times = new ArrayList<>();
        List<Long> lines = new ArrayList<>();
        for (int round = 0; round < 200; round++) {
            for (Member member : group.members().values()) {
                TopicPartition partition = member.owned().getFirst();
                SortedMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
                offsets.put(partition, new CommittedOffset(round));
                Command commit = new Command.Commit(member.spec().id(), group.generation(), offsets);
                Group before = group;
                times.add(nanos(() -> run(commit)));
                lines.add(nanos(() -> {
                    Decision decision = before.decide(commit, Assignors.BUILT_IN);
                    GroupJson.replay(before, GroupJson.entry(new Entry(1, GroupFixture.HOST, decision.events())));
                }));
            }
        }
        System.out.printf(
                "commit of one of 1000 partitions: decide and apply %.1f us; with JSON there and back %.1f us%n",
                median(times) / 1e3, median(lines) / 1e3);
        if (JUDGED) {
            assertThat(median(times)).isLessThan(100_000);
        }
    }

    @Test
    void aSnapshotOfALargeGroupIsQuickAndShort() {
        fill(new GroupFixture().topic("orders", PARTITIONS));
        for (int i = 0; i < 120; i++) {
            run(new Command.Leave(group.members().firstKey(), LeaveCause.LEFT, false));
            run(new Command.Join(spec("n%03d".formatted(i), "orders"), group.topics()));
            settle();
            for (Member member : group.members().values()) {
                run(new Command.Release(member.spec().id(), member.toRelease()));
            }
        }
        List<Long> write = new ArrayList<>();
        List<Long> read = new ArrayList<>();
        String line = "";
        for (int round = 0; round < 20; round++) {
            String[] written = new String[1];
            write.add(nanos(() -> written[0] = GroupJson.snapshot(group, 1, GroupFixture.HOST)));
            line = written[0];
            read.add(nanos(() -> GroupJson.replay(Group.empty(), written[0])));
        }
        assertThat(GroupJson.replay(Group.empty(), line)).isEqualTo(group);
        System.out.printf(
                "snapshot after %d generations: %d KiB, write %.1f ms, read %.1f ms%n",
                group.generation(), line.length() / 1024, median(write) / 1e6, median(read) / 1e6);
        assertThat(line.length()).isLessThan(1 << 20);
    }

    private static long nanos(Runnable work) {
        long start = System.nanoTime();
        work.run();
        return System.nanoTime() - start;
    }

    /** The duration, measured in microseconds and returned in milliseconds. */
    private static long millis(Runnable work) {
        return nanos(work) / 1_000;
    }

    private static void print(String what, List<Long> micros) {
        System.out.printf(
                "100 members, 1000 partitions: %s: first %.1f ms, median %.1f ms%n",
                what, micros.getFirst() / 1e3, median(micros) / 1e3);
    }

    private static long median(List<Long> times) {
        return times.stream().sorted().toList().get(times.size() / 2);
    }
}
