package dev.muster.core.assign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class StickyAssignorTest {
    private static final Assignor STICKY = new StickyAssignor();
    private static final boolean SOAK = Boolean.getBoolean("muster.soak");

    @Test
    void withoutOwnersPartitionsAreGivenInTurn() {
        var answer = new QuestionBuilder()
                .topic("orders", 6)
                .member("A", "orders")
                .member("B", "orders")
                .member("C", "orders")
                .ask(STICKY);
        assertThat(QuestionBuilder.text(answer))
                .isEqualTo("A: orders-0 orders-3; B: orders-1 orders-4; C: orders-2 orders-5");
        assertThat(answer.reason())
                .isEqualTo("sticky: 6 partitions over 3 members, each gets 2; 0 moved, 0 stayed, 6 had no owner,"
                        + " the least possible");
    }

    @Test
    void aNewMemberTakesItsShareAndNothingElseMoves() {
        var questions =
                new QuestionBuilder().topic("orders", 20).member("A", "orders").member("B", "orders");
        questions.after(questions.ask(STICKY)).member("C", "orders");
        var answer = questions.ask(STICKY);
        assertThat(QuestionBuilder.loads(answer)).containsExactly(7, 7, 6);
        assertThat(QuestionBuilder.moved(questions.question(), answer)).isEqualTo(6);
        assertThat(answer.reason())
                .isEqualTo("sticky: 20 partitions over 3 members, each gets 6 or 7; 6 moved, 14 stayed,"
                        + " the least possible");
    }

    @Test
    void onlyTheLeaversPartitionsMove() {
        var questions = new QuestionBuilder()
                .topic("orders", 9)
                .member("A", "orders")
                .member("B", "orders")
                .member("C", "orders");
        questions.after(questions.ask(STICKY));
        questions.subscriptions.remove(new MemberId("B"));
        questions.owned.remove(new MemberId("B"));
        assertThat(QuestionBuilder.text(questions.ask(STICKY)))
                .isEqualTo("A: orders-0 orders-1 orders-3 orders-6 orders-7; C: orders-2 orders-4 orders-5 orders-8");
    }

    @Test
    void aMemberGivesUpPartitionsOfItsLargestTopicFirst() {
        var answer = new QuestionBuilder()
                .topic("a", 4)
                .topic("b", 2)
                .member("A", "a", "b")
                .member("B", "a", "b")
                .owns("A", "a", 0, 1, 2, 3)
                .owns("A", "b", 0, 1)
                .ask(STICKY);
        assertThat(QuestionBuilder.text(answer)).isEqualTo("A: a-0 a-1 b-0; B: a-2 a-3 b-1");
    }

    @Test
    void loadIsLevelledByAChainOfMoves() {
        // A has three partitions of a topic that only A and B read. B has b, which C also reads, and C has nothing.
        var answer = new QuestionBuilder()
                .topic("a", 3)
                .topic("b", 1)
                .member("A", "a")
                .member("B", "a", "b")
                .member("C", "b")
                .owns("A", "a", 0, 1)
                .owns("B", "a", 2)
                .owns("B", "b", 0)
                .ask(STICKY);
        assertThat(QuestionBuilder.text(answer)).isEqualTo("A: a-0 a-1; B: a-2; C: b-0");
        assertThat(answer.reason())
                .contains("each gets 1 or 2, as even as their subscriptions allow; 1 moved, 3 stayed");
    }

    @Test
    void unsubscribedAndDeletedPartitionsAreNotKept() {
        var answer = new QuestionBuilder()
                .topic("a", 2)
                .topic("b", 2)
                .member("A", "a")
                .member("B", "a", "b")
                .owns("A", "b", 0, 1)
                .owns("A", "a", 0, 7)
                .owns("A", "gone", 0)
                .ask(STICKY);
        assertThat(QuestionBuilder.text(answer)).isEqualTo("A: a-0 a-1; B: b-0 b-1");
    }

    /** All beginnings of up to 6 partitions over up to 3 members, compared with all possible results. */
    @Test
    void equalSubscriptionsAreBalancedWithTheFewestMoves() {
        int cases = 0;
        for (int members = 1; members <= 3; members++) {
            for (int partitions = 1; partitions <= 6; partitions++) {
                for (int[] owners : numbers(partitions, members + 1)) {
                    cases += 1;
                    boolean[][] reads = new boolean[1][members];
                    Arrays.fill(reads[0], true);
                    int[] topics = new int[partitions];
                    Outcome found = run(reads, topics, owners);
                    Outcome best = best(reads, topics, owners);
                    assertThat(found)
                            .as("owners %s of %d members", Arrays.toString(owners), members)
                            .isEqualTo(best);
                    int[] counts = counts(owners, members);
                    assertThat(found.moved).isEqualTo(leastMoves(counts, partitions));
                }
            }
        }
        System.out.println("sticky against brute force, equal subscriptions: " + cases + " cases");
    }

    /**
     * Random topics, subscriptions and owners, compared with all possible results: first the most even, then the fewest
     * moves.
     */
    @Test
    void differentSubscriptionsAreLevelledWithTheFewestMoves() {
        long seed = System.nanoTime();
        System.out.println("sticky against brute force, different subscriptions: seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < (SOAK ? 100_000 : 3_000); i++) {
            int members = 1 + random.nextInt(4);
            int kinds = 1 + random.nextInt(4);
            boolean[][] reads = new boolean[kinds][members];
            for (boolean[] kind : reads) {
                for (int member = 0; member < members; member++) {
                    kind[member] = random.nextBoolean();
                }
                kind[random.nextInt(members)] = true;
            }
            int[] topics = new int[1 + random.nextInt(6)];
            int[] owners = new int[topics.length];
            for (int partition = 0; partition < topics.length; partition++) {
                topics[partition] = random.nextInt(kinds);
                owners[partition] = random.nextInt(members + 1);
            }
            assertThat(run(reads, topics, owners))
                    .as(
                            "seed %d, reads %s, topics %s, owners %s",
                            seed, Arrays.deepToString(reads), Arrays.toString(topics), Arrays.toString(owners))
                    .isEqualTo(best(reads, topics, owners));
        }
    }

    /**
     * The same for problems with too many possible results: compared with a slow algorithm that goes partition by
     * partition.
     */
    @Test
    void largeProblemsAreSolvedLikeByTheSlowAlgorithm() {
        long seed = System.nanoTime();
        System.out.println("sticky against the slow way: seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < (SOAK ? 3_000 : 60); i++) {
            int members = 2 + random.nextInt(9);
            int kinds = 1 + random.nextInt(8);
            int density = 10 + random.nextInt(80);
            boolean[][] reads = new boolean[kinds][members];
            for (boolean[] kind : reads) {
                for (int member = 0; member < members; member++) {
                    kind[member] = random.nextInt(100) < density;
                }
                kind[random.nextInt(members)] = true;
            }
            int crowd = 1 + random.nextInt(members);
            int[] topics = new int[1 + random.nextInt(60)];
            int[] owners = new int[topics.length];
            for (int partition = 0; partition < topics.length; partition++) {
                topics[partition] = random.nextInt(kinds);
                owners[partition] = random.nextInt(5) == 0 ? members : random.nextInt(crowd);
            }
            assertThat(run(reads, topics, owners))
                    .as("seed %d, case %d", seed, i)
                    .isEqualTo(new SlowLevelling(reads, topics, owners).outcome());
        }
    }

    @Test
    void largeGroupsMoveTheLeastNumberOfPartitions() {
        long seed = System.nanoTime();
        System.out.println("sticky against the formula: seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < (SOAK ? 2_000 : 50); i++) {
            int members = 1 + random.nextInt(120);
            int partitions = 1 + random.nextInt(1_500);
            int crowd = 1 + random.nextInt(members);
            var questions = new QuestionBuilder().topic("t", partitions);
            int[] counts = new int[members];
            for (int member = 0; member < members; member++) {
                questions.member(name(member), "t");
            }
            for (int partition = 0; partition < partitions; partition++) {
                if (random.nextInt(10) > 0) {
                    int owner = random.nextInt(crowd);
                    counts[owner]++;
                    questions.owns(name(owner), "t", partition);
                }
            }
            var answer = questions.ask(STICKY);
            List<Integer> loads = QuestionBuilder.loads(answer);
            String where = "seed " + seed + ", case " + i;
            assertThat(loads.stream().mapToInt(n -> n).sum()).as(where).isEqualTo(partitions);
            assertThat(loads.stream().mapToInt(n -> n).max().orElse(0)
                            - loads.stream().mapToInt(n -> n).min().orElse(0))
                    .as(where)
                    .isLessThanOrEqualTo(1);
            assertThat(QuestionBuilder.moved(questions.question(), answer))
                    .as(where)
                    .isEqualTo(leastMoves(counts, partitions));
        }
    }

    @Test
    void theHundredAndFirstMemberMovesOnlyItsShare() {
        var questions = new QuestionBuilder().topic("orders", 1_000);
        for (int member = 0; member < 100; member++) {
            questions.member(name(member), "orders");
        }
        questions.after(questions.ask(STICKY)).member("newcomer", "orders");
        var answer = questions.ask(STICKY);
        assertThat(QuestionBuilder.moved(questions.question(), answer)).isEqualTo(9);
        assertThat(answer.targets().get(new MemberId("newcomer"))).hasSize(9);
        questions.owned.forEach((member, before) -> assertThat(before)
                .as("what stays with " + member)
                .containsAll(answer.targets().get(member)));
    }

    @Test
    void aRepeatedAssignmentMovesNothing() {
        var questions = new QuestionBuilder().topic("a", 37).topic("b", 11).topic("c", 5);
        questions.member("A", "a", "b").member("B", "a").member("C", "b", "c").member("D", "a", "b", "c");
        var answer = questions.ask(STICKY);
        for (int i = 0; i < 3; i++) {
            var again = questions.after(answer).ask(STICKY);
            assertThat(again.targets()).isEqualTo(answer.targets());
            answer = again;
        }
    }

    /**
     * The least number of moves for n partitions over m equal members. Each member gets n/m, and n mod m of them one
     * more. A member can keep n/m of its partitions, and one more if it gets one more; members that have more than n/m
     * are chosen for that first.
     */
    private static int leastMoves(int[] counts, int partitions) {
        int share = partitions / counts.length;
        int lucky = partitions % counts.length;
        int kept = Arrays.stream(counts).map(count -> Math.min(count, share)).sum();
        int over = (int) Arrays.stream(counts).filter(count -> count > share).count();
        return Arrays.stream(counts).sum() - kept - Math.min(lucky, over);
    }

    private static int[] counts(int[] owners, int members) {
        int[] counts = new int[members];
        Arrays.stream(owners).filter(owner -> owner < members).forEach(owner -> counts[owner]++);
        return counts;
    }

    // Brute force. Partitions are numbered through; topics[p] is the kind of p, owners[p] its owner, or `members` for
    // none.

    record Outcome(int squares, int moved) {}

    private static Outcome run(boolean[][] reads, int[] topics, int[] owners) {
        int members = reads[0].length;
        var questions = new QuestionBuilder();
        int[] sizes = new int[reads.length];
        List<TopicPartition> partitions = new ArrayList<>();
        for (int kind : topics) {
            partitions.add(TopicPartition.of("t" + kind, sizes[kind]++));
        }
        for (int kind = 0; kind < sizes.length; kind++) {
            if (sizes[kind] > 0) {
                questions.topic("t" + kind, sizes[kind]);
            }
        }
        for (int member = 0; member < members; member++) {
            SortedSet<TopicName> names = new TreeSet<>();
            for (int kind = 0; kind < sizes.length; kind++) {
                if (reads[kind][member] && sizes[kind] > 0) {
                    names.add(new TopicName("t" + kind));
                }
            }
            questions.subscriptions.put(new MemberId(name(member)), new Assignor.Subscriber(name(member), names));
        }
        for (int p = 0; p < owners.length; p++) {
            if (owners[p] < members) {
                questions
                        .owned
                        .computeIfAbsent(new MemberId(name(owners[p])), id -> new TreeSet<>())
                        .add(partitions.get(p));
            }
        }
        var answer = questions.ask(STICKY);
        assertThat(Assignors.ask(STICKY, questions.question()).assignment().reason())
                .as("a valid answer")
                .startsWith("sticky: ");
        assertNoSingleMoveHelps(questions.question(), answer);
        int squares =
                QuestionBuilder.loads(answer).stream().mapToInt(n -> n * n).sum();
        return new Outcome(squares, QuestionBuilder.moved(questions.question(), answer));
    }

    private static void assertNoSingleMoveHelps(Assignor.Question question, Assignor.Assignment answer) {
        for (Map.Entry<MemberId, SortedSet<TopicPartition>> from :
                answer.targets().entrySet()) {
            for (TopicPartition partition : from.getValue()) {
                question.subscriptions().forEach((to, subscriber) -> {
                    boolean helps = subscriber.topics().contains(partition.topic())
                            && answer.targets().get(to).size()
                                    <= from.getValue().size() - 2;
                    assertThat(helps)
                            .as("%s from %s to %s", partition, from.getKey(), to)
                            .isFalse();
                });
            }
        }
    }

    private static Outcome best(boolean[][] reads, int[] topics, int[] owners) {
        int members = reads[0].length;
        Outcome best = null;
        for (int[] end : numbers(topics.length, members)) {
            int[] loads = new int[members];
            int moved = 0;
            boolean valid = true;
            for (int p = 0; p < end.length; p++) {
                valid &= reads[topics[p]][end[p]];
                loads[end[p]]++;
                moved += owners[p] < members && owners[p] != end[p] ? 1 : 0;
            }
            int squares = Arrays.stream(loads).map(load -> load * load).sum();
            if (valid && (best == null || squares < best.squares || squares == best.squares && moved < best.moved)) {
                best = new Outcome(squares, moved);
            }
        }
        return best;
    }

    /** All numbers with this number of digits. */
    private static Iterable<int[]> numbers(int digits, int base) {
        List<int[]> all = new ArrayList<>();
        int count = (int) Math.pow(base, digits);
        for (int number = 0; number < count; number++) {
            int[] of = new int[digits];
            int rest = number;
            for (int digit = 0; digit < digits; digit++) {
                of[digit] = rest % base;
                rest /= base;
            }
            all.add(of);
        }
        return all;
    }

    private static String name(int member) {
        return "m%03d".formatted(member);
    }
}
