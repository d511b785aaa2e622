package dev.muster.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.it.MemberProcess.Said;
import dev.muster.it.TortureReferee.Freeze;
import dev.muster.it.TortureReferee.Life;
import dev.muster.it.TortureReferee.Verdict;
import dev.muster.it.TortureReferee.Wire;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The referee detects violations. Times are in seconds; the session is 20, the heartbeat interval 2. */
class TortureRefereeTest {
    private static final long SECOND = 1_000_000_000;

    private final TortureReferee referee = new TortureReferee(20 * SECOND, 2 * SECOND);

    /** Lines such as {@code 3 polled 0=0-4}. */
    private static Life life(String name, String text) {
        return life(name, text, List.of(), OptionalLong.empty());
    }

    private static Life life(String name, String text, List<Freeze> freezes, OptionalLong killed) {
        List<Said> said = text.lines()
                .map(Said::parse)
                .map(one -> new Said(one.at() * SECOND, one.what(), one.more()))
                .toList();
        return new Life(name, said, freezes, killed);
    }

    /** A wire client with a session of 30 and a heartbeat interval of 3. */
    private static Life wire(String name, String text, List<Freeze> freezes) {
        Life life = life(name, text, freezes, OptionalLong.empty());
        return new Life(name, life.said(), freezes, life.killed(), Optional.of(new Wire(30 * SECOND, 3 * SECOND)));
    }

    private static List<Freeze> stopped(long from, long to) {
        return List.of(new Freeze(from * SECOND, to * SECOND));
    }

    private static OptionalLong killed(long at) {
        return OptionalLong.of(at * SECOND);
    }

    private Verdict judge(long end, Life... lives) {
        for (Life life : lives) {
            referee.hear(life);
        }
        SortedMap<Integer, Long> ends = new TreeMap<>();
        ends.put(0, end);
        return referee.judge(ends);
    }

