package dev.muster.core.group;

import static dev.muster.core.group.GroupFixture.id;
import static dev.muster.core.group.GroupFixture.offsets;
import static dev.muster.core.group.GroupFixture.partition;
import static dev.muster.core.group.GroupFixture.partitions;
import static dev.muster.core.group.GroupFixture.spec;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.MusterException;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Decision;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.TopicShape;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Topics that grow, go and come again, and offsets set by hand. */
class TopicsAndOffsetsTest {
    private static final TopicName ORDERS = new TopicName("orders");

    private final GroupFixture club = new GroupFixture().topic("orders", 4);

    private Decision seen() {
        return club.ask(new Command.TopicsSeen(club.topics));
    }

    private void recreate(int partitions) {
        club.topics.put(ORDERS, new TopicShape(new TopicId(new UUID(7, club.now)), partitions));
    }

    @Test
    void addedPartitionsAreGivenAtOnce() {
        club.arrive(spec("A", "orders"));
        club.topic("orders", 6);
        seen();
        assertThat(club.group.generation()).isEqualTo(2);
        assertThat(club.owned("A")).hasSize(6);
        assertThat(club.group.history().getLast().cause()).isEqualTo("orders has 6 partitions now, before 4");
        assertThat(seen().events()).isEmpty();
    }

    @Test
    void partitionsAreNeverTakenBackByAnOldLook() {
        club.arrive(spec("A", "orders"));
        club.topic("orders", 2);
        assertThat(seen().events()).isEmpty();
    }

    @Test
    void aDeletedTopicLosesOwnersAndOffsets() {
        club.topic("payments", 1).arrive(spec("A", "orders", "payments"));
        club.ask(new Command.Commit(id("A"), 1, offsets("orders", 0, 5)));
        club.ask(new Command.Commit(id("A"), 1, offsets("payments", 0, 6)));
        club.topics.remove(ORDERS);
        seen();
        assertThat(club.owned("A")).isEqualTo(partitions("payments", 0));
        assertThat(club.group.offsets()).containsOnlyKeys(partition("payments", 0));
        assertThat(club.group.topics()).containsOnlyKeys(new TopicName("payments"));
        assertThat(club.group.history().getLast().cause()).isEqualTo("orders was deleted");
        assertThat(club.reply(new Command.Commit(id("A"), 2, offsets("orders", 0, 5))))
                .isInstanceOf(Reply.StaleGeneration.class);
    }

    @Test
    void aTopicMadeAnewIsAnotherTopic() {
        club.arrive(spec("A", "orders"));
        club.ask(new Command.Commit(id("A"), 1, offsets("orders", 0, 5)));
        recreate(2);
        seen();
        assertThat(club.group.offsets()).isEmpty();
        assertThat(club.owned("A")).isEqualTo(partitions("orders", 0, 1));
        assertThat(club.group.owners().get(partition("orders", 0)).since()).isEqualTo(2);
        assertThat(club.reply(new Command.Commit(id("A"), 1, offsets("orders", 0, 5))))
                .as("a commit that means the old one")
                .isInstanceOf(Reply.StaleGeneration.class);
    }

    @Test
    void aTopicThatComesLaterIsGivenWhenItComes() {
        club.topics.clear();
        club.arrive(spec("A", "orders"));
        assertThat(club.owned("A")).isEmpty();
        club.topic("orders", 2);
        seen();
        assertThat(club.owned("A")).isEqualTo(partitions("orders", 0, 1));
    }

    @Test
    void aPatternTakesWhatItMatches() {
        club.topic("orders.eu", 1).topic("payments", 1);
        MemberSpec all = spec("A", "orders");
        club.arrive(all.with(new Subscription(new TreeSet<>(), Optional.of("orders.*"))));
        assertThat(club.group.topics()).containsOnlyKeys(ORDERS, new TopicName("orders.eu"));
        assertThat(club.owned("A")).hasSize(5);
        club.topic("orders.us", 2);
        seen();
        assertThat(club.owned("A")).hasSize(7);
    }

    @Test
    void whatNobodyReadsIsNotForgottenBecauseItIsNotMentioned() {
        club.arrive(spec("A", "orders"));
        club.ask(new Command.Commit(id("A"), 1, offsets("orders", 0, 5)));
        club.ask(new Command.Leave(id("A"), LeaveCause.LEFT, false));
        club.topics.clear();
        assertThat(seen().events()).isEmpty();
        assertThat(club.group.offsets()).hasSize(1);
        recreate(4);
        club.arrive(spec("B", "orders"));
        assertThat(club.group.offsets()).as("but it is another topic now").isEmpty();
    }

