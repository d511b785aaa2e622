package dev.muster.core.group.classic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Static members, and members whose server dies, under the classic rules, as scripts. */
class ClassicStaticMembersTest {
    private static void play(String script) {
        assertEquals(script, ClassicScript.transcript(script));
    }

    @Test
    void aReturningStaticMemberTakesItsPlaceWithoutARebalance() {
        play("""
            # A static member gets no id first.
            join A i=east
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            join B i=west
              + B joined
              = waits
            expire settle
              + generation 1 range led by A: east and west joined
              = done
              > A joined A at 1 range leader A [A:a@range, B:b@range]
              > B joined B at 1 range leader A []
            sync A 1 i=east A=a01 B=b23
              + assigned [A, B]
              = assigned range "a01"
            sync B 1 i=west
              + B synced
              = assigned range "b23"
            join B2 i=west m=b
              + B2 replaced B
              = joined B2 at 1 range leader A []
            sync B2 1 i=west
              = assigned range "b23"
            # Every command of the replaced membership is fenced.
            heartbeat B 1 i=west
              = fenced instance
            sync B 1 i=west
              = fenced instance
            commit B 1 i=west
              = fenced instance
            join B B i=west
              = fenced instance
            leave B/west
              = fenced instance
            # Without its instance id the replaced membership is only unknown.
            heartbeat B 1
              = unknown member
            """);
    }

    @Test
    void aStaticMemberStaysStaticWithAnOldJoinRequest() {
        play("""
            join A i=east settle=0
              + A joined
              + rebalance within PT0S settling at most PT0S
              + generation 1 range led by A: east joined
              = waits
              > A joined A at 1 range leader A [A:a@range]
            join B v=0
              + B joined
              + rebalance within PT5M
              = waits
            # An old version of the request cannot name the instance.
            join A A
              + A rejoined
              + generation 2 range led by A: B joined
              = waits
              > B joined B at 2 range leader A []
              > A joined A at 2 range leader A [A:a@range, B:b@range]
            join C v=0
              + C joined
              + rebalance within PT5M
              = waits
            join A A
              + A rejoined
              = waits
            # So it is fenced when it is replaced, and does not join again as another member.
            join A2 i=east
              + A2 replaced A and waits
              = waits
              > A fenced instance
            """);
    }

    @Test
    void aReturningStaticLeaderNeedNotAssign() {
        play("""
            join A i=east
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            join B i=west
              + B joined
              = waits
            expire settle
              + generation 1 range led by A: east and west joined
              = done
              > A joined A at 1 range leader A [A:a@range, B:b@range]
              > B joined B at 1 range leader A []
            sync A 1 i=east A=a01 B=b23
              + assigned [A, B]
              = assigned range "a01"
            sync B 1 i=west
              + B synced
              = assigned range "b23"
            join A2 i=east m=a
              + A2 replaced A
              = joined A2 at 1 range leader A2 [A2:a@range, B:b@range] skip
            # An old client that leads would assign, so its answer names its former id as the leader.
            join A3 i=east m=a v=8
              + A3 replaced A2
              = joined A3 at 1 range leader A2 []
            sync A3 1 i=east
              = assigned range "a01"
            # A join of the leader with its id starts a rebalance.
            join A3 A3 i=east m=a
              + A3 rejoined: asked for a rebalance as the leader
              + rebalance within PT5M
              = waits
            """);
    }

    @Test
    void aReturningStaticMemberThatChangesTheProtocolRebalances() {
        play("""
            join A i=east p=range,sticky
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            join B i=west p=range,sticky
              + B joined
              = waits
            join C i=south p=sticky,range
              + C joined
              = waits
            expire settle
              + generation 1 range led by A: east, west and south joined
              = done
              > A joined A at 1 range leader A [A:a@range, B:b@range, C:c@range]
              > B joined B at 1 range leader A []
              > C joined C at 1 range leader A []
            sync A 1 i=east
              + assigned []
              = assigned range ""
            sync B 1 i=west
              + B synced
              = assigned range ""
            sync C 1 i=south
              + C synced
              = assigned range ""
            join B2 i=west p=sticky,range
              + B2 replaced B and waits: came back
              + rebalance within PT5M
              = waits
            """);
    }

