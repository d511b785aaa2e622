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

/** Topics that grow, are deleted and are created again, and offsets that are set by hand. */
class TopicsAndOffsetsTest {
    private static final TopicName ORDERS = new TopicName("orders");

    private final GroupFixture fixture = new GroupFixture().topic("orders", 4);

    private Decision seen() {
        return fixture.ask(new Command.TopicsSeen(fixture.topics));
    }

    private void recreate(int partitions) {
        fixture.topics.put(ORDERS, new TopicShape(new TopicId(new UUID(7, fixture.now)), partitions));
    }

    @Test
    void addedPartitionsAreGrantedAtOnce() {
        fixture.arrive(spec("A", "orders"));
        fixture.topic("orders", 6);
        seen();
        assertThat(fixture.group.generation()).isEqualTo(2);
        assertThat(fixture.owned("A")).hasSize(6);
        assertThat(fixture.group.history().getLast().cause()).isEqualTo("orders has 6 partitions now, before 4");
        assertThat(seen().events()).isEmpty();
    }

    @Test
    void anOldTopicShapeDoesNotRemovePartitions() {
        fixture.arrive(spec("A", "orders"));
        fixture.topic("orders", 2);
        assertThat(seen().events()).isEmpty();
    }

    @Test
    void aDeletedTopicLosesOwnersAndOffsets() {
        fixture.topic("payments", 1).arrive(spec("A", "orders", "payments"));
        fixture.ask(new Command.Commit(id("A"), 1, offsets("orders", 0, 5)));
        fixture.ask(new Command.Commit(id("A"), 1, offsets("payments", 0, 6)));
        fixture.topics.remove(ORDERS);
        seen();
        assertThat(fixture.owned("A")).isEqualTo(partitions("payments", 0));
        assertThat(fixture.group.offsets()).containsOnlyKeys(partition("payments", 0));
        assertThat(fixture.group.topics()).containsOnlyKeys(new TopicName("payments"));
        assertThat(fixture.group.history().getLast().cause()).isEqualTo("orders was deleted");
        assertThat(fixture.reply(new Command.Commit(id("A"), 2, offsets("orders", 0, 5))))
                .isInstanceOf(Reply.StaleGeneration.class);
    }

    @Test
    void aRecreatedTopicIsAnotherTopic() {
        fixture.arrive(spec("A", "orders"));
        fixture.ask(new Command.Commit(id("A"), 1, offsets("orders", 0, 5)));
        recreate(2);
        seen();
        assertThat(fixture.group.offsets()).isEmpty();
        assertThat(fixture.owned("A")).isEqualTo(partitions("orders", 0, 1));
        assertThat(fixture.group.owners().get(partition("orders", 0)).since()).isEqualTo(2);
        assertThat(fixture.reply(new Command.Commit(id("A"), 1, offsets("orders", 0, 5))))
                .as("a commit for the old topic")
                .isInstanceOf(Reply.StaleGeneration.class);
    }

    @Test
    void aTopicCreatedLaterIsAssigned() {
        fixture.topics.clear();
        fixture.arrive(spec("A", "orders"));
        assertThat(fixture.owned("A")).isEmpty();
        fixture.topic("orders", 2);
        seen();
        assertThat(fixture.owned("A")).isEqualTo(partitions("orders", 0, 1));
    }

    @Test
    void aPatternSubscribesToMatchingTopics() {
        fixture.topic("orders.eu", 1).topic("payments", 1);
        MemberSpec all = spec("A", "orders");
        fixture.arrive(all.with(new Subscription(new TreeSet<>(), Optional.of("orders.*"))));
        assertThat(fixture.group.topics()).containsOnlyKeys(ORDERS, new TopicName("orders.eu"));
        assertThat(fixture.owned("A")).hasSize(5);
        fixture.topic("orders.us", 2);
        seen();
        assertThat(fixture.owned("A")).hasSize(7);
    }

    @Test
    void anUnreadTopicThatIsNotNamedIsKept() {
        fixture.arrive(spec("A", "orders"));
        fixture.ask(new Command.Commit(id("A"), 1, offsets("orders", 0, 5)));
        fixture.ask(new Command.Leave(id("A"), LeaveCause.LEFT, false));
        fixture.topics.clear();
        assertThat(seen().events()).isEmpty();
        assertThat(fixture.group.offsets()).hasSize(1);
        recreate(4);
        fixture.arrive(spec("B", "orders"));
        assertThat(fixture.group.offsets()).as("it is another topic now").isEmpty();
    }

    @Test
    void aJoinUpdatesTheTopics() {
        fixture.arrive(spec("A", "orders"));
        fixture.topic("orders", 6);
        fixture.join(spec("B", "orders"));
        fixture.settle();
        assertThat(fixture.group.history().getLast().cause())
                .isEqualTo("orders has 6 partitions now, before 4; B joined");
        assertThat(fixture.owned("B")).isEqualTo(partitions("orders", 4, 5));
    }

