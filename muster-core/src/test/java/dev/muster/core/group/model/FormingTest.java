package dev.muster.core.group.model;

import static dev.muster.core.group.GroupFixture.id;
import static dev.muster.core.group.GroupFixture.partition;
import static dev.muster.core.group.GroupFixture.remote;
import static dev.muster.core.group.GroupFixture.spec;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.group.Group;
import dev.muster.core.group.GroupFixture;
import dev.muster.core.group.MemberAssignment;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ClassicSpec;
import dev.muster.core.group.classic.ConsumerMetadata;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.GroupTimer;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.explain.Explanation;
import dev.muster.core.group.json.GroupJson;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** A group that waits for its members before anybody is given anything. */
class FormingTest {
    private static final Expectation THREE = new Expectation(3, Duration.ofSeconds(10));

    private final GroupFixture club = new GroupFixture().topic("orders", 6);

    private void expect(Expectation expectation) {
        assertThat(club.reply(new Command.Expect(Optional.of(expectation)))).isEqualTo(new Reply.Done());
    }

    private String cause() {
        return club.group.history().getLast().cause();
    }

    private Forming forming() {
        return club.group.forming().orElseThrow();
    }

    @Test
    void nobodyHasAnythingUntilAllAreThere() {
        expect(THREE);
        club.join(spec("A", "orders"));
        club.join(spec("B", "orders"));
        assertThat(club.settle().events()).as("joins alone bring nothing").isEmpty();
        assertThat(club.group.owners()).isEmpty();
        assertThat(club.group.timers())
                .containsExactly(new GroupTimer.Forming(forming().token(), THREE.within()));
        assertThat(club.group.reconciled()).isFalse();

        club.join(spec("C", "orders"));
        assertThat(club.group.forming()).isEmpty();
        assertThat(club.group.timers()).isEmpty();
        for (String member : new String[] {"A", "B", "C"}) {
            assertThat(club.owned(member)).hasSize(2);
        }
        assertThat(cause()).isEqualTo("B and C joined; the group has all 3 members");
    }

    private Reply joinClassic(String name) {
        ClassicSpec spec = new ClassicSpec(
                id(name),
                Optional.empty(),
                name,
                "/127.0.0.1",
                spec(name, "orders").host(),
                Duration.ofSeconds(30),
                Duration.ofSeconds(30),
                ClassicGroup.CONSUMER,
                List.of(new Protocol("range", Opaque.EMPTY)),
                Optional.of(new ConsumerMetadata(new TreeSet<>(club.topics.keySet()), new TreeSet<>())));
        var limits = new ClassicCommand.Limits(100, Duration.ZERO, Duration.ZERO);
        var join = new ClassicCommand.Join(Optional.empty(), spec, false, true, "", limits);
        return club.reply(new Command.Classic(join, club.topics));
    }

    @Test
    void aClassicClientIsOneOfThoseWhoAreWaitedFor() {
        expect(THREE);
        club.join(spec("A", "orders"));
        club.join(spec("B", "orders"));
        joinClassic("C");
        assertThat(club.group.forming()).isEmpty();
        assertThat(club.owned("C")).hasSize(2);
    }

    @Test
    void whereOnlyClassicClientsAreLeftNobodyIsWaitedFor() {
        expect(THREE);
        club.join(spec("A", "orders"));
        joinClassic("C");
        club.reply(new Command.Leave(id("A"), LeaveCause.LEFT, false));
        assertThat(club.group.classic().inUse()).isTrue();
        assertThat(club.group.forming()).isEmpty();
        assertThat(club.group.timers()).noneMatch(GroupTimer.Forming.class::isInstance);
    }

    @Test
    void itBeginsWithThoseThatAreThereWhenTimeIsUp() {
        expect(THREE);
        club.join(spec("A", "orders"));
        club.join(spec("B", "orders"));
        long token = forming().token();
        assertThat(club.ask(new Command.FormingOver(token - 1)).events())
                .as("of another waiting")
                .isEmpty();
        club.ask(new Command.FormingOver(token));
        assertThat(club.owned("A")).hasSize(3);
        assertThat(club.owned("B")).hasSize(3);
        assertThat(cause()).isEqualTo("B joined; the group waited 10 s and has 2 of 3 members");
        assertThat(club.ask(new Command.FormingOver(token)).events()).isEmpty();
    }

    @Test
    void itIsCompletedByHand() {
        expect(THREE);
        assertThat(club.reply(new Command.Complete("alice"))).isInstanceOf(Reply.NotForming.class);
        club.join(spec("A", "orders"));
        assertThat(club.reply(new Command.Complete("alice"))).isEqualTo(new Reply.Done());
        assertThat(club.owned("A")).hasSize(6);
        assertThat(cause()).isEqualTo("the group was completed by alice with 1 of 3 members");
        assertThat(club.reply(new Command.Complete("alice"))).isInstanceOf(Reply.NotForming.class);
    }

