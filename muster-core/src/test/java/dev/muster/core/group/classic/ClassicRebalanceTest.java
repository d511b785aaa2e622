package dev.muster.core.group.classic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Joins, syncs and rebalances under the classic rules, as scripts. Every state was written as JSON and read back. */
class ClassicRebalanceTest {
    private static void play(String script) {
        assertEquals(script, ClassicScript.transcript(script));
    }

    @Test
    void aGroupFormsByJoinAndSync() {
        play("""
            # A member without an id gets one and must join again with it.
            join A
              + id A
              = member id required: A
            join A A
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            join B
              + id B
              = member id required: B
            join B B
              + B joined
              = waits
            state
              = PreparingRebalance at 0 members [A, B] leader A
            # No other member joins: all joins are answered together, and the leader's answer lists all members.
            expire settle
              + generation 1 range led by A: A and B joined
              = done
              > A joined A at 1 range leader A [A:a@range, B:b@range]
              > B joined B at 1 range leader A []
            state
              = CompletingRebalance at 1 members [A, B] leader A
            # A follower waits for the leader.
            sync B 1
              + B synced
              = waits
            heartbeat B 1
              = done
            sync A 1 A=a01 B=b23
              + assigned [A, B]
              = assigned range "a01"
              > B assigned range "b23"
            state
              = Stable at 1 members [A, B] leader A
            heartbeat B 1
              = done
            """);
    }

    @Test
    void aGivenIdExtendsTheSettleWindowLikeAJoin() {
        play("""
            join A v=3
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            join B
              + id B
              = member id required: B
            expire settle
              + generation 1 range led by A: A joined
              = done
              > A joined A at 1 range leader A [A:a@range]
            join B B
              + B joined
              + rebalance within PT5M
              = waits
            """);
    }

    @Test
    void withoutASettleWindowTheFirstMemberStartsAtOnce() {
        play("""
            join A v=3 settle=0
              + A joined
              + rebalance within PT0S settling at most PT0S
              + generation 1 range led by A: A joined
              = waits
              > A joined A at 1 range leader A [A:a@range]
            sync A 1 A=a0123
              + assigned [A]
              = assigned range "a0123"
            join B v=3 settle=0
              + B joined
              + rebalance within PT5M
              = waits
            state
              = PreparingRebalance at 1 members [A, B] leader A
            """);
    }

    @Test
    void aNewMemberStartsARebalanceAndIsAnsweredWithAll() {
        play("""
            join A v=3 settle=0
              + A joined
              + rebalance within PT0S settling at most PT0S
              + generation 1 range led by A: A joined
              = waits
              > A joined A at 1 range leader A [A:a@range]
            sync A 1 A=a0123
              + assigned [A]
              = assigned range "a0123"
            join B v=3
              + B joined
              + rebalance within PT5M
              = waits
            # Heartbeats announce the rebalance; members may still commit, and then join again.
            heartbeat A 1
              = rebalance in progress
            commit A 1
              + A committed
              = done
            sync A 1
              = rebalance in progress
            join A A
              + A rejoined
              + generation 2 range led by A: B joined
              = waits
              > B joined B at 2 range leader A []
              > A joined A at 2 range leader A [A:a@range, B:b@range]
            # In the new generation nothing is assigned yet.
            commit A 2
              = rebalance in progress
            commit A 1
              = illegal generation
            heartbeat A 2
              = done
            sync A 2 A=a01 B=b23
              + assigned [A, B]
              = assigned range "a01"
            sync B 2
              + B synced
              = assigned range "b23"
            commit B 2
              + B committed
              = done
            """);
    }