    @Test
    void aReplacedStaticMembersWaitingJoinIsFenced() {
        play("""
            join A i=east
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            join A2 i=east
              + A2 replaced A and waits
              = waits
              > A fenced instance
            expire settle
              + generation 1 range led by A2: east joined
              = done
              > A2 joined A2 at 1 range leader A2 [A2:a2@range]
            # The members may not change while the leader assigns.
            sync A2 1 i=wrong
              = unknown member
            join A3 i=east
              + A3 replaced A2 and waits: came back
              + rebalance within PT5M
              + generation 2 range led by A3: east came back
              = waits
              > A3 joined A3 at 2 range leader A3 [A3:a3@range]
            state
              = CompletingRebalance at 2 members [A3] leader A3
            sync A2 1 i=east
              = fenced instance
            """);
    }

    @Test
    void aReplacedStaticMembersParkedSyncIsFenced() {
        play("""
            join A i=east
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            join B i=west
              + B joined
              = waits
            expire settle
              + generation 1 range led by A: east and west joined
              = done
              > A joined A at 1 range leader A [A:a@range, B:b@range]
              > B joined B at 1 range leader A []
            sync B 1 i=west
              + B synced
              = waits
            join B2 i=west m=b
              + B2 replaced B and waits: came back
              + rebalance within PT5M
              = waits
              > B fenced instance
            join A A i=east
              + A rejoined
              + generation 2 range led by A: west came back
              = waits
              > B2 joined B2 at 2 range leader A []
              > A joined A at 2 range leader A [A:a@range, B2:b@range]
            """);
    }

    @Test
    void aStaticMemberThatMissesTheRebalanceKeepsItsPlace() {
        play("""
            join A i=east
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            join B i=west
              + B joined
              = waits
            expire settle
              + generation 1 range led by A: east and west joined
              = done
              > A joined A at 1 range leader A [A:a@range, B:b@range]
              > B joined B at 1 range leader A []
            sync A 1 i=east A=a B=b
              + assigned [A, B]
              = assigned range "a"
            sync B 1 i=west
              + B synced
              = assigned range "b"
            join C v=3
              + C joined
              + rebalance within PT5M
              = waits
            join B B i=west
              + B rejoined
              = waits
            # Another member leads, and assigns to the absent member too.
            expire barrier
              + generation 2 range led by B: C joined
              = done
              > C joined C at 2 range leader B []
              > B joined B at 2 range leader B [A:a@range, B:b@range, C:c@range]
            sync B 2 i=west A=a B=b C=c
              + assigned [A, B, C]
              = assigned range "b"
            sync C 2
              + C synced
              = assigned range "c"
            expire sync
              + A left SYNC_TIMED_OUT
              + rebalance within PT5M
              = done
            state
              = PreparingRebalance at 2 members [B, C] leader B
            """);
    }

    @Test
    void aDisconnectedStaticMemberHasItsSessionToReturn() {
        play("""
            join A i=east
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            join B v=3
              + B joined
              = waits
            expire settle
              + generation 1 range led by A: east and B joined
              = done
              > A joined A at 1 range leader A [A:a@range, B:b@range]
              > B joined B at 1 range leader A []
            sync A 1 i=east A=a B=b
              + assigned [A, B]
              = assigned range "a"
            sync B 1
              + B synced
              = assigned range "b"
            hangup A
              + A away
              = done
            # From now on the deadline of the absence counts.
            silent A
              = done
            join A2 i=east m=a
              + A2 replaced A
              = joined A2 at 1 range leader A2 [A2:a@range, B:b@range] skip
            hangup A2
              + A2 away
              = done
            expire away A2
              + A2 left STAYED_AWAY
              + rebalance within PT5M
              = done
            # A member that is not static leaves the group at once.
            hangup B
              + B left CONNECTION_LOST
              + generation 2 - led by -: east did not come back in time; B lost its connection and did not come back
              = done
            """);
    }

    @Test
    void aZeroRebalanceTimeoutDoesNotRepeatRebalancesAtOnce() {
        play("""
            join A i=east rebalance=0
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            join B i=west rebalance=0
              + B joined
              = waits
            expire settle
              + generation 1 range led by A: east and west joined
              = done
              > A joined A at 1 range leader A [A:a@range, B:b@range]
              > B joined B at 1 range leader A []
            leave B/west
              + B left LEFT
              + rebalance within PT0S
              = done
            expire barrier
              + rebalance extended by PT1S
              = done
            """);
    }