    @Test
    void aJoinerBringsNewsOfTopics() {
        club.arrive(spec("A", "orders"));
        club.topic("orders", 6);
        club.join(spec("B", "orders"));
        club.settle();
        assertThat(club.group.history().getLast().cause()).isEqualTo("orders has 6 partitions now, before 4; B joined");
        assertThat(club.owned("B")).isEqualTo(partitions("orders", 4, 5));
    }

    // By hand

    @Test
    void offsetsAreSetByHandOnlyWhileNobodyReads() {
        club.topic("payments", 1).arrive(spec("A", "orders"));
        Decision refused = club.ask(new Command.Reset(offsets("orders", 0, 5), club.topics));
        assertThat(refused.events()).isEmpty();
        assertThat(refused.reply())
                .isInstanceOfSatisfying(
                        Reply.GroupInUse.class,
                        inUse -> assertThat(inUse.text()).startsWith("member A subscribes to topic orders"));
        assertThat(club.reply(new Command.Reset(offsets("payments", 0, 5), club.topics)))
                .isEqualTo(new Reply.Done());
        assertThat(club.group.offsets().get(partition("payments", 0)).by()).isEmpty();
        club.ask(new Command.Leave(id("A"), LeaveCause.LEFT, false));
        assertThat(club.reply(new Command.Reset(offsets("orders", 0, 5), club.topics)))
                .isEqualTo(new Reply.Done());
        club.arrive(spec("B", "orders"));
        assertThat(club.group.offsets().get(partition("orders", 0)).offset().offset())
                .isEqualTo(5);
    }

    @Test
    void aPatternThatMatchesIsReadingToo() {
        club.arrive(spec("A", "x").with(new Subscription(new TreeSet<>(), Optional.of("ord.*"))));
        assertThat(club.reply(new Command.Reset(offsets("orders", 0, 5), club.topics)))
                .isInstanceOf(Reply.GroupInUse.class);
        assertThat(club.reply(new Command.Forget(partitions("orders", 0)))).isInstanceOf(Reply.GroupInUse.class);
    }

    @Test
    void aPartitionThatDoesNotExistHasNoOffset() {
        assertThatThrownBy(() -> club.ask(new Command.Reset(offsets("orders", 9, 5), club.topics)))
                .isInstanceOf(MusterException.class)
                .hasMessage("there is no partition orders-9");
    }

    @Test
    void offsetsAreForgottenByHand() {
        club.ask(new Command.Reset(offsets("orders", 0, 5), club.topics));
        assertThat(club.ask(new Command.Forget(partitions("orders", 1))).events())
                .isEmpty();
        club.ask(new Command.Forget(partitions("orders", 0, 1)));
        assertThat(club.group.offsets()).isEmpty();
    }

    // The end

    @Test
    void aGroupWithMembersIsNotDeleted() {
        club.arrive(spec("A", "orders"));
        assertThat(club.reply(new Command.Delete()))
                .isInstanceOfSatisfying(
                        Reply.GroupInUse.class,
                        inUse -> assertThat(inUse.text())
                                .isEqualTo("the group has members (A), so it cannot be deleted; stop them first"));
    }

    @Test
    void whoIsAwayCannotBeStoppedAndHasToBeRemovedFirst() {
        club.arrive(GroupFixture.as(spec("A", "orders"), "a"));
        club.ask(new Command.Leave(id("A"), LeaveCause.LEFT, true));
        for (Command command : List.of(new Command.Delete(), new Command.Reset(offsets("orders", 0, 5), club.topics))) {
            assertThat(club.reply(command))
                    .isInstanceOfSatisfying(
                            Reply.GroupInUse.class,
                            inUse -> assertThat(inUse.text())
                                    .endsWith("; it is away and keeps its place, so remove it from the group first"));
        }
        club.ask(new Command.Leave(id("A"), LeaveCause.REMOVED, false));
        assertThat(club.reply(new Command.Delete())).isEqualTo(new Reply.Done());
    }

    @Test
    void afterItsEndAGroupAnswersNothingElse() {
        club.ask(new Command.Reset(offsets("orders", 0, 5), club.topics));
        assertThat(club.reply(new Command.Delete())).isEqualTo(new Reply.Done());
        assertThat(club.group.deleted()).isTrue();
        assertThat(club.group.offsets()).isEmpty();
        assertThat(club.join(spec("A", "orders"))).isInstanceOf(Reply.GroupDeleted.class);
        assertThat(club.reply(new Command.Delete())).isInstanceOf(Reply.GroupDeleted.class);
        assertThat(club.reply(new Command.Commit(id("A"), 1, offsets("orders", 0, 5))))
                .isInstanceOf(Reply.GroupDeleted.class);
    }
}