    @Test
    void aRebalanceWaitsForGivenIds() {
        play("""
            join A v=3 settle=0
              + A joined
              + rebalance within PT0S settling at most PT0S
              + generation 1 range led by A: A joined
              = waits
              > A joined A at 1 range leader A [A:a@range]
            sync A 1
              + assigned []
              = assigned range ""
            join B
              + id B
              = member id required: B
            join A A
              + A rejoined: asked for a rebalance as the leader
              + rebalance within PT5M
              = waits
            join C v=3
              + C joined
              = waits
            join C C
              + C rejoined
              = waits
            join B B
              + B joined
              + generation 2 range led by A: A asked for a rebalance as the leader; C and B joined
              = waits
              > A joined A at 2 range leader A [A:a@range, C:c@range, B:b@range]
              > C joined C at 2 range leader A []
              > B joined B at 2 range leader A []
            """);
    }

    @Test
    void anUnusedIdIsDroppedAndTheRebalanceCompletes() {
        play("""
            join A v=3 settle=0
              + A joined
              + rebalance within PT0S settling at most PT0S
              + generation 1 range led by A: A joined
              = waits
              > A joined A at 1 range leader A [A:a@range]
            sync A 1
              + assigned []
              = assigned range ""
            join B
              + id B
              = member id required: B
            join A A
              + A rejoined: asked for a rebalance as the leader
              + rebalance within PT5M
              = waits
            join C
              + id C
              = member id required: C
            expire id B
              + id dropped B
              = done
            leave C
              + id dropped C
              + generation 2 range led by A: A asked for a rebalance as the leader
              = done
              > A joined A at 2 range leader A [A:a@range]
            join B B
              = unknown member
            """);
    }

    @Test
    void aMemberThatMissesTheRebalanceIsExpelled() {
        play("""
            join A v=3 settle=0
              + A joined
              + rebalance within PT0S settling at most PT0S
              + generation 1 range led by A: A joined
              = waits
              > A joined A at 1 range leader A [A:a@range]
            sync A 1
              + assigned []
              = assigned range ""
            join B v=3
              + B joined
              + rebalance within PT5M
              = waits
            join A A
              + A rejoined
              + generation 2 range led by A: B joined
              = waits
              > B joined B at 2 range leader A []
              > A joined A at 2 range leader A [A:a@range, B:b@range]
            sync A 2
              + assigned []
              = assigned range ""
            sync B 2
              + B synced
              = assigned range ""
            join C v=3
              + C joined
              + rebalance within PT5M
              = waits
            join B B
              + B rejoined
              = waits
            expire barrier
              + A left REBALANCE_TIMED_OUT
              + generation 3 range led by B: C joined; A did not come back to the rebalance in time
              = done
              > C joined C at 3 range leader B []
              > B joined B at 3 range leader B [B:b@range, C:c@range]
            state
              = CompletingRebalance at 3 members [B, C] leader B
            heartbeat A 2
              = unknown member
            heartbeat B 3
              = done
            """);
    }

    @Test
    void aMemberThatDoesNotSyncIsExpelled() {
        play("""
            join A v=3
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            join B v=3
              + B joined
              = waits
            join C v=3
              + C joined
              = waits
            expire settle
              + generation 1 range led by A: A, B and C joined
              = done
              > A joined A at 1 range leader A [A:a@range, B:b@range, C:c@range]
              > B joined B at 1 range leader A []
              > C joined C at 1 range leader A []
            sync C 1
              + C synced
              = waits
            sync A 1 A=a B=b C=c
              + assigned [A, B, C]
              = assigned range "a"
              > C assigned range "c"
            expire sync
              + B left SYNC_TIMED_OUT
              + rebalance within PT5M
              = done
            heartbeat C 1
              = rebalance in progress
            join A A
              + A rejoined
              = waits
            join C C
              + C rejoined
              + generation 2 range led by A: B did not ask for its assignment in time
              = waits
              > A joined A at 2 range leader A [A:a@range, C:c@range]
              > C joined C at 2 range leader A []
            """);
    }