    @Test
    void aPartitionReleasedBeforeItsTakeIsFine() {
        Verdict verdict = judge(
                10,
                life("A", "1 assigned 1 0\n2 polled 0=0-4\n3 committed 0=5\n4 revoked 2 0\n9 left"),
                life("B", "5 assigned 2 0\n6 polled 0=5-9\n7 committed 0=10\n8 revoked 3 0\n9 left"));
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.duplicates()).isZero();
        assertThat(verdict.handedOut()).isEqualTo(10);
    }

    @Test
    void recordsInHandOfAKilledMemberMayBeDeliveredAgain() {
        Verdict verdict = judge(
                10,
                life("A", "1 assigned 1 0\n2 polled 0=0-4", List.of(), killed(3)),
                life("B", "4 assigned 2 0\n5 polled 0=0-9\n8 revoked 3 0"));
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.duplicates()).isEqualTo(5);
    }

    @Test
    void aSuspendedMemberOwnsNothingAfterItsLease() {
        Verdict verdict = judge(
                12,
                life(
                        "A",
                        "1 assigned 1 0\n2 polled 0=0-4\n41 polled 0=5-6\n42 refused\n43 lost 2 0",
                        stopped(3, 40),
                        OptionalLong.empty()),
                life("B", "24 assigned 2 0\n25 polled 0=0-11\n50 revoked 3 0"));
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.overlaps()).isEqualTo(1);
        assertThat(verdict.duplicates()).isEqualTo(7);
    }

    @Test
    void aMemberSuspendedDuringAReleaseMayReportItLate() {
        Verdict verdict = judge(
                12,
                life("A", "1 assigned 1 0\n2 polled 0=0-4\n41 revoked 2 0", stopped(3, 40), OptionalLong.empty()),
                life("B", "24 assigned 2 0\n25 polled 0=0-11\n50 revoked 3 0"));
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.duplicates()).isEqualTo(5);
    }

    @Test
    void aReleaseAfterAResumedMembersReportIsDetected() {
        Verdict verdict = judge(
                12,
                life(
                        "A",
                        "1 assigned 1 0\n2 polled 0=0-4\n41 committed 0=5\n42 revoked 2 0",
                        stopped(3, 40),
                        OptionalLong.empty()),
                life("B", "24 assigned 2 0\n25 polled 0=0-11\n50 revoked 3 0"));
        assertThat(verdict.violations()).anyMatch(text -> text.contains("two owners of 0"));
    }

    @Test
    void aTakeDuringAReleaseWithinTheLeaseIsDetected() {
        Verdict verdict = judge(
                12,
                life("A", "1 assigned 1 0\n2 polled 0=0-4\n41 revoked 2 0", stopped(3, 40), OptionalLong.empty()),
                life("B", "10 assigned 2 0\n11 polled 0=0-11\n50 revoked 3 0"));
        assertThat(verdict.violations()).anyMatch(text -> text.contains("two owners of 0"));
    }

    @Test
    void aLateReleaseAfterAShortSuspensionIsDetected() {
        Verdict verdict = judge(
                12,
                life("A", "1 assigned 1 0\n2 polled 0=0-4\n16 revoked 2 0", stopped(3, 15), OptionalLong.empty()),
                life("B", "10 assigned 2 0\n11 polled 0=0-11\n50 revoked 3 0"));
        assertThat(verdict.violations()).anyMatch(text -> text.contains("two owners of 0"));
    }

    @Test
    void twoSimultaneousOwnersAreDetected() {
        Verdict verdict = judge(
                10,
                life("A", "1 assigned 1 0\n2 polled 0=0-4\n6 revoked 2 0"),
                life("B", "5 assigned 2 0\n7 polled 0=5-9\n8 revoked 3 0"));
        assertThat(verdict.violations()).singleElement().asString().contains("two owners of 0");
    }

    @Test
    void anAssignmentInFlightToASuspendedMemberIsCountedSeparately() {
        Verdict verdict = judge(
                10,
                life("A", "1 joining\n41 assigned 1 0\n42 lost 2 0\n43 left", stopped(3, 40), OptionalLong.empty()),
                life("B", "24 assigned 2 0\n25 polled 0=0-9\n50 revoked 3 0"));
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.overlaps()).isEqualTo(1);
    }

    @Test
    void aSecondOwnerThatWasNotSuspendedIsDetected() {
        Verdict verdict = judge(
                10,
                life("A", "1 joining\n41 assigned 1 0\n42 lost 2 0\n43 left"),
                life("B", "24 assigned 2 0\n25 polled 0=0-9\n50 revoked 3 0"));
        assertThat(verdict.violations()).singleElement().asString().contains("two owners of 0");
    }

    @Test
    void aTakeFromASuspendedMemberWithinItsLeaseIsDetected() {
        Verdict verdict = judge(
                10,
                life("A", "1 assigned 1 0\n2 polled 0=0-4\n41 lost 2 0", stopped(3, 40), OptionalLong.empty()),
                life("B", "10 assigned 2 0\n11 polled 0=0-9\n50 revoked 3 0"));
        assertThat(verdict.violations()).anyMatch(text -> text.contains("two owners of 0"));
    }

    @Test
    void handingOutAfterTheLeaseOfAResumedMemberIsDetected() {
        Verdict verdict = judge(
                14,
                life(
                        "A",
                        "1 assigned 1 0\n2 polled 0=0-4\n41 polled 0=5-6\n42 polled 0=7-8\n43 lost 2 0",
                        stopped(3, 40),
                        OptionalLong.empty()),
                life("B", "24 assigned 2 0\n25 polled 0=0-13\n50 revoked 3 0"));
        assertThat(verdict.violations())
                .singleElement()
                .asString()
                .contains("A was handed")
                .contains("while B");
        assertThat(verdict.overlaps()).isEqualTo(1);
    }

    @Test
    void workOfAnExpelledWireClientIsCountedSeparately() {
        Verdict verdict = judge(
                14,
                wire(
                        "A",
                        "1 assigned - 0\n2 polled 0=0-4\n41 polled 0=5-6\n42 polled 0=7-8\n43 lost - 0",
                        stopped(3, 40)),
                life("B", "34 assigned 2 0\n35 polled 0=0-13\n50 revoked 3 0"));
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.overlaps()).isEqualTo(2);
    }

    @Test
    void aTakeFromAWireClientWithinItsSessionIsDetected() {
        Verdict verdict = judge(
                10,
                wire("A", "1 assigned - 0\n2 polled 0=0-4\n41 lost - 0", stopped(3, 40)),
                life("B", "24 assigned 2 0\n25 polled 0=0-9\n50 revoked 3 0"));
        assertThat(verdict.violations()).anyMatch(text -> text.contains("two owners of 0"));
    }

    @Test
    void twoOwnersWithAWireClientAreDetected() {
        Verdict verdict = judge(
                10,
                wire("A", "1 assigned - 0\n2 polled 0=0-4\n3 committed 0=5\n6 revoked - 0", List.of()),
                life("B", "5 assigned 2 0\n7 polled 0=5-9\n8 revoked 3 0"));
        assertThat(verdict.violations()).singleElement().asString().contains("two owners of 0");
    }

    @Test
    void handingOutReleasedPartitionsByAWireClientIsDetected() {
        Verdict verdict = judge(
                10,
                wire("A", "1 assigned - 0\n2 polled 0=0-4\n3 committed 0=5\n4 revoked - 0\n6 polled 0=5-6", List.of()),
                life("B", "5 assigned 2 0\n7 polled 0=5-9\n8 revoked 3 0"));
        assertThat(verdict.violations()).anyMatch(text -> text.contains("which it did not own"));
    }

    @Test
    void anEndingWireClientMayReleaseTwice() {
        Verdict verdict = judge(
                10,
                wire(
                        "A",
                        "1 assigned - 0,1\n2 polled 0=0-9\n3 committed 0=10\n4 revoked - 0\n5 revoked - 0,1\n6 left",
                        List.of()));
        assertThat(verdict.violations()).isEmpty();
    }

    @Test
    void aSecondReleaseByALivingWireClientIsDetected() {
        Verdict verdict = judge(
                10,
                wire(
                        "A",
                        "1 assigned - 0\n2 polled 0=0-9\n3 committed 0=10\n4 revoked - 0\n5 revoked - 0\n6 ready",
                        List.of()));
        assertThat(verdict.violations()).singleElement().asString().contains("which it had not");
    }

    @Test
    void recordsOfARefusedWireCommitMayBeDeliveredAgain() {
        Verdict verdict = judge(
                10,
                wire("A", "1 assigned - 0\n2 polled 0=0-4\n3 refused 0 the server is dead\n4 revoked - 0", List.of()),
                life("B", "5 assigned 2 0\n6 polled 0=0-9\n8 revoked 3 0"));
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.duplicates()).isEqualTo(5);
    }

    @Test
    void recordsOfARepeatedWireCommitAreNotDeliveredAgain() {
        Verdict verdict = judge(
                10,
                wire(
                        "A",
                        "1 assigned - 0,1\n2 polled 0=0-4\n3 refused 0 not now\n4 committed 0=5\n5 revoked - 0,1",
                        List.of()),
                life("B", "6 assigned 2 0\n7 polled 0=0-9\n8 revoked 3 0"));
        assertThat(verdict.violations()).anyMatch(text -> text.contains("nobody had crashed"));
    }

    @Test
    void aRefusalExcusesOnlyItsOwnPartitions() {
        Verdict verdict = judge(
                10,
                wire(
                        "A",
                        "1 assigned - 0,1\n2 polled 0=0-4\n3 refused 1 the server is dead\n4 revoked - 0,1",
                        List.of()),
                life("B", "5 assigned 2 0\n6 polled 0=0-9\n8 revoked 3 0"));
        assertThat(verdict.violations()).singleElement().asString().contains("nobody had crashed");
    }

    @Test
    void recordsCommittedByAWireClientAreNotDeliveredAgain() {
        Verdict verdict = judge(
                10,
                wire("A", "1 assigned - 0\n2 polled 0=0-4\n3 committed 0=5\n4 revoked - 0", List.of()),
                life("B", "5 assigned 2 0\n6 polled 0=4-9\n8 revoked 3 0"));
        assertThat(verdict.violations()).anyMatch(text -> text.contains("5 was committed before"));
    }

    @Test
    void aSkippedRecordIsDetected() {
        Verdict verdict = judge(
                10,
                life("A", "1 assigned 1 0\n2 polled 0=0-4\n4 revoked 2 0"),
                life("B", "5 assigned 2 0\n6 polled 0=6-9\n8 revoked 3 0"));
        assertThat(verdict.violations()).singleElement().asString().contains("records 5 to 5 of 0 were skipped");
    }

    @Test
    void aRecordThatIsNeverDeliveredIsDetected() {
        Verdict verdict = judge(10, life("A", "1 assigned 1 0\n2 polled 0=0-8\n4 revoked 2 0"));
        assertThat(verdict.violations()).singleElement().asString().contains("records 9 to 9 of 0");
    }

    @Test
    void recordsOutOfOrderAreDetected() {
        Verdict verdict = judge(10, life("A", "1 assigned 1 0\n2 polled 0=0-9\n3 polled 0=4-4\n4 revoked 2 0"));
        assertThat(verdict.violations()).anyMatch(text -> text.contains("and not 10"));
    }

    @Test
    void aRedeliveryWithoutACrashIsDetected() {
        Verdict verdict = judge(
                10,
                life("A", "1 assigned 1 0\n2 polled 0=0-4\n4 revoked 2 0"),
                life("B", "5 assigned 2 0\n6 polled 0=4-9\n8 revoked 3 0"));
        assertThat(verdict.violations()).singleElement().asString().contains("nobody had crashed");
    }

    @Test
    void aReleaseReportedBeforeADisconnectMayBeUncommitted() {
        Verdict killed = judge(
                10,
                life("A", "1 assigned 1 0\n2 polled 0=0-4\n4 revoked 2 0", List.of(), killed(5)),
                life("B", "6 assigned 2 0\n7 polled 0=2-9\n8 revoked 3 0"));
        assertThat(killed.violations()).isEmpty();
        assertThat(killed.duplicates()).isEqualTo(3);
    }

    @Test
    void aReleaseReportedBeforeASuspensionMayBeUncommitted() {
        Verdict verdict = judge(
                10,
                life(
                        "A",
                        "1 assigned 1 0\n2 polled 0=0-4\n4 revoked 2 0\n41 left",
                        stopped(5, 40),
                        OptionalLong.empty()),
                life("B", "26 assigned 2 0\n27 polled 0=2-9\n28 revoked 3 0"));
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.duplicates()).isEqualTo(3);
    }

    @Test
    void aReleaseFollowedByAReportIsCommitted() {
        Verdict verdict = judge(
                10,
                life("A", "1 assigned 1 0\n2 polled 0=0-4\n4 revoked 2 0\n5 left", stopped(6, 40), killed(41)),
                life("B", "26 assigned 2 0\n27 polled 0=2-9\n28 revoked 3 0"));
        assertThat(verdict.violations()).singleElement().asString().contains("nobody had crashed");
    }

    @Test
    void aCrashExcusesOnlyTheRecordsInHand() {
        Verdict verdict = judge(
                20,
                life("A", "1 assigned 1 0\n2 polled 0=0-4", List.of(), killed(3)),
                life("B", "4 assigned 2 0\n5 polled 0=0-9\n6 revoked 3 0"),
                life("C", "7 assigned 3 0\n8 polled 0=8-19\n9 revoked 4 0"));
        assertThat(verdict.violations()).singleElement().asString().contains("C was handed 2 records of 0 again");
    }

    @Test
    void aLostCommitIsDetected() {
        Verdict verdict = judge(
                10,
                life("A", "1 assigned 1 0\n2 polled 0=0-4\n2 committed 0=5", List.of(), killed(3)),
                life("B", "4 assigned 2 0\n5 polled 0=3-9\n8 revoked 3 0"));
        assertThat(verdict.violations()).singleElement().asString().contains("5 was committed before");
    }

    @Test
    void aRecordDeliveredToANonOwnerIsDetected() {
        Verdict verdict = judge(10, life("A", "1 assigned 1 0\n2 polled 0=0-4\n3 revoked 2 0\n4 polled 0=5-9"));
        assertThat(verdict.violations()).anyMatch(text -> text.contains("which it did not own"));
    }

    @Test
    void aValueAtTheWrongOffsetIsDetected() {
        Verdict verdict = judge(10, life("A", "1 assigned 1 0\n2 wrong 0=3 is #4\n3 polled 0=0-9\n4 revoked 2 0"));
        assertThat(verdict.violations()).singleElement().asString().contains("wrong 0=3 is #4");
    }
}
