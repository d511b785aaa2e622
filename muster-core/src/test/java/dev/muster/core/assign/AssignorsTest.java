package dev.muster.core.assign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class AssignorsTest {
    private static final Assignor RANGE = new RangeAssignor();
    private static final Assignor ROUND_ROBIN = new RoundRobinAssignor();

    @Test
    void theBuiltInAssignorsAreFoundByName() {
        assertThat(Assignors.BUILT_IN).containsOnlyKeys("range", "roundrobin", "sticky");
        Assignors.BUILT_IN.forEach(
                (name, assignor) -> assertThat(assignor.name()).isEqualTo(name));
    }

    // Range

    @Test
    void rangeGivesFivePartitionsAsThreeAndTwo() {
        var answer = new QuestionBuilder()
                .topic("orders", 5)
                .member("A", "orders")
                .member("B", "orders")
                .ask(RANGE);
        assertThat(QuestionBuilder.text(answer)).isEqualTo("A: orders-0 orders-1 orders-2; B: orders-3 orders-4");
        assertThat(answer.reason()).startsWith("range: 5 partitions over 2 members, each gets 2 or 3");
    }

    @Test
    void rangeDividesEachTopicSeparately() {
        var answer = new QuestionBuilder()
                .topic("a", 3)
                .topic("b", 3)
                .member("A", "a", "b")
                .member("B", "a", "b")
                .ask(RANGE);
        assertThat(QuestionBuilder.text(answer)).isEqualTo("A: a-0 a-1 b-0 b-1; B: a-2 b-2");
    }

    @Test
    void rangeGivesATopicOnlyToItsSubscribers() {
        var answer = new QuestionBuilder()
                .topic("a", 2)
                .topic("b", 4)
                .member("A", "a")
                .member("B", "a", "b")
                .member("C", "b")
                .ask(RANGE);
        assertThat(QuestionBuilder.text(answer)).isEqualTo("A: a-0; B: a-1 b-0 b-1; C: b-2 b-3");
    }

    @Test
    void surplusMembersGetNoPartitions() {
        for (Assignor assignor : Assignors.BUILT_IN.values()) {
            var answer = new QuestionBuilder()
                    .topic("a", 1)
                    .member("A", "a")
                    .member("B", "a")
                    .ask(assignor);
            assertThat(QuestionBuilder.text(answer)).isEqualTo("A: a-0; B: ");
        }
    }

    // Round robin

    @Test
    void roundRobinGivesPartitionsInTurn() {
        var answer = new QuestionBuilder()
                .topic("orders", 6)
                .member("A", "orders")
                .member("B", "orders")
                .member("C", "orders")
                .ask(ROUND_ROBIN);
        assertThat(QuestionBuilder.text(answer))
                .isEqualTo("A: orders-0 orders-3; B: orders-1 orders-4; C: orders-2 orders-5");
    }

    @Test
    void roundRobinContinuesAcrossTopics() {
        var answer = new QuestionBuilder()
                .topic("a", 3)
                .topic("b", 3)
                .member("A", "a", "b")
                .member("B", "a", "b")
                .ask(ROUND_ROBIN);
        assertThat(QuestionBuilder.text(answer)).isEqualTo("A: a-0 a-2 b-1; B: a-1 b-0 b-2");
    }

    /** The example in Kafka's documentation for different subscriptions. */
    @Test
    void roundRobinSkipsMembersWithoutASubscription() {
        var answer = new QuestionBuilder()
                .topic("t0", 1)
                .topic("t1", 2)
                .topic("t2", 3)
                .member("C0", "t0")
                .member("C1", "t0", "t1")
                .member("C2", "t0", "t1", "t2")
                .ask(ROUND_ROBIN);
        assertThat(QuestionBuilder.text(answer)).isEqualTo("C0: t0-0; C1: t1-0; C2: t1-1 t2-0 t2-1 t2-2");
    }

    // All assignors

    @Test
    void membersAreOrderedByInstanceIdThenMemberId() {
        String[] topics = {"orders"};
        for (Assignor assignor : Assignors.BUILT_IN.values()) {
            var answer = new QuestionBuilder()
                    .topic("orders", 1)
                    .member("A", "second", topics)
                    .member("B", "first", topics)
                    .ask(assignor);
            assertThat(QuestionBuilder.text(answer)).isEqualTo("A: ; B: orders-0");
        }
    }

    @Test
    void noMembersOrNoPartitionsGiveAnEmptyAssignment() {
        for (Assignor assignor : Assignors.BUILT_IN.values()) {
            assertThat(new QuestionBuilder().ask(assignor).targets()).isEmpty();
            assertThat(QuestionBuilder.text(new QuestionBuilder().member("A").ask(assignor)))
                    .isEqualTo("A: ");
            assertThat(QuestionBuilder.text(
                            new QuestionBuilder().topic("a", 3).member("A").ask(assignor)))
                    .isEqualTo("A: ");
        }
    }

    // Users' assignors

    @Test
    void aValidAssignmentOfAUsersAssignorIsUsed() {
        var answer = Assignors.ask(users(targets -> give(targets, "B", 0, 1, 2)), threeOverTwo());
        assertThat(answer.assignor()).isEqualTo("mine");
        assertThat(answer.assignment().reason()).isEqualTo("because");
        assertThat(QuestionBuilder.text(answer.assignment())).isEqualTo("B: orders-0 orders-1 orders-2");
    }

    @Test
    void anInvalidAssignmentIsReplacedByStickyWithTheReason() {
        refused(targets -> give(targets, "X", 0, 1, 2), "there is no member X");
        refused(targets -> give(targets, "A", 0, 1, 2, 3), "there is no partition orders-3");
        refused(targets -> give(targets, "C", 0, 1, 2), "C got orders-0 but does not subscribe to it");
        refused(targets -> give(targets, "A", 0, 1), "orders-2 went to nobody");
        refused(
                targets -> {
                    give(targets, "A", 0, 1, 2);
                    give(targets, "B", 2);
                },
                "orders-2 went to A and to B");
        refused(
                targets -> {
                    throw new IllegalStateException("oh no");
                },
                "it threw java.lang.IllegalStateException: oh no");
        refused(
                targets -> {
                    throw new AssertionError("never");
                },
                "it threw java.lang.AssertionError: never");
    }

    private static void refused(Consumer<SortedMap<MemberId, SortedSet<TopicPartition>>> nonsense, String why) {
        var answer = Assignors.ask(users(nonsense), threeOverTwo());
        assertThat(answer.assignor()).isEqualTo("sticky");
        assertThat(answer.assignment().reason())
                .startsWith(
                        "assignor \"mine\" gave no valid answer (" + why + "), so sticky did: sticky: 3 partitions");
        assertThat(QuestionBuilder.text(answer.assignment())).isEqualTo("A: orders-0 orders-2; B: orders-1; C: ");
    }

    @Test
    void aNullAssignmentIsReplacedBySticky() {
        Assignor empty = new Assignor() {
            @Override
            public String name() {
                return "empty";
            }

            @Override
            public Assignment assign(Question question) {
                return null;
            }
        };
        assertThat(Assignors.ask(empty, threeOverTwo()).assignor()).isEqualTo("sticky");
    }

    private static Assignor.Question threeOverTwo() {
        return new QuestionBuilder()
                .topic("orders", 3)
                .member("A", "orders")
                .member("B", "orders")
                .member("C")
                .question();
    }

    private static void give(SortedMap<MemberId, SortedSet<TopicPartition>> targets, String member, int... numbers) {
        for (int number : numbers) {
            targets.computeIfAbsent(new MemberId(member), id -> new TreeSet<>())
                    .add(TopicPartition.of("orders", number));
        }
    }

    private static Assignor users(Consumer<SortedMap<MemberId, SortedSet<TopicPartition>>> fill) {
        return new Assignor() {
            @Override
            public String name() {
                return "mine";
            }

            @Override
            public Assignment assign(Question question) {
                SortedMap<MemberId, SortedSet<TopicPartition>> targets = new TreeMap<>();
                fill.accept(targets);
                return new Assignment(targets, "because");
            }
        };
    }
}