    @Test
    void aLeaderThatDoesNotAssignIsExpelledAndFollowersRejoin() {
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
            sync B 1
              + B synced
              = waits
            expire sync
              + A left SYNC_TIMED_OUT
              + rebalance within PT5M
              = done
              > B rebalance in progress
            state
              = PreparingRebalance at 1 members [B] leader B
            join B B
              + B rejoined
              + generation 2 range led by B: A did not ask for its assignment in time
              = waits
              > B joined B at 2 range leader B [B:b@range]
            """);
    }

    @Test
    void onlyTheLeadersRepeatedJoinStartsARebalance() {
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
            join B B
              = joined B at 1 range leader A []
            sync B 1
              = assigned range "b"
            join A A why=topics_changed
              + A rejoined: asked for a rebalance as the leader (topics changed)
              + rebalance within PT5M
              = waits
            join B B
              + B rejoined
              + generation 2 range led by A: A asked for a rebalance as the leader (topics changed)
              = waits
              > A joined A at 2 range leader A [A:a@range, B:b@range]
              > B joined B at 2 range leader A []
            """);
    }

    @Test
    void changedMetadataStartsARebalance() {
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
            # The answer was lost: the same metadata gets the same answer, also for the leader.
            join A A
              = joined A at 1 range leader A [A:a@range, B:b@range]
            join B B
              = joined B at 1 range leader A []
            # Members that wait for the assignment must join again.
            sync A 1 A=a
              + assigned [A]
              = assigned range "a"
            sync B 1
              + B synced
              = assigned range ""
            join B B m=more why=subscription_changed
              + B rejoined changed: changed its metadata (subscription changed)
              + rebalance within PT5M
              = waits
            join A A
              + A rejoined
              + generation 2 range led by A: B changed its metadata (subscription changed)
              = waits
              > B joined B at 2 range leader A []
              > A joined A at 2 range leader A [A:a@range, B:more@range]
            sync B 2
              + B synced
              = waits
            join B B m=evenmore
              + B rejoined changed: changed its metadata
              + rebalance within PT5M
              = waits
              > B rebalance in progress
            """);
    }

    @Test
    void theCommonProtocolWithMostVotesIsChosen() {
        play("""
            join A p=range,sticky,rr v=3
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            join B p=sticky,range v=3
              + B joined
              = waits
            join C p=sticky,rr,range v=3
              + C joined
              = waits
            join D p=other v=3
              = inconsistent protocol
            join E type=connect v=3
              = inconsistent protocol
            expire settle
              + generation 1 sticky led by A: A, B and C joined
              = done
              > A joined A at 1 sticky leader A [A:a@sticky, B:b@sticky, C:c@sticky]
              > B joined B at 1 sticky leader A []
              > C joined C at 1 sticky leader A []
            sync A 1 p=sticky type=consumer
              + assigned []
              = assigned sticky ""
            sync A 1 p=range
              = inconsistent protocol
            sync A 1 type=connect
              = inconsistent protocol
            join F p=rr v=3
              = inconsistent protocol
            """);
    }

    @Test
    void groupsOfAnyProtocolTypeWork() {
        play("""
            join W type=connect p=sessioned,compatible v=3
              + W joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            expire settle
              + generation 1 sessioned led by W: W joined
              = done
              > W joined W at 1 sessioned leader W [W:w@sessioned]
            sync W 1 W=work
              + assigned [W]
              = assigned sessioned "work"
            leave W
              + W left LEFT
              + rebalance within PT0S
              + generation 2 - led by -: W left
              = done
            join A v=3
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            expire settle
              + generation 3 range led by A: A joined
              = done
              > A joined A at 3 range leader A [A:a@range]
            """);
    }

    @Test
    void aGroupIsEmptyAfterItsLastMemberLeft() {
        play("""
            join A v=3
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            join B v=3
              + B joined
              = waits
            join C v=3
              + C joined
              = waits
            expire settle
              + generation 1 range led by A: A, B and C joined
              = done
              > A joined A at 1 range leader A [A:a@range, B:b@range, C:c@range]
              > B joined B at 1 range leader A []
              > C joined C at 1 range leader A []
            sync A 1 A=a B=b C=c
              + assigned [A, B, C]
              = assigned range "a"
            sync B 1
              + B synced
              = assigned range "b"
            sync C 1
              + C synced
              = assigned range "c"
            leave A X B why=bye
              + A left LEFT
              + B left LEFT
              + rebalance within PT5M
              = done, unknown member, done
            state
              = PreparingRebalance at 1 members [C] leader C
            join C C
              + C rejoined
              + generation 2 range led by C: A and B left (bye)
              = waits
              > C joined C at 2 range leader C [C:c@range]
            sync C 2
              + assigned []
              = assigned range ""
            leave C
              + C left LEFT
              + rebalance within PT0S
              + generation 3 - led by -: C left
              = done
            state
              = Empty at 3 members [] leader -
            heartbeat C 2
              = unknown member
            sync C 2
              = unknown member
            join C C
              = unknown member
            leave C
              = unknown member
            """);
    }

    @Test
    void aSilentMemberIsExpelledInEveryState() {
        play("""
            join A v=3
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            join B v=3
              + B joined
              = waits
            join C v=3
              + C joined
              = waits
            # While the group settles.
            silent C
              + C left SESSION_EXPIRED
              = done
              > C unknown member
            expire settle
              + generation 1 range led by A: A, B and C joined; C gave no sign of life for a whole session
              = done
              > A joined A at 1 range leader A [A:a@range, B:b@range]
              > B joined B at 1 range leader A []
            # While the leader assigns.
            sync B 1
              + B synced
              = waits
            silent A
              + A left SESSION_EXPIRED
              + rebalance within PT5M
              = done
              > B rebalance in progress
            state
              = PreparingRebalance at 1 members [B] leader B
            join B B
              + B rejoined
              + generation 2 range led by B: A gave no sign of life for a whole session
              = waits
              > B joined B at 2 range leader B [B:b@range]
            # When the group is stable.
            sync B 2 B=b
              + assigned [B]
              = assigned range "b"
            silent B host=h2
              = done
            silent B
              + B left SESSION_EXPIRED
              + rebalance within PT0S
              + generation 3 - led by -: B gave no sign of life for a whole session
              = done
            state
              = Empty at 3 members [] leader -
            """);
    }

    @Test
    void membersBeyondTheLimitAreRefused() {
        play("""
            join A v=3 max=2
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            join B v=3 max=2
              + B joined
              = waits
            join C v=3 max=2
              = group full
            join C max=2
              = group full
            expire settle
              + generation 1 range led by A: A and B joined
              = done
              > A joined A at 1 range leader A [A:a@range, B:b@range]
              > B joined B at 1 range leader A []
            sync A 1
              + assigned []
              = assigned range ""
            sync B 1
              + B synced
              = assigned range ""
            join C v=3 max=2
              = group full
            join A A max=2
              + A rejoined: asked for a rebalance as the leader
              + rebalance within PT5M
              = waits
            # The limit was lowered: the last member to come back is expelled.
            join B B max=1
              + B left GROUP_FULL
              + generation 2 range led by A: A asked for a rebalance as the leader; B was one too many
              = group full
              > A joined A at 2 range leader A [A:a@range]
            """);
    }

    @Test
    void commitsNeedTheGenerationUnlessTheGroupIsEmpty() {
        play("""
            commit -
              + nobody committed
              = done
            commit X -1
              + nobody committed
              = done
            commit X 0
              = unknown member
            join A v=3
              + A joined
              + rebalance within PT0.05S settling at most PT3S
              = waits
            commit -
              = unknown member
            commit A -1
              = illegal generation
            commit A 0
              + A committed
              = done
            expire settle
              + generation 1 range led by A: A joined
              = done
              > A joined A at 1 range leader A [A:a@range]
            commit A 1
              = rebalance in progress
            sync A 1
              + assigned []
              = assigned range ""
            commit A 1
              + A committed
              = done
            commit A 2
              = illegal generation
            commit B 1
              = unknown member
            commit -
              = unknown member
            leave A
              + A left LEFT
              + rebalance within PT0S
              + generation 2 - led by -: A left
              = done
            commit -
              + nobody committed
              = done
            commit A 1
              = unknown member
            """);
    }
}
