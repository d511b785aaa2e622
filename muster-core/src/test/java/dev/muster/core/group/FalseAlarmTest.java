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

/** A member that was expelled because its connection was lost, and was alive, is counted once and remembered. */
class FalseAlarmTest {
    private static final Origin A = new Origin("A", "10.0.0.7");

    private final GroupFixture fixture = new GroupFixture().topic("orders", 4);

    private void expel(String member, LeaveCause cause) {
        fixture.ask(new Command.SessionExpired(id(member), GroupFixture.HOST, cause));
    }

    private List<Event> report(String member) {
        return fixture.ask(new Command.ReportFalseAlarm(id(member))).events();
    }

    @Test
    void anExpelledMemberThatSendsARequestIsAFalseAlarm() {
        fixture.arrive(spec("B", "orders"));
        fixture.arrive(remote(spec("A", "orders")));
        expel("A", LeaveCause.CONNECTION_LOST);
        assertThat(fixture.group.isMissing(id("A"))).isTrue();
        assertThat(fixture.group.falseAlarms().count()).isZero();
        assertThat(report("A")).containsExactly(new Event.FalseAlarm(id("A")));
        assertThat(fixture.group.isMissing(id("A"))).isFalse();
        assertThat(fixture.group.falseAlarms())
                .isEqualTo(new FalseAlarms(1, List.of(new FalseAlarm(id("A"), A, 2, fixture.now))));
        assertThat(fixture.group.generation()).as("no partition moves").isEqualTo(3);
        assertThat(fixture.group.settling()).isFalse();
    }

    @Test
    void repeatedRequestsCountAsOneFalseAlarm() {
        fixture.arrive(remote(spec("A", "orders")));
        expel("A", LeaveCause.CONNECTION_LOST);
        report("A");
        assertThat(report("A")).isEmpty();
        fixture.arrive(remote(spec("A", "orders")));
        assertThat(report("A")).as("it is a member").isEmpty();
        expel("A", LeaveCause.CONNECTION_LOST);
        report("A");
        assertThat(fixture.group.falseAlarms().count()).isEqualTo(2);
        assertThat(fixture.group.falseAlarms().times(A)).isEqualTo(2);
        assertThat(fixture.group.falseAlarms().times(new Origin("A", "10.0.0.8")))
                .isZero();
    }

    @Test
    void otherCausesOfExpulsionAreNoFalseAlarm() {
        for (LeaveCause cause : List.of(LeaveCause.SESSION_EXPIRED, LeaveCause.REVOKE_TIMED_OUT, LeaveCause.LEFT)) {
            fixture.arrive(remote(spec("A", "orders")));
            expel("A", cause);
            assertThat(report("A")).as(cause.name()).isEmpty();
        }
        assertThat(report("stranger")).isEmpty();
        assertThat(fixture.group.falseAlarms()).isEqualTo(FalseAlarms.NONE);
    }

    @Test
    void aMemberThatReturnedAndLeftIsNotMissing() {
        fixture.arrive(remote(spec("A", "orders")));
        expel("A", LeaveCause.CONNECTION_LOST);
        fixture.arrive(remote(spec("A", "orders")));
        fixture.ask(new Command.Leave(id("A"), LeaveCause.LEFT, false));
        assertThat(report("A")).isEmpty();
    }

    @Test
    void anAwayStaticMemberIsNoFalseAlarm() {
        fixture.arrive(as(remote(spec("A", "orders")), "east"));
        expel("A", LeaveCause.CONNECTION_LOST);
        assertThat(fixture.member("A").away()).isPresent();
        assertThat(report("A")).isEmpty();
    }

    @Test
    void allFalseAlarmsAreCountedAndTheLastRemembered() {
        for (int i = 0; i < FalseAlarms.REMEMBERED_MAX + 5; i++) {
            fixture.arrive(remote(spec("A" + i, "orders")));
            expel("A" + i, LeaveCause.CONNECTION_LOST);
            report("A" + i);
        }
        FalseAlarms alarms = fixture.group.falseAlarms();
        assertThat(alarms.count()).isEqualTo(FalseAlarms.REMEMBERED_MAX + 5);
        assertThat(alarms.last()).hasSize(FalseAlarms.REMEMBERED_MAX);
        assertThat(alarms.last().getFirst().member()).isEqualTo(id("A5"));
    }

    @Test
    void aSnapshotKeepsMissingMembersAndFalseAlarms() {
        fixture.arrive(remote(spec("A", "orders")));
        expel("A", LeaveCause.CONNECTION_LOST);
        report("A");
        fixture.arrive(remote(spec("B", "orders")));
        expel("B", LeaveCause.CONNECTION_LOST);
        String line = GroupJson.snapshot(fixture.group, 5, GroupFixture.HOST);
        Group read = GroupJson.replay(Group.empty(), line);
        assertThat(read).isEqualTo(fixture.group);
        assertThat(read.falseAlarms()).isEqualTo(fixture.group.falseAlarms());
        assertThat(read.isMissing(id("B"))).isTrue();
    }

    @Test
    void anOldSnapshotWithoutFalseAlarmsIsRead() {
        String line = """
            {"v":1,"snapshot":{"generation":2,"tokens":2,"topics":{},"members":[],"owners":[],"revoking":[],\
            "offsets":[],"history":[],"older":[],"last":[],"free":[],\
            "departed":[{"id":"A","generation":1,"cause":"CONNECTION_LOST"}]},"at":5,"by":"h1"}\
            """;
        Group read = GroupJson.replay(Group.empty(), line);
        assertThat(read.falseAlarms()).isEqualTo(FalseAlarms.NONE);
        assertThat(read.isMissing(id("A"))).as("old snapshots have no origin").isFalse();
        assertThat(GroupJson.snapshot(read, 5, GroupFixture.HOST)).isEqualTo(line);
    }

    @Test
    void anExplanationNamesAFalseAlarmThatCausedTheMove() {
        fixture.arrive(spec("B", "orders"));
        fixture.arrive(remote(spec("A", "orders")));
        expel("A", LeaveCause.CONNECTION_LOST);
        String before = Explanation.of(fixture.group, partition("orders", 3)).text();
        assertThat(before).contains("Cause of generation 3: A lost its connection and did not come back.");
        report("A");
        assertThat(Explanation.of(fixture.group, partition("orders", 3)).lines())
                .containsSubsequence(
                        "Cause of generation 3: A lost its connection and did not come back.",
                        "That was a false alarm: A was alive and sent a request 1970-01-01T00:00:01.007Z; from then on"
                                + " it gets more time to come back.");
        assertThat(Explanation.of(fixture.group, partition("orders", 0)).text())
                .as("it did not move because of that")
                .doesNotContain("false alarm");
    }
}
