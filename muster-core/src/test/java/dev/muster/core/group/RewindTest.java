package dev.muster.core.group;

import static dev.muster.core.group.GroupFixture.as;
import static dev.muster.core.group.GroupFixture.id;
import static dev.muster.core.group.GroupFixture.offsets;
import static dev.muster.core.group.GroupFixture.partition;
import static dev.muster.core.group.GroupFixture.partitions;
import static dev.muster.core.group.GroupFixture.remote;
import static dev.muster.core.group.GroupFixture.spec;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.assign.Assignors;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Decision;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.command.GroupTimer;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.explain.Explanation;
import dev.muster.core.group.json.GroupJson;
import dev.muster.core.group.model.Generation;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Timing;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Offsets that are set by hand while members read. */
class RewindTest {
    private final GroupFixture fixture = new GroupFixture().topic("orders", 4);

    private Decision rewind(int partition, long offset) {
        return fixture.ask(
                new Command.Rewind(offsets("orders", partition, offset), fixture.topics, "alice", "a bad deploy"));
    }

    private Reply commit(String member, int partition, long offset) {
        return fixture.reply(
                new Command.Commit(id(member), fixture.group.generation(), offsets("orders", partition, offset)));
    }

    private long committed(int partition) {
        return fixture.group
                .offsets()
                .get(partition("orders", partition))
                .offset()
                .offset();
    }

    private void arriveTwo() {
        fixture.arrive(spec("A", "orders"));
        fixture.arrive(spec("B", "orders"));
    }

    @Test
    void aLiveResetMakesAGenerationAndTheOwnerReleases() {
        arriveTwo();
        commit("A", 0, 100);
        Decision decision = rewind(0, 7);
        assertThat(decision.reply()).isEqualTo(new Reply.Done());
        assertThat(decision.events())
                .as("offset, generation and recall are one entry")
                .hasSize(1);
        assertThat(fixture.group.generation()).isEqualTo(3);
        assertThat(committed(0)).isEqualTo(7);
        assertThat(fixture.member("A").toRelease()).isEqualTo(partitions("orders", 0));
        assertThat(fixture.member("A").target()).isEqualTo(partitions("orders", 0, 1));
        assertThat(fixture.member("B").toRelease()).isEmpty();
        assertThat(fixture.group.reconciled()).isFalse();

        fixture.releaseAll();
        assertThat(fixture.owned("A")).isEqualTo(partitions("orders", 0, 1));
        assertThat(fixture.group.owners().get(partition("orders", 0)).since()).isEqualTo(3);
        assertThat(fixture.group.owners().get(partition("orders", 1)).since()).isEqualTo(1);
        assertThat(fixture.group.generation()).as("no other partition moved").isEqualTo(3);
        assertThat(fixture.group.reconciled()).isTrue();
    }

    @Test
    void aLateCommitCannotUndoALiveReset() {
        arriveTwo();
        rewind(0, 7);
        assertThat(commit("A", 0, 101))
                .isInstanceOfSatisfying(
                        Reply.StaleGeneration.class,
                        stale -> assertThat(stale.text()).contains("its offset was set by hand in generation 3"));
        assertThat(commit("A", 1, 50)).as("what is not reset goes on").isEqualTo(new Reply.Done());
        fixture.releaseAll();
        assertThat(fixture.reply(new Command.Commit(id("A"), 2, offsets("orders", 0, 101))))
                .as("generation before the ownership")
                .isInstanceOf(Reply.StaleGeneration.class);
        assertThat(committed(0)).isEqualTo(7);
        assertThat(commit("A", 0, 8)).isEqualTo(new Reply.Done());
        assertThat(committed(0)).isEqualTo(8);
    }

    @Test
    void aRemoteMembersEpochWaitsForItsRelease() {
        fixture.arrive(remote(spec("A", "orders")));
        rewind(2, 7);
        assertThat(fixture.group.assignment(id("A"))).contains(new MemberAssignment(1, partitions("orders", 0, 1, 3)));
        fixture.releaseAll();
        assertThat(fixture.group.assignment(id("A")))
                .contains(new MemberAssignment(2, partitions("orders", 0, 1, 2, 3)));
    }

