package dev.muster.core.group.classic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.group.Group;
import dev.muster.core.group.explain.Explanation;
import dev.muster.core.group.json.GroupJson;
import org.junit.jupiter.api.Test;

/** Classic clients in a modern group, and groups that change from one set of rules to the other. */
class MixedGroupTest {
    private static void plays(String script) {
        assertThat(ClassicScript.transcript(script)).isEqualTo(script);
    }

    private static final String MODERN = """
        modern join M
        modern settle
        """;

    private static final String TWO_CLASSIC = """
        join A v=3
        join B v=3
        expire settle
        sync A 1 A=a01 B=b23
        sync B 1
        """;

    /** Runs a beginning without checks, then a script with checks. */
    private static void plays(String beginning, String script) {
        ClassicScript stage = new ClassicScript();
        int from = stage.run(beginning).length();
        assertThat(stage.run(script).substring(from)).isEqualTo(script);
    }

    // In a modern group

    @Test
    void aClassicClientInAModernGroupGetsAnAssignment() {
        plays("""
            modern join M
              + topics
              + M is a member
              = M is in
            modern settle
              + targets of 1 M=0123: M joined
              + M got 0123
              = done
            join A v=3
              + A is a member
              = waits
            modern settle
              + targets of 2 A=23 M=01: A joined
              = done
              > A admitted A at 2 range
            # No partition is assigned before its owner released it.
            sync A 2
              = waits
              > A given range -
            modern release M 23
              + M let go of 23
              + A got 23
              = done
            join A A
              = waits
              > A admitted A at 2 range
            sync A 2
              = waits
              > A given range 23
            leave A
              + A left LEFT
              + targets of 3 M=0123: A left
              + M got 23
              = done
            """);
    }

    @Test
    void anEagerMemberReleasesPartitionsByJoiningAgain() {
        plays(MODERN + """
            join A v=3
            modern settle
            modern release M 23
            join A A
            """, """
            modern join N
              + N is a member
              = N is in
            modern settle
              + targets of 3 A=2 M=01 N=3: N joined
              = done
            join A A
              + A let go of 3
              + N got 3
              = waits
              > A admitted A at 3 range
            sync A 3
              = waits
              > A given range 2
            """);
    }

    @Test
    void aCooperativeMemberLearnsItsReleasesInItsOldGeneration() {
        plays(MODERN + """
            join A v=3
            modern settle
            modern release M 23
            join A A
            modern join N
            modern settle
            """, """
            join A A own=23
              = waits
              > A admitted A at 2 range
            sync A 2
              = waits
              > A given range 2
            join A A own=2
              + A let go of 3
              + N got 3
              = waits
              > A admitted A at 3 range
            """);
    }

    @Test
    void partitionsGrantedLaterAreNotAssignedInTheOldGeneration() {
        plays(MODERN + """
            join A v=3
            modern settle
            modern release M 23
            join A A
            modern leave M
            """, """
            state
              = PreparingRebalance at 2 members [A] leader A
            """);
        plays("""
            modern join M
            modern join N
            modern settle
            join A v=3
            modern settle
            modern release M 2
            modern leave N
            """, """
            # Its answer had generation 2, and it got more partitions in 3.
            sync A 2
              = waits
              > A given range 2
            join A A own=2
              = waits
              > A admitted A at 3 range
            sync A 3
              = waits
              > A given range 12
            # This generation was in no answer.
            sync A 4
              = illegal generation
            heartbeat A 4
              = illegal generation
            """);
    }

    @Test
    void aClassicMemberCommitsOnlyWhatItOwns() {
        plays("""
            join A v=3
            expire settle
            sync A 1 A=a0123
            modern join M
            modern settle
            """, """
            # All commits here are of partition 0.
            commit A 1
              + A committed 0
              = done
            commit A 3
              = illegal generation
            commit -
              = unknown member
            commit M 1
              = unknown member
            """);
        plays(MODERN + """
            join A v=3
            modern settle
            """, """
            # It is a member, so it is not fenced: it joins again.
            commit A 2
              = rebalance in progress
            """);
    }

    @Test
    void aClientThatNeedsAnIdGetsItFirst() {
        plays(MODERN, """
            join A
              + id A
              = member id required: A
            join A A
              + id dropped A
              + A is a member
              = waits
            join X X
              = unknown member
            join B
              + id B
              = member id required: B
            leave B
              + id dropped B
              = done
            """);
    }

    @Test
    void unreadableOrIncompatibleMembersAreRefused() {
        plays(MODERN + "join A v=3 p=range,sticky\nmodern settle\n", """
            join B v=3 type=connect
              = inconsistent protocol
            join B v=3 unread=x
              = inconsistent protocol
            join B v=3 p=mine
              = inconsistent protocol
            join B v=3 p=sticky max=2
              = group full
            join B v=3 p=sticky
              + B is a member
              = waits
            # It needs no protocol in common with its own former description.
            join B B p=range
              + B is back on h1
              = waits
            """);
    }

