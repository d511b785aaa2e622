package dev.muster.core.group.explain;

import static dev.muster.core.group.GroupFixture.as;
import static dev.muster.core.group.GroupFixture.id;
import static dev.muster.core.group.GroupFixture.partition;
import static dev.muster.core.group.GroupFixture.partitions;
import static dev.muster.core.group.GroupFixture.spec;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.assign.Assignors;
import dev.muster.core.group.GroupFixture;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.model.Generation;
import dev.muster.core.group.model.LeaveCause;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ExplanationTest {
    private final GroupFixture fixture = new GroupFixture().topic("orders", 4);

    private void explained(int number, String text) {
        assertThat(Explanation.of(fixture.group, partition("orders", number)).text())
                .isEqualTo(text.strip());
    }

    @Test
    void aPartitionThatNeverMovedIsExplained() {
        fixture.arrive(spec("A", "orders"));
        fixture.arrive(spec("B", "orders"));
        explained(0, """
            A owns orders-0 since generation 1, 1970-01-01T00:00:01.002Z.
            Generation 1, 1970-01-01T00:00:01.002Z, assigned it to A; no member had it before.
            Cause of generation 1: A joined.
            Reason of the assignor: sticky: 4 partitions over 1 member, each gets 4; 0 moved, 0 stayed, 4 had no owner, the least possible.
            Generation 2 did not move it.
            """);
    }

    @Test
    void aMovedPartitionIsExplainedWithItsGap() {
        fixture.arrive(spec("A", "orders"));
        fixture.join(spec("B", "orders"));
        fixture.settle();
        fixture.now += 40;
        fixture.releaseAll();
        explained(3, """
            B owns orders-3 since generation 2, 1970-01-01T00:00:01.045Z.
            Generation 2, 1970-01-01T00:00:01.004Z, assigned it to B; before, it was assigned to A.
            Cause of generation 2: B joined.
            Reason of the assignor: sticky: 4 partitions over 2 members, each gets 2; 2 moved, 2 stayed, the least possible.
            It was without an owner for 0 ms.
            """);
    }

    @Test
    void anAwaitedReleaseIsExplained() {
        fixture.arrive(spec("A", "orders"));
        fixture.join(spec("B", "orders"));
        fixture.settle();
        explained(3, """
            A owns orders-3 since generation 1, 1970-01-01T00:00:01.002Z.
            The member got it in generation 1: A joined.
            The member must release the partition since generation 2, within 30 s; B gets it then.
            Generation 2, 1970-01-01T00:00:01.004Z, assigned it to B; before, it was assigned to A.
            Cause of generation 2: B joined.
            Reason of the assignor: sticky: 4 partitions over 2 members, each gets 2; 2 moved, 2 stayed, the least possible.
            It still waits for its owner to release it.
            """);
    }

    @Test
    void aPartitionGivenBackIsExplained() {
        fixture.arrive(spec("A", "orders"));
        fixture.join(spec("B", "orders"));
        fixture.settle();
        fixture.ask(new Command.Leave(id("B"), LeaveCause.REMOVED, false));
        assertThat(Explanation.of(fixture.group, partition("orders", 3)).lines())
                .contains(
                        "A owns orders-3 since generation 1, 1970-01-01T00:00:01.002Z.",
                        "Cause of generation 3: B was removed by hand.",
                        "It was granted in the same entry in which it was released.");
    }

    @Test
    void anAwayOwnerIsExplained() {
        fixture.arrive(as(spec("S1", "orders"), "east"));
        fixture.ask(new Command.HostDied(GroupFixture.HOST));
        assertThat(Explanation.of(fixture.group, partition("orders", 0)).lines())
                .contains("The member is away.", "It keeps its place for 30 s, counted from the moment it went away.");
        fixture.join(as(spec("S2", "orders"), "east"));
        assertThat(Explanation.of(fixture.group, partition("orders", 0)).lines())
                .contains(
                        "S2 owns orders-0 since generation 1, 1970-01-01T00:00:01.002Z.",
                        "S1 has come back as S2 and kept its place.");
    }

    @Test
    void aPartitionWithoutAnOwnerIsExplained() {
        explained(0, """
            No member owns orders-0.
            The group has no members.
            """);
        fixture.join(spec("A", "orders"));
        explained(0, """
            No member owns orders-0.
            A new generation is about to be made, because A joined.
            """);
        fixture.settle();
        explained(9, """
            No member owns orders-9.
            Topic orders has 4 partitions, numbered from 0.
            """);
        assertThat(Explanation.of(fixture.group, partition("other", 0)).text()).isEqualTo("""
            No member owns other-0.
            The group knows of no topic other: no member subscribes to it, or it does not exist.\
            """);
        fixture.topic("other", 1).arrive(spec("B", "other"));
        fixture.ask(new Command.Leave(id("A"), LeaveCause.LEFT, false));
        explained(0, """
            No member owns orders-0 since 1970-01-01T00:00:01.005Z.
            No member subscribes to topic orders.
            Generation 3, 1970-01-01T00:00:01.005Z, assigned it to no member; before, it was assigned to A.
            Cause of generation 3: A left.
            Reason of the assignor: sticky: 1 partition over 1 member, each gets 1; 0 moved, 1 stayed, the least possible.
            """);
        fixture.ask(new Command.Leave(id("B"), LeaveCause.LEFT, false));
        // This generation asked no assignor.
        assertThat(Explanation.of(fixture.group, partition("other", 0)).text())
                .contains("\nReason: the group has no members.")
                .doesNotContain("Reason of the assignor");
        fixture.ask(new Command.Delete());
        assertThat(Explanation.of(fixture.group, partition("orders", 0)).lines())
                .contains("The group was deleted.");
    }

    @Test
    void theGapBeforeALateGenerationIsExplained() {
        fixture.arrive(spec("A", "orders"));
        fixture.assignors = Map.of();
        fixture.arrive(spec("B", "orders"));
        fixture.assignors = Assignors.BUILT_IN;
        fixture.arrive(spec("B", "orders"));
        fixture.releaseAll();
        fixture.assignors = Map.of();
        fixture.ask(new Command.Leave(id("B"), LeaveCause.LEFT, false));
        long freed = fixture.now;
        assertThat(fixture.group.owners()).hasSize(2);
        fixture.now += 100;
        fixture.assignors = Assignors.BUILT_IN;
        fixture.settle();
        Generation.Move move =
                fixture.group.lastMove(partition("orders", 3)).orElseThrow().move();
        assertThat(move.freedAt()).isEqualTo(freed);
        assertThat(move.takenAt()).isEqualTo(fixture.now);
        assertThat(Explanation.of(fixture.group, partition("orders", 3)).lines())
                .contains("It was without an owner for " + (fixture.now - freed) + " ms.");
        assertThat(fixture.owned("A")).isEqualTo(partitions("orders", 0, 1, 2, 3));
    }
}
