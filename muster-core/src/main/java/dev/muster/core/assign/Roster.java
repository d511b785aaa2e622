package dev.muster.core.assign;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The members of a question in their order, and the partitions that each is given. Used for one assignment. */
final class Roster {
    private final Assignor.Question question;
    private final List<MemberId> members;
    private final List<SortedSet<TopicPartition>> given = new ArrayList<>();

    Roster(Assignor.Question question) {
        this.question = question;
        this.members = new ArrayList<>(question.subscriptions().keySet());
        members.sort(this::compare);
        for (int i = 0; i < members.size(); i++) {
            given.add(new TreeSet<>());
        }
    }

    private int compare(MemberId one, MemberId other) {
        int byOrder = subscriber(one).order().compareTo(subscriber(other).order());
        return byOrder != 0 ? byOrder : one.compareTo(other);
    }

    private Assignor.Subscriber subscriber(MemberId member) {
        return question.subscriptions().get(member);
    }

    int size() {
        return members.size();
    }

    MemberId member(int index) {
        return members.get(index);
    }

    SortedSet<TopicName> topics(int index) {
        return subscriber(members.get(index)).topics();
    }

    void give(int index, TopicPartition partition) {
        given.get(index).add(partition);
    }

    /** The indexes of the members that subscribe to a topic, in order. */
    List<Integer> subscribers(TopicName topic) {
        List<Integer> found = new ArrayList<>();
        for (int i = 0; i < members.size(); i++) {
            if (topics(i).contains(topic)) {
                found.add(i);
            }
        }
        return found;
    }

    SortedMap<MemberId, SortedSet<TopicPartition>> targets() {
        SortedMap<MemberId, SortedSet<TopicPartition>> targets = new TreeMap<>();
        for (int i = 0; i < members.size(); i++) {
            targets.put(members.get(i), Collections.unmodifiableSortedSet(given.get(i)));
        }
        return Collections.unmodifiableSortedMap(targets);
    }

    /** A text such as {@code 20 partitions over 3 members, each gets 6 or 7}. */
    String summary() {
        int all = 0;
        int least = given.isEmpty() ? 0 : Integer.MAX_VALUE;
        int most = 0;
        for (SortedSet<TopicPartition> some : given) {
            all += some.size();
            least = Math.min(least, some.size());
            most = Math.max(most, some.size());
        }
        String each = least == most ? "" + most : least + (most - least == 1 ? " or " : " to ") + most;
        return count(all, "partition") + " over " + count(size(), "member") + ", each gets " + each;
    }

    static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }
}