    @Test
    void aReturningStaticMemberTakesItsFormerPlace() {
        plays(MODERN + """
            join A i=east
            modern settle
            modern release M 23
            """, """
            join A2 i=east
              + A is back as A2 on h1
              = waits
              > A2 admitted A2 at 2 range
            sync A2 2 i=east
              = waits
              > A2 given range 23
            heartbeat A 2 i=east
              = fenced instance
            heartbeat A 2
              = unknown member
            leave /east
              + A2 left REMOVED
              + targets of 3 M=0123: A2 was removed by hand
              + M got 23
              = done
            leave /east
              = unknown member
            """);
    }

    @Test
    void aLiveModernInstanceIsNotReplaced() {
        plays("modern join M i=east\nmodern join N\nmodern settle\n", """
            join A i=east
              = fenced instance
            modern away M
              + M away
              = done
            join A i=east
              + M is back as A on h1
              = waits
              > A admitted A at 1 range
            """);
    }

    @Test
    void aClassicMemberOutlivesItsServerAndIsTakenOver() {
        plays(MODERN + "join A v=3\nmodern settle\nmodern release M 23\n", """
            modern died h1
              + A away
              = done
            heartbeat A 2 host=h2
              + A is back on h2
              = done
            modern died h2
              + A away
              = done
            sync A 2 host=h3
              + A is back on h3
              = waits
              > A given range 23
            """);
    }

    // From classic to modern

    @Test
    void membersKeepTheirPartitionsWhenTheGroupBecomesModern() {
        plays(TWO_CLASSIC, """
            modern join M
              + became modern with A=01 B=23 because M joined
              + M is a member
              = M is in
            modern settle
              + targets of 2 A=0 B=23 M=1: the group became modern; M joined
              = done
            # A member's generation stays valid until it receives another one.
            heartbeat B 1
              = done
            commit A 1
              + A committed 0
              = done
            join A A
              + A let go of 1
              + M got 1
              = waits
              > A admitted A at 2 range
            sync A 2
              = waits
              > A given range 0
            """);
    }

    @Test
    void aMemberAtTheBarrierKeepsTheNamedPartitionsInAModernGroup() {
        plays(TWO_CLASSIC + "join C v=3\njoin A A\n", """
            # A is eager and has released everything, B has not joined yet.
            modern join M
              + became modern with A=- B=23 C=- because M joined
              + M is a member
              = M is in
            modern settle
              + targets of 2 A=0 B=2 C=1 M=3: the group became modern; M joined
              + A got 0
              + C got 1
              = done
              > C admitted C at 2 range
              > A admitted A at 2 range
            """);
    }

    @Test
    void aCooperativeMemberOwnsPartitionsItMayStillHaveInHand() {
        plays("""
            join A v=3 p=coop
            expire settle
            sync A 1 A=a0123
            join B v=3 p=coop
            join A A p=coop own=0123
            sync A 2 A=a01
            sync B 2
            """, """
            # It learns only now that it no longer owns 2 and 3.
            modern join M
              + became modern with A=0123 B=- because M joined
              + M is a member
              = M is in
            modern settle
              + targets of 3 A=01 B=2 M=3: the group became modern; M joined
              = done
            commit A 2
              + A committed 0
              = done
            join A A p=coop own=01
              + A let go of 23
              + B got 2
              + M got 3
              = waits
              > A admitted A at 3 coop
            """);
    }

    @Test
    void aGroupWithUnreadableMetadataStaysClassic() {
        plays(TWO_CLASSIC + "join C v=3 unread=x\n", """
            modern join M
              = classic members
            """);
        plays("join A v=3 type=connect\nexpire settle\nsync A 1 A=a01\n", """
            modern join M
              = classic members
            """);
        plays("join A v=3\nexpire settle\nsync A 1 A=a01 secret=x\n", """
            # The leader's assignment means more than partitions.
            modern join M
              = classic members
            """);
        plays("join A v=3\njoin B v=3\nexpire settle\nsync A 1 A=a01 B=b12\n", """
            # One partition was given to two members.
            modern join M
              = classic members
            """);
    }

    @Test
    void aRefusedLiveInstanceDoesNotChangeTheRules() {
        plays("join A i=east\nexpire settle\nsync A 1 i=east A=a0123\n", """
            modern join M i=east
              = instance in use
            died h1
              + A away
              = done
            modern join M i=east
              + became modern with A=0123 because M joined
              + A is back as M on h9
              = M is back
            """);
    }

    // From modern to classic

    /**
     * Otherwise a client would receive generation 0, or would be named leader of a generation that has another leader.
     */
    @Test
    void aJoinWithoutAGenerationIsRefusedWhenTheGroupBecomesClassic() {
        plays("""
            modern join M
              + topics
              + M is a member
              = M is in
            join A v=3
              + A is a member
              = waits
            modern leave M
              + M left LEFT
              + became classic because M and A joined; M left
              = done
              > A rebalance in progress
            """);
    }