    @Test
    void missingStaticMembersExtendTheRebalanceUntilTheirSessionsEnd() {
        play("""
            join A i=east
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            join B v=3
              + B joined
              = waits
            expire settle
              + generation 1 range led by A: east and B joined
              = done
              > A joined A at 1 range leader A [A:a@range, B:b@range]
              > B joined B at 1 range leader A []
            sync A 1 i=east A=a B=b
              + assigned [A, B]
              = assigned range "a"
            sync B 1
              + B synced
              = assigned range "b"
            leave B
              + B left LEFT
              + rebalance within PT5M
              = done
            expire barrier
              + rebalance extended by PT5M
              = done
            expire barrier
              + rebalance extended by PT5M
              = done
            state
              = PreparingRebalance at 1 members [A] leader A
            silent A
              + A left SESSION_EXPIRED
              + generation 2 - led by -: B left; east gave no sign of life for a whole session
              = done
            state
              = Empty at 2 members [] leader -
            """);
    }

    @Test
    void aStaticMemberIsRemovedByItsInstanceId() {
        play("""
            join A i=east
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            expire settle
              + generation 1 range led by A: east joined
              = done
              > A joined A at 1 range leader A [A:a@range]
            sync A 1 i=east
              + assigned []
              = assigned range ""
            leave /west
              = unknown member
            leave A/west
              = unknown member
            leave B/east
              = fenced instance
            leave /east
              + A left REMOVED
              + rebalance within PT0S
              + generation 2 - led by -: east was removed by hand
              = done
            state
              = Empty at 2 members [] leader -
            """);
    }

    @Test
    void membersOfADeadServerKeepTheirPlaceForOneSession() {
        play("""
            join A v=3
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            join B v=3
              + B joined
              = waits
            expire settle
              + generation 1 range led by A: A and B joined
              = done
              > A joined A at 1 range leader A [A:a@range, B:b@range]
              > B joined B at 1 range leader A []
            sync A 1 A=a B=b
              + assigned [A, B]
              = assigned range "a"
            sync B 1
              + B synced
              = assigned range "b"
            died h1
              + A away
              + B away
              = done
            state
              = Stable at 1 members [A, B] leader A
            # One of the members sends a request to the next server.
            heartbeat A 1 host=h2
              + A adopted by h2
              = done
            heartbeat A 1 host=h2
              = done
            # The old server, if it is alive after all, no longer judges this member.
            silent A
              = done
            expire away B
              + B left STAYED_AWAY
              + rebalance within PT5M
              = done
            state
              = PreparingRebalance at 1 members [A] leader A
            heartbeat B 1 host=h2
              = unknown member
            """);
    }

    @Test
    void theNextServerTakesOverMembersOfADeadServer() {
        play("""
            join A v=3
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            join B v=3 host=h3
              + B joined
              = waits
            expire settle
              + generation 1 range led by A: A and B joined
              = done
              > A joined A at 1 range leader A [A:a@range, B:b@range]
              > B joined B at 1 range leader A []
            sync A 1 A=a B=b
              + assigned [A, B]
              = assigned range "a"
            sync B 1 host=h3
              + B synced
              = assigned range "b"
            adopt h2 h1
              + A adopted by h2
              = done
            adopt h2 h1
              = done
            heartbeat A 1 host=h2
              = done
            heartbeat B 1 host=h3
              = done
            # No member lost its generation or an offset.
            commit A 1 host=h2
              + A committed
              = done
            silent B
              = done
            silent B host=h3
              + B left SESSION_EXPIRED
              + rebalance within PT5M
              = done
            """);
    }

    @Test
    void aRebalanceContinuesAfterTheDeathOfItsServer() {
        play("""
            join A v=3
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            join B v=3
              + B joined
              = waits
            expire settle
              + generation 1 range led by A: A and B joined
              = done
              > A joined A at 1 range leader A [A:a@range, B:b@range]
              > B joined B at 1 range leader A []
            sync A 1 A=a B=b
              + assigned [A, B]
              = assigned range "a"
            sync B 1
              + B synced
              = assigned range "b"
            join A A
              + A rejoined: asked for a rebalance as the leader
              + rebalance within PT5M
              = waits
            died h1
              + A away
              + B away
              = done
            # Both join again at the next server; the rebalance goes on.
            join A A host=h2
              + A rejoined changed
              = waits
            join B B host=h2
              + B rejoined changed
              + generation 2 range led by A: A asked for a rebalance as the leader
              = waits
              > A joined A at 2 range leader A [A:a@range, B:b@range]
              > B joined B at 2 range leader A []
            sync B 2 host=h2
              + B synced
              = waits
            sync A 2 host=h2 A=a B=b
              + assigned [A, B]
              = assigned range "a"
              > B assigned range "b"
            """);
    }
}