    // Offsets set by hand

    @Test
    void offsetsOfATopicWithReadersCannotBeSetByHand() {
        fixture.topic("payments", 1).arrive(spec("A", "orders"));
        Decision refused = fixture.ask(new Command.Reset(offsets("orders", 0, 5), fixture.topics));
        assertThat(refused.events()).isEmpty();
        assertThat(refused.reply())
                .isInstanceOfSatisfying(
                        Reply.GroupInUse.class,
                        inUse -> assertThat(inUse.text()).startsWith("member A subscribes to topic orders"));
        assertThat(fixture.reply(new Command.Reset(offsets("payments", 0, 5), fixture.topics)))
                .isEqualTo(new Reply.Done());
        assertThat(fixture.group.offsets().get(partition("payments", 0)).by()).isEmpty();
        fixture.ask(new Command.Leave(id("A"), LeaveCause.LEFT, false));
        assertThat(fixture.reply(new Command.Reset(offsets("orders", 0, 5), fixture.topics)))
                .isEqualTo(new Reply.Done());
        fixture.arrive(spec("B", "orders"));
        assertThat(fixture.group.offsets().get(partition("orders", 0)).offset().offset())
                .isEqualTo(5);
    }

    @Test
    void aMatchingPatternCountsAsAReader() {
        fixture.arrive(spec("A", "x").with(new Subscription(new TreeSet<>(), Optional.of("ord.*"))));
        assertThat(fixture.reply(new Command.Reset(offsets("orders", 0, 5), fixture.topics)))
                .isInstanceOf(Reply.GroupInUse.class);
        assertThat(fixture.reply(new Command.Forget(partitions("orders", 0)))).isInstanceOf(Reply.GroupInUse.class);
    }

    @Test
    void anOffsetOfAMissingPartitionIsRefused() {
        assertThatThrownBy(() -> fixture.ask(new Command.Reset(offsets("orders", 9, 5), fixture.topics)))
                .isInstanceOf(MusterException.class)
                .hasMessage("there is no partition orders-9");
    }

    @Test
    void offsetsAreDeletedByHand() {
        fixture.ask(new Command.Reset(offsets("orders", 0, 5), fixture.topics));
        assertThat(fixture.ask(new Command.Forget(partitions("orders", 1))).events())
                .isEmpty();
        fixture.ask(new Command.Forget(partitions("orders", 0, 1)));
        assertThat(fixture.group.offsets()).isEmpty();
    }

    // Deletion of the group

    @Test
    void aGroupWithMembersIsNotDeleted() {
        fixture.arrive(spec("A", "orders"));
        assertThat(fixture.reply(new Command.Delete()))
                .isInstanceOfSatisfying(
                        Reply.GroupInUse.class,
                        inUse -> assertThat(inUse.text())
                                .isEqualTo("the group has members (A), so it cannot be deleted; stop them first"));
    }

    @Test
    void aRefusalBecauseOfAnAwayMemberSaysToRemoveIt() {
        fixture.arrive(GroupFixture.as(spec("A", "orders"), "a"));
        fixture.ask(new Command.Leave(id("A"), LeaveCause.LEFT, true));
        for (Command command :
                List.of(new Command.Delete(), new Command.Reset(offsets("orders", 0, 5), fixture.topics))) {
            assertThat(fixture.reply(command))
                    .isInstanceOfSatisfying(
                            Reply.GroupInUse.class,
                            inUse -> assertThat(inUse.text())
                                    .endsWith("; it is away and keeps its place, so remove it from the group first"));
        }
        fixture.ask(new Command.Leave(id("A"), LeaveCause.REMOVED, false));
        assertThat(fixture.reply(new Command.Delete())).isEqualTo(new Reply.Done());
    }

    @Test
    void aDeletedGroupRefusesEveryCommand() {
        fixture.ask(new Command.Reset(offsets("orders", 0, 5), fixture.topics));
        assertThat(fixture.reply(new Command.Delete())).isEqualTo(new Reply.Done());
        assertThat(fixture.group.deleted()).isTrue();
        assertThat(fixture.group.offsets()).isEmpty();
        assertThat(fixture.join(spec("A", "orders"))).isInstanceOf(Reply.GroupDeleted.class);
        assertThat(fixture.reply(new Command.Delete())).isInstanceOf(Reply.GroupDeleted.class);
        assertThat(fixture.reply(new Command.Commit(id("A"), 1, offsets("orders", 0, 5))))
                .isInstanceOf(Reply.GroupDeleted.class);
    }
}