    @Test
    void onceItHasFormedMembersComeAndGoAsEver() {
        expect(new Expectation(2, Duration.ofSeconds(10)));
        club.join(spec("A", "orders"));
        club.join(spec("B", "orders"));
        club.ask(new Command.Leave(id("B"), LeaveCause.LEFT, false));
        assertThat(club.group.forming()).isEmpty();
        assertThat(club.owned("A")).hasSize(6);
        club.arrive(spec("C", "orders"));
        assertThat(club.owned("C")).hasSize(3);
    }

    @Test
    void anEmptyGroupWaitsAgainTheNextTime() {
        expect(new Expectation(2, Duration.ofSeconds(10)));
        club.join(spec("A", "orders"));
        club.ask(new Command.Leave(id("A"), LeaveCause.LEFT, false));
        assertThat(club.group.forming()).isEmpty();
        assertThat(club.group.expectation()).isPresent();
        club.join(spec("B", "orders"));
        assertThat(club.group.forming()).isPresent();
        assertThat(club.group.owners()).isEmpty();
    }

    @Test
    void whatIsSaidWhileItWaitsCountsAtOnce() {
        expect(THREE);
        club.join(spec("A", "orders"));
        club.join(spec("B", "orders"));
        long token = forming().token();
        expect(new Expectation(5, Duration.ofSeconds(20)));
        assertThat(forming().expectation().members()).isEqualTo(5);
        assertThat(forming().token()).as("its time begins anew").isNotEqualTo(token);
        expect(new Expectation(2, Duration.ofSeconds(20)));
        assertThat(club.owned("A")).hasSize(3);
    }

    @Test
    void nobodyIsWaitedForAnyMoreWhenThatIsSaid() {
        expect(THREE);
        club.join(spec("A", "orders"));
        club.ask(new Command.Expect(Optional.empty()));
        assertThat(club.owned("A")).hasSize(6);
        assertThat(club.group.expectation()).isEmpty();
    }

    @Test
    void toAGroupAtWorkItMeansTheNextTime() {
        club.arrive(spec("A", "orders"));
        expect(THREE);
        assertThat(club.group.forming()).isEmpty();
        assertThat(club.owned("A")).hasSize(6);
        club.arrive(spec("B", "orders"));
        assertThat(club.owned("B")).hasSize(3);
    }

    @Test
    void theFirstMemberSaysItForThisTimeUnlessSomebodySaidSoByHand() {
        club.reply(new Command.Join(spec("A", "orders"), club.topics, Optional.of(THREE)));
        club.reply(new Command.Join(
                spec("B", "orders"), club.topics, Optional.of(new Expectation(9, Duration.ofSeconds(1)))));
        assertThat(forming().expectation()).isEqualTo(THREE);
        assertThat(club.group.expectation()).isEmpty();
        club.ask(new Command.Leave(id("A"), LeaveCause.LEFT, false));
        club.ask(new Command.Leave(id("B"), LeaveCause.LEFT, false));
        expect(new Expectation(2, Duration.ofSeconds(10)));
        club.reply(new Command.Join(spec("C", "orders"), club.topics, Optional.of(THREE)));
        assertThat(forming().expectation().members()).isEqualTo(2);
    }

    @Test
    void aRemoteMemberHasAGenerationToSpeakOfWhileItWaits() {
        expect(THREE);
        club.join(remote(spec("A", "orders")));
        assertThat(club.group.assignment(id("A"))).contains(new MemberAssignment(1, PartitionSets.NONE));
    }

    @Test
    void topicsThatChangeMeanwhileBringNothingYet() {
        expect(THREE);
        club.join(spec("A", "orders"));
        club.topic("orders", 9);
        club.ask(new Command.TopicsSeen(club.topics));
        assertThat(club.group.owners()).isEmpty();
        club.ask(new Command.Complete("alice"));
        assertThat(club.owned("A")).hasSize(9);
    }

    @Test
    void aSnapshotForgetsNothing() {
        expect(THREE);
        club.join(spec("A", "orders"));
        club.join(spec("B", "orders"));
        Group read = GroupJson.replay(Group.empty(), GroupJson.snapshot(club.group, 5, GroupFixture.HOST));
        assertThat(read).isEqualTo(club.group);
        assertThat(read.timers()).isEqualTo(club.group.timers());
    }

    @Test
    void peopleAreToldWhatIsWaitedFor() {
        expect(THREE);
        club.join(spec("A", "orders"));
        club.join(spec("B", "orders"));
        assertThat(Explanation.of(club.group, partition("orders", 0)).text())
                .contains("The group is forming: 2 of 3 members have joined; it begins when all have, when it is"
                        + " completed by hand, or at "
                        + forming().completesAt() + ".");
    }
}