    @Test
    void aGroupWithOnlyClassicMembersBecomesClassic() {
        plays(TWO_CLASSIC + """
            modern join M
            modern settle
            join A A
            """, """
            modern leave M
              + M left LEFT
              + became classic because M left
              = done
            state
              = PreparingRebalance at 2 members [A, B] leader A
            # B never received generation 2. It may commit only its own partitions, and must join again.
            heartbeat B 1
              = rebalance in progress
            commit B 1 p=2
              + B committed
              = done
            commit B 1 p=0
              = rebalance in progress
            heartbeat A 2
              = rebalance in progress
            sync A 2
              = rebalance in progress
            join A A
              + A rejoined changed
              = waits
            join B B
              + B rejoined changed
              + generation 3 range led by A: M left; the group became classic
              = waits
              > A joined A at 3 range leader A [A:a@range, B:b@range]
              > B joined B at 3 range leader A []
            heartbeat B 1
              = illegal generation
            sync A 3 A=a01 B=b23
              + assigned [A, B]
              = assigned range "a01"
            """);
    }

    @Test
    void aResetStandsWhenTheGroupBecomesClassicBeforeTheRelease() {
        plays(TWO_CLASSIC + """
            modern join M
            modern settle
            join A A
            """, """
            modern rewind 2 5
              + rewound in 3: reset by alice: orders-2 to 5, because a bad deploy
              = done
            modern leave M
              + M left LEFT
              + B left RESET_NOT_HEARD
              + became classic because M left; B had partitions that were reset when the group became classic
              = done
            commit B 1 p=2
              = unknown member
            state
              = PreparingRebalance at 3 members [A] leader A
            """);
    }

    @Test
    void aSyncWithAModernProtocolIsSentBackToJoinByClassicRules() {
        plays(MODERN + """
            join A v=3 p=range,coop
            join B v=3 p=coop
            modern settle
            modern leave M
            """, """
            state
              = PreparingRebalance at 2 members [A, B] leader A
            # The modern rules gave it its preferred protocol.
            sync A 2 p=range
              = rebalance in progress
            sync A 2 p=coop
              = rebalance in progress
            """);
    }

    @Test
    void theLastMemberWithAnUnfinishedResetIsExpelled() {
        plays(TWO_CLASSIC + """
            modern join M
            modern settle
            leave A
            """, """
            modern rewind 2 5
              + rewound in 4: reset by alice: orders-2 to 5, because a bad deploy
              = done
            modern leave M
              + M left LEFT
              + B left RESET_NOT_HEARD
              + targets of 5 : M left; B had partitions that were reset when the group became classic
              = done
            """);
    }

    @Test
    void aSyncWithAClassicProtocolIsSentBackToJoinByModernRules() {
        plays("""
            join A v=3 p=range,coop
            join B v=3 p=coop
            expire settle
            modern join M
            """, """
            sync A 1 p=coop
              = rebalance in progress
            # No answer named this protocol.
            sync A 1 p=other
              = inconsistent protocol
            """);
    }

    @Test
    void theDeathOfTheLastModernMemberMakesTheGroupClassic() {
        plays(MODERN + "join A v=3\nmodern settle\n", """
            modern died h9
              + M left PROCESS_DIED
              + became classic because M died with its process
              = done
            """);
    }

    // Explanations and snapshots

    @Test
    void explanationsOfAMixedGroupAreInPlainWords() {
        ClassicScript script = new ClassicScript();
        script.run(TWO_CLASSIC + "modern join M\nmodern settle\njoin A A\n");
        assertThat(Explanation.of(script.fixture.group, ClassicGroupFixture.orders(1))
                        .text())
                .contains(
                        "M owns orders-1 since generation 2",
                        "Cause of generation 2: the group became modern; M joined");
        assertThat(Explanation.of(script.fixture.group, ClassicGroupFixture.orders(2))
                        .text())
                .contains("B owns orders-2 since generation 1", "Generation 2 did not move it");
        script.run("modern leave M\n");
        assertThat(Explanation.of(script.fixture.group, ClassicGroupFixture.orders(1))
                        .text())
                .contains("because M left; the group became classic");
    }

    @Test
    void aSnapshotKeepsClassicMembersUnderBothRules() {
        ClassicScript script = new ClassicScript();
        for (String part : new String[] {TWO_CLASSIC, "modern join M\nmodern settle\n", "modern leave M\n"}) {
            script.run(part);
            String snapshot = GroupJson.snapshot(script.fixture.group, 5, ClassicGroupFixture.HOST);
            assertThat(GroupJson.replay(Group.empty(), snapshot)).isEqualTo(script.fixture.group);
        }
    }
}
