package dev.muster.core.assign;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Gives every member as many partitions as the others, or one more if they cannot be divided evenly, and moves as few
 * partitions as possible. If members subscribe to different topics, the result is as even as that allows: see
 * {@link Levelling}, which also has the proof.
 *
 * <p>A member that has too many gives up partitions of the topic of which it has most, the highest numbers first. These
 * and the partitions without an owner are given in turn to the members that need more.
 */
public final class StickyAssignor implements Assignor {
    public static final String NAME = "sticky";

    public StickyAssignor() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Assignment assign(Question question) {
        return new StickyAssignment(question).assignment();
    }

    private static final class StickyAssignment {
        private final Question question;
        private final Roster roster;

        /** Topics with the same subscribers are of one kind. */
        private final List<List<TopicName>> topicsOfKind = new ArrayList<>();

        private final List<BitSet> readersOfKind = new ArrayList<>();
        private final Map<TopicName, Integer> kindOf = new HashMap<>();

        /** The partitions that each member has now, by kind and member. */
        private final List<List<NavigableSet<TopicPartition>>> had = new ArrayList<>();

        private final Set<TopicPartition> owned = new HashSet<>();

        StickyAssignment(Question question) {
            this.question = question;
            this.roster = new Roster(question);
            findKinds();
            findOwned();
        }

        private void findKinds() {
            Map<TopicName, BitSet> readers = new HashMap<>();
            for (int member = 0; member < roster.size(); member++) {
                for (TopicName topic : roster.topics(member)) {
                    readers.computeIfAbsent(topic, name -> new BitSet()).set(member);
                }
            }
            Map<BitSet, Integer> kinds = new HashMap<>();
            for (TopicName topic : question.partitions().keySet()) {
                BitSet of = readers.get(topic);
                if (of == null) {
                    continue;
                }
                Integer kind = kinds.get(of);
                if (kind == null) {
                    kind = kinds.size();
                    kinds.put(of, kind);
                    topicsOfKind.add(new ArrayList<>());
                    readersOfKind.add(of);
                }
                topicsOfKind.get(kind).add(topic);
                kindOf.put(topic, kind);
            }
        }

        private void findOwned() {
            for (int kind = 0; kind < topicsOfKind.size(); kind++) {
                List<NavigableSet<TopicPartition>> byMember = new ArrayList<>();
                for (int member = 0; member < roster.size(); member++) {
                    byMember.add(new TreeSet<>());
                }
                had.add(byMember);
            }
            for (int member = 0; member < roster.size(); member++) {
                MemberId id = roster.member(member);
                for (TopicPartition partition : question.owned().getOrDefault(id, new TreeSet<>())) {
                    Integer kind = kindOf.get(partition.topic());
                    boolean mayStay = kind != null
                            && readersOfKind.get(kind).get(member)
                            && partition.partition() < question.partitions().get(partition.topic());
                    if (owned.add(partition) && mayStay) {
                        had.get(kind).get(member).add(partition);
                    }
                }
            }
        }

        Assignment assignment() {
            int[][] gets = level();
            int moved = 0;
            int stayed = 0;
            int free = 0;
            for (int kind = 0; kind < gets.length; kind++) {
                stayed += keep(kind, gets[kind]);
                List<TopicPartition> loose = notKept(kind);
                for (TopicPartition partition : loose) {
                    boolean wasOwned = owned.contains(partition);
                    moved += wasOwned ? 1 : 0;
                    free += wasOwned ? 0 : 1;
                }
                giveInTurn(kind, loose, gets[kind]);
            }
            return new Assignment(roster.targets(), reason(moved, stayed, free));
        }

        private int[][] level() {
            int kinds = topicsOfKind.size();
            boolean[][] reads = new boolean[kinds][roster.size()];
            int[][] has = new int[kinds][roster.size()];
            int[] all = new int[kinds];
            for (int kind = 0; kind < kinds; kind++) {
                for (TopicName topic : topicsOfKind.get(kind)) {
                    all[kind] += question.partitions().get(topic);
                }
                for (int member = 0; member < roster.size(); member++) {
                    reads[kind][member] = readersOfKind.get(kind).get(member);
                    has[kind][member] = had.get(kind).get(member).size();
                }
            }
            return new Levelling(reads, has, all).level();
        }

        /** Gives each member the partitions of a kind that it keeps, and returns their number. */
        private int keep(int kind, int[] gets) {
            int kept = 0;
            for (int member = 0; member < roster.size(); member++) {
                NavigableSet<TopicPartition> mine = had.get(kind).get(member);
                giveUp(mine, mine.size() - gets[member]);
                for (TopicPartition partition : mine) {
                    roster.give(member, partition);
                }
                kept += mine.size();
            }
            return kept;
        }

        private static void giveUp(NavigableSet<TopicPartition> mine, int count) {
            TreeMap<TopicName, Integer> ofTopic = new TreeMap<>();
            mine.forEach(partition -> ofTopic.merge(partition.topic(), 1, Integer::sum));
            for (int i = 0; i < count; i++) {
                Map.Entry<TopicName, Integer> most = ofTopic.lastEntry();
                for (Map.Entry<TopicName, Integer> topic : ofTopic.entrySet()) {
                    most = topic.getValue() > most.getValue() ? topic : most;
                }
                TopicName topic = most.getKey();
                mine.remove(mine.lower(new TopicPartition(topic, Integer.MAX_VALUE)));
                ofTopic.merge(topic, -1, Integer::sum);
            }
        }

        /** The partitions of a kind that no member keeps. */
        private List<TopicPartition> notKept(int kind) {
            Set<TopicPartition> kept = new HashSet<>();
            had.get(kind).forEach(kept::addAll);
            List<TopicPartition> loose = new ArrayList<>();
            for (TopicName topic : topicsOfKind.get(kind)) {
                for (int number = 0; number < question.partitions().get(topic); number++) {
                    TopicPartition partition = new TopicPartition(topic, number);
                    if (!kept.contains(partition)) {
                        loose.add(partition);
                    }
                }
            }
            return loose;
        }

        private void giveInTurn(int kind, List<TopicPartition> loose, int[] gets) {
            int[] open = new int[roster.size()];
            for (int member = 0; member < open.length; member++) {
                open[member] = gets[member] - had.get(kind).get(member).size();
            }
            int next = 0;
            for (TopicPartition partition : loose) {
                while (open[next] == 0) {
                    next = (next + 1) % open.length;
                }
                roster.give(next, partition);
                open[next]--;
                next = (next + 1) % open.length;
            }
        }

        private String reason(int moved, int stayed, int free) {
            String uneven = topicsOfKind.size() > 1 ? ", as even as their subscriptions allow" : "";
            String unowned = free == 0 ? "" : ", " + free + " had no owner";
            return "sticky: " + roster.summary() + uneven + "; " + moved + " moved, " + stayed + " stayed" + unowned
                    + ", the least possible";
        }
    }
}
