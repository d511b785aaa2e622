package dev.muster.core.group;

import static dev.muster.core.group.GroupFixture.as;
import static dev.muster.core.group.GroupFixture.id;
import static dev.muster.core.group.GroupFixture.partition;
import static dev.muster.core.group.GroupFixture.remote;
import static dev.muster.core.group.GroupFixture.spec;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.explain.Explanation;
import dev.muster.core.group.json.GroupJson;
import dev.muster.core.group.model.FalseAlarm;
import dev.muster.core.group.model.FalseAlarms;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Origin;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who is expelled for want of a connection and lived is counted, once, and remembered. */
class FalseAlarmTest {
    private static final Origin A = new Origin("A", "10.0.0.7");

    private final GroupFixture club = new GroupFixture().topic("orders", 4);

    private void expel(String member, LeaveCause cause) {
        club.ask(new Command.SessionExpired(id(member), GroupFixture.HOST, cause));
    }

    private List<Event> speakUp(String member) {
        return club.ask(new Command.ReportFalseAlarm(id(member))).events();
    }

    @Test
    void whoLostItsConnectionAndSpeaksAgainWasAFalseAlarm() {
        club.arrive(spec("B", "orders"));
        club.arrive(remote(spec("A", "orders")));
        expel("A", LeaveCause.CONNECTION_LOST);
        assertThat(club.group.isMissing(id("A"))).isTrue();
        assertThat(club.group.falseAlarms().count()).isZero();
        assertThat(speakUp("A")).containsExactly(new Event.FalseAlarm(id("A")));
        assertThat(club.group.isMissing(id("A"))).isFalse();
        assertThat(club.group.falseAlarms())
                .isEqualTo(new FalseAlarms(1, List.of(new FalseAlarm(id("A"), A, 2, club.now))));
        assertThat(club.group.generation()).as("nothing moves by it").isEqualTo(3);
        assertThat(club.group.settling()).isFalse();
    }

    @Test
    void itIsOneAlarmHoweverOftenItSpeaks() {
        club.arrive(remote(spec("A", "orders")));
        expel("A", LeaveCause.CONNECTION_LOST);
        speakUp("A");
        assertThat(speakUp("A")).isEmpty();
        club.arrive(remote(spec("A", "orders")));
        assertThat(speakUp("A")).as("it is a member").isEmpty();
        expel("A", LeaveCause.CONNECTION_LOST);
        speakUp("A");
        assertThat(club.group.falseAlarms().count()).isEqualTo(2);
        assertThat(club.group.falseAlarms().times(A)).isEqualTo(2);
        assertThat(club.group.falseAlarms().times(new Origin("A", "10.0.0.8"))).isZero();
    }

    @Test
    void whoIsOutForAnotherCauseIsNone() {
        for (LeaveCause cause : List.of(LeaveCause.SESSION_EXPIRED, LeaveCause.REVOKE_TIMED_OUT, LeaveCause.LEFT)) {
            club.arrive(remote(spec("A", "orders")));
            expel("A", cause);
            assertThat(speakUp("A")).as(cause.name()).isEmpty();
        }
        assertThat(speakUp("stranger")).isEmpty();
        assertThat(club.group.falseAlarms()).isEqualTo(FalseAlarms.NONE);
    }

    @Test
    void whoCameBackAndLeftIsMissedNoMore() {
        club.arrive(remote(spec("A", "orders")));
        expel("A", LeaveCause.CONNECTION_LOST);
        club.arrive(remote(spec("A", "orders")));
        club.ask(new Command.Leave(id("A"), LeaveCause.LEFT, false));
        assertThat(speakUp("A")).isEmpty();
    }

    @Test
    void aStaticMemberKeepsItsPlaceAndIsNoAlarm() {
        club.arrive(as(remote(spec("A", "orders")), "east"));
        expel("A", LeaveCause.CONNECTION_LOST);
        assertThat(club.member("A").away()).isPresent();
        assertThat(speakUp("A")).isEmpty();
    }

    @Test
    void manyAreCountedAndTheLastAreRemembered() {
        for (int i = 0; i < FalseAlarms.REMEMBERED_MAX + 5; i++) {
            club.arrive(remote(spec("A" + i, "orders")));
            expel("A" + i, LeaveCause.CONNECTION_LOST);
            speakUp("A" + i);
        }
        FalseAlarms alarms = club.group.falseAlarms();
        assertThat(alarms.count()).isEqualTo(FalseAlarms.REMEMBERED_MAX + 5);
        assertThat(alarms.last()).hasSize(FalseAlarms.REMEMBERED_MAX);
        assertThat(alarms.last().getFirst().member()).isEqualTo(id("A5"));
    }

    @Test
    void aSnapshotHoldsWhoIsMissingAndWhoWasFoundAlive() {
        club.arrive(remote(spec("A", "orders")));
        expel("A", LeaveCause.CONNECTION_LOST);
        speakUp("A");
        club.arrive(remote(spec("B", "orders")));
        expel("B", LeaveCause.CONNECTION_LOST);
        String line = GroupJson.snapshot(club.group, 5, GroupFixture.HOST);
        Group read = GroupJson.replay(Group.empty(), line);
        assertThat(read).isEqualTo(club.group);
        assertThat(read.falseAlarms()).isEqualTo(club.group.falseAlarms());
        assertThat(read.isMissing(id("B"))).isTrue();
    }

    @Test
    void aSnapshotOfBeforeThereWereFalseAlarmsIsReadAsItWas() {
        String line = """
            {"v":1,"snapshot":{"generation":2,"tokens":2,"topics":{},"members":[],"owners":[],"revoking":[],\
            "offsets":[],"history":[],"older":[],"last":[],"free":[],\
            "departed":[{"id":"A","generation":1,"cause":"CONNECTION_LOST"}]},"at":5,"by":"h1"}\
            """;
        Group read = GroupJson.replay(Group.empty(), line);
        assertThat(read.falseAlarms()).isEqualTo(FalseAlarms.NONE);
        assertThat(read.isMissing(id("A"))).as("nobody knows who it was").isFalse();
        assertThat(GroupJson.snapshot(read, 5, GroupFixture.HOST)).isEqualTo(line);
    }

    @Test
    void itIsExplainedWhereItWasTheCauseOfAMove() {
        club.arrive(spec("B", "orders"));
        club.arrive(remote(spec("A", "orders")));
        expel("A", LeaveCause.CONNECTION_LOST);
        String before = Explanation.of(club.group, partition("orders", 3)).text();
        assertThat(before).contains("Cause of generation 3: A lost its connection and did not come back.");
        speakUp("A");
        assertThat(Explanation.of(club.group, partition("orders", 3)).lines())
                .containsSubsequence(
                        "Cause of generation 3: A lost its connection and did not come back.",
                        "That was a false alarm: A was alive and sent a request 1970-01-01T00:00:01.007Z; from then on"
                                + " it gets more time to come back.");
        assertThat(Explanation.of(club.group, partition("orders", 0)).text())
                .as("it did not move by that")
                .doesNotContain("false alarm");
    }
}
