package dev.muster.core.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.assign.Assignor;
import dev.muster.core.assign.Assignors;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Decision;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.command.GroupTimer;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.explain.Explanation;
import dev.muster.core.group.json.GroupJson;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LastMove;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Random lives of groups, each from one seed, watched by a {@link Referee} that keeps its own state. To repeat a
 * failure, call {@link #live} with the seed that it names.
 */
class GroupModelTest {
    private static final int STEPS = 150;

    /** Lives continue until all rare events occurred. They occur long before this number of lives. */
    private static final int LIVES_MAX = 2_000;

    private static final List<String> MUST_BE_MET = List.of(
            "Joined",
            "UnknownMember",
            "FencedInstance",
            "InstanceInUse",
            "StaleGeneration",
            "GroupInUse",
            "UnknownAssignor",
            "MemberReturned",
            "MemberAway",
            "MemberLeft",
            "FalseAlarm",
            "MemberSubscribed",
            "TopicsChanged",
            "Rebalanced",
            "Released",
            "Granted",
            "Committed",
            "OffsetsReset",
            "OffsetsForgotten",
            "Rewound",
            "MembersExpected",
            "FormingBegan",
            "Formed",
            "NotForming",
            "RevokeDeadline",
            "AwayDeadline");

    /**
     * The number of times that each command and each answer occurred. A test that never meets a refusal proves nothing
     * about it.
     */
    private final Map<String, Integer> seen = new TreeMap<>();

    int lives() {
        return 25;
    }

    @Test
    void inRandomLivesEveryPartitionHasOneOwnerAndNothingIsLost() {
        long first = System.nanoTime();
        System.out.println("lives of groups: seeds from " + first);
        int lives = 0;
        while (lives < lives() || lives < LIVES_MAX && !seen.keySet().containsAll(MUST_BE_MET)) {
            long seed = first + lives++;
            try {
                live(seed);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
        System.out.println("lives of groups: " + lives + " of " + STEPS + " steps: " + seen);
        assertThat(seen).as("what the lives met").containsKeys(MUST_BE_MET.toArray(String[]::new));
    }

    private void live(long seed) {
        RandomCommands play = new RandomCommands(seed);
        Referee referee = new Referee();
        List<String> journal = new ArrayList<>();
        Group group = Group.empty();
        for (int step = 0; step < STEPS; step++) {
            List<Event> events = new ArrayList<>();
            Group before = group;
            long at = 1_000L + step;
            int commands = play.random.nextInt(4) == 0 ? 3 : 1;
            for (int i = 0; i < commands; i++) {
                Command command = play.next(group);
                Decision decision = group.decide(command, play.assignors());
                judge(referee, group, command, decision);
                events.addAll(decision.events());
                group = group.apply(new Entry(at, GroupFixture.HOST, decision.events()));
            }
            String line = GroupJson.entry(new Entry(at, GroupFixture.HOST, events));
            journal.add(line);
            assertThat(GroupJson.replay(before, line)).as("the entry read back").isEqualTo(group);
            referee.compare(group);
            group = look(play.random, group);
            for (GroupTimer timer : group.timers()) {
                count(timer.getClass().getSimpleName());
            }
        }
        Group replayed = Group.empty();
        for (String line : journal) {
            replayed = GroupJson.replay(replayed, line);
        }
        assertThat(replayed).as("the whole journal read back").isEqualTo(group);
        heal(play, referee, group);
    }

    private void judge(Referee referee, Group before, Command command, Decision decision) {
        count(decision.reply().getClass().getSimpleName());
        decision.events().forEach(event -> count(event.getClass().getSimpleName()));
        if (decision.reply() instanceof Reply.Refusal refusal) {
            assertThat(decision.events()).as("a refusal changes nothing").isEmpty();
            assertThat(refusal.text()).isNotBlank();
        }
        if (command instanceof Command.Commit commit) {
            assertThat(decision.reply() instanceof Reply.Done)
                    .as("%s is taken, holders %s", commit, referee.holders)
                    .isEqualTo(referee.entitled(commit));
        }
        if (command instanceof Command.Expire expire && !before.timers().contains(expire.timer())) {
            assertThat(decision.events())
                    .as("the state does not ask for " + expire)
                    .isEmpty();
        }
        referee.watch(decision.events());
        referee.rest();
        decision.events().forEach(event -> judgeRelease(referee, command, event));
        if (command instanceof Command.HostDied died) {
            judgeDeath(referee, died.host());
        }
    }

    /** No partition is taken from a member that did not release it, unless the member is gone. */
    private static void judgeRelease(Referee referee, Command command, Event event) {
        if (event instanceof Event.Released released && !referee.away.contains(released.member())) {
            assertThat(command).isInstanceOfSatisfying(Command.Release.class, release -> {
                assertThat(release.member()).isEqualTo(released.member());
                assertThat(release.partitions()).containsAll(released.partitions());
            });
        }
    }

    private static void judgeDeath(Referee referee, HostId host) {
        referee.members.forEach((id, spec) -> {
            if (spec.host().equals(host)) {
                assertThat(spec.instance().isPresent() || spec.remote())
                        .as(id + " outlives its process")
                        .isTrue();
                assertThat(referee.away).contains(id);
            }
        });
    }

    /** Makes the texts and snapshots that people see. Now and then the life continues from a snapshot. */
    private static Group look(Random random, Group group) {
        for (TopicPartition partition : group.owners().keySet()) {
            LastMove last = group.lastMove(partition).orElseThrow();
            Member owner = group.members().get(group.owners().get(partition).member());
            assertThat(last.move().takenAt() > 0)
                    .as("%s is taken, as its last move says: %s", partition, last)
                    .isEqualTo(!owner.toRelease().contains(partition));
            assertThat(Explanation.of(group, partition).text()).contains(last.cause(), last.reason());
        }
        Explanation.of(group, GroupFixture.partition("alpha", random.nextInt(9)));
        if (random.nextInt(10) > 0) {
            return group;
        }
        String snapshot = GroupJson.snapshot(group, 1, GroupFixture.HOST);
        assertThat(GroupJson.isSnapshot(snapshot)).isTrue();
        Group read = GroupJson.replay(Group.empty(), snapshot);
        assertThat(read).as("a snapshot read back").isEqualTo(group);
        assertThat(GroupJson.snapshot(read, 1, GroupFixture.HOST)).isEqualTo(snapshot);
        return read;
    }

    /** Faults stop: after one round of timers and releases every member owns its target. */
    private void heal(RandomCommands play, Referee referee, Group sick) {
        Map<String, Assignor> all = new HashMap<>(Assignors.BUILT_IN);
        all.put(RandomCommands.RARE, new RandomCommands.Rare());
        Group group = cure(referee, sick, new Command.TopicsSeen(play.seen(sick)), all);
        if (group.forming().isPresent()) {
            group = cure(
                    referee,
                    group,
                    new Command.FormingOver(group.forming().get().token()),
                    all);
        }
        group = cure(referee, group, new Command.Settle(group.pending().token()), all);
        for (GroupTimer timer : group.timers()) {
            if (timer instanceof GroupTimer.AwayDeadline late) {
                group = cure(referee, group, new Command.Expire(late), all);
            }
        }
        for (MemberId member : group.members().keySet()) {
            Command release =
                    new Command.Release(member, group.members().get(member).toRelease());
            group = cure(referee, group, release, all);
        }
        assertThat(group.timers()).as("no timer is needed").isEmpty();
        assertThat(group.settling()).isFalse();
        group.members().forEach((id, member) -> assertThat(member.owned()).isEqualTo(member.target()));
        assertStable(play, group, all);
    }

    private Group cure(Referee referee, Group group, Command command, Map<String, Assignor> assignors) {
        Decision decision = group.decide(command, assignors);
        judge(referee, group, command, decision);
        return group.apply(new Entry(1, GroupFixture.HOST, decision.events()));
    }

    private static void assertStable(RandomCommands play, Group group, Map<String, Assignor> all) {
        List<Command> idle = new ArrayList<>();
        idle.add(new Command.TopicsSeen(play.seen(group)));
        idle.add(new Command.Settle(group.pending().token()));
        idle.add(new Command.HostDied(new HostId("another")));
        group.members().forEach((id, member) -> {
            idle.add(new Command.Release(id, member.owned()));
            idle.add(new Command.Subscribe(id, member.spec().subscription(), play.seen(group)));
            idle.add(new Command.SessionExpired(id, new HostId("another"), LeaveCause.SESSION_EXPIRED));
        });
        for (Command command : idle) {
            assertThat(group.decide(command, all).events())
                    .as("after " + command)
                    .isEmpty();
        }
    }

    private void count(String what) {
        seen.merge(what, 1, Integer::sum);
    }
}