    @Test
    void aGenerationInBetweenKeepsTheRecall() {
        arriveTwo();
        rewind(0, 7);
        fixture.arrive(spec("C", "payments"));
        assertThat(fixture.owned("A")).isEqualTo(partitions("orders", 0, 1));
        assertThat(fixture.group.owners().get(partition("orders", 0)).since())
                .as("it was released and granted again")
                .isEqualTo(4);

        rewind(0, 3);
        fixture.ask(new Command.Leave(id("B"), LeaveCause.LEFT, false));
        assertThat(fixture.member("A").toRelease()).isEqualTo(partitions("orders", 0));
        assertThat(commit("A", 0, 9)).isInstanceOf(Reply.StaleGeneration.class);
    }

    @Test
    void theNextOwnerBeginsAtTheNewOffset() {
        arriveTwo();
        rewind(0, 7);
        fixture.ask(new Command.Expire(new GroupTimer.RevokeDeadline(id("A"), 3, Timing.DEFAULT.revoke())));
        assertThat(fixture.group.members()).containsOnlyKeys(id("B"));
        assertThat(fixture.owned("B")).isEqualTo(partitions("orders", 0, 1, 2, 3));
        assertThat(committed(0)).isEqualTo(7);
        assertThat(commit("B", 0, 8)).isEqualTo(new Reply.Done());
    }

    @Test
    void anAwayMemberWithNothingInHandNeedNotRelease() {
        fixture.arrive(as(spec("A", "orders"), "a"));
        fixture.ask(new Command.Leave(id("A"), LeaveCause.LEFT, true));
        rewind(0, 7);
        assertThat(fixture.member("A").toRelease()).isEmpty();
        assertThat(fixture.group.owners().get(partition("orders", 0)).since()).isEqualTo(2);
    }

    @Test
    void aLiveResetOfAnUnreadTopicIsAPlainReset() {
        fixture.topic("payments", 1).arrive(spec("A", "payments"));
        assertThat(rewind(0, 7).events()).last().isEqualTo(new Event.OffsetsReset(offsets("orders", 0, 7)));
        assertThat(fixture.group.generation()).isEqualTo(1);
    }

    @Test
    void pendingJoinsAreSettledAfterALiveReset() {
        fixture.arrive(spec("A", "orders"));
        fixture.join(spec("B", "orders"));
        rewind(0, 7);
        assertThat(fixture.group.settling()).isTrue();
        fixture.settle();
        fixture.releaseAll();
        assertThat(fixture.owned("A")).hasSize(2);
        assertThat(fixture.owned("B")).hasSize(2);
    }

    @Test
    void aLiveResetWorksWithoutTheGroupsAssignor() {
        arriveTwo();
        fixture.assignors = Map.of();
        rewind(0, 7);
        fixture.releaseAll();
        assertThat(fixture.owned("A")).isEqualTo(partitions("orders", 0, 1));
        fixture.assignors = Assignors.BUILT_IN;
    }

    @Test
    void aSnapshotKeepsARunningLiveReset() {
        arriveTwo();
        rewind(0, 7);
        Group read = GroupJson.replay(Group.empty(), GroupJson.snapshot(fixture.group, 5, GroupFixture.HOST));
        assertThat(read).isEqualTo(fixture.group);
        assertThat(read.members().get(id("A")).toRelease()).isEqualTo(partitions("orders", 0));
    }

    @Test
    void anExplanationNamesTheAuthorAndReasonOfAReset() {
        arriveTwo();
        rewind(0, 7);
        String meanwhile = Explanation.of(fixture.group, partition("orders", 0)).text();
        assertThat(meanwhile)
                .contains(
                        "Its offset was set by hand: the member must release the partition since generation 3, within"
                                + " 30 s; A begins at the new offset then.",
                        "Cause of generation 3: reset by alice: orders-0 to 7, because a bad deploy.");
        fixture.releaseAll();
        assertThat(Explanation.of(fixture.group, partition("orders", 0)).text())
                .contains(", made A begin it again.", "reset by alice: orders-0 to 7, because a bad deploy.");
        Generation last = fixture.group.history().getLast();
        assertThat(last.moves()).containsOnlyKeys(partition("orders", 0));
        assertThat(List.of(last.cause(), last.reason()))
                .containsExactly("reset by alice: orders-0 to 7, because a bad deploy", Rewind.REASON);
    }
}
