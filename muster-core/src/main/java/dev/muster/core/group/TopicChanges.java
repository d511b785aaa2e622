package dev.muster.core.group;

import dev.muster.core.Counts;
import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.TopicShape;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Computes how the topics that a group knows have changed, and which topics its members subscribe to. */
public final class TopicChanges {
    private TopicChanges() {}

    /** @param predicate change of the topic, in plain words */
    record Difference(TopicName topic, String predicate) {}

    /**
     * The known topics after a listing of some of them.
     *
     * @param seen topics that exist
     * @param looked True for topics that the listing covered: a known one that is not in {@code seen} does not exist
     *     any more
     */
    static SortedMap<TopicName, TopicShape> merge(
            SortedMap<TopicName, TopicShape> known,
            SortedMap<TopicName, TopicShape> seen,
            Predicate<TopicName> looked) {
        SortedMap<TopicName, TopicShape> now = new TreeMap<>(known);
        now.keySet().removeIf(topic -> looked.test(topic) && !seen.containsKey(topic));
        seen.forEach((topic, shape) -> {
            if (looked.test(topic) || known.containsKey(topic)) {
                now.merge(topic, shape, TopicChanges::newer);
            }
        });
        return now;
    }

    /** Partitions are only added, so the larger number is the newer one. */
    private static TopicShape newer(TopicShape known, TopicShape seen) {
        return known.id().equals(seen.id()) && known.partitions() > seen.partitions() ? known : seen;
    }

    static List<Difference> differences(SortedMap<TopicName, TopicShape> before, SortedMap<TopicName, TopicShape> now) {
        List<Difference> differences = new ArrayList<>();
        SortedSet<TopicName> all = new TreeSet<>(before.keySet());
        all.addAll(now.keySet());
        for (TopicName topic : all) {
            TopicShape old = before.get(topic);
            TopicShape shape = now.get(topic);
            if (old == null) {
                differences.add(
                        new Difference(topic, "is there now, with " + Counts.of(shape.partitions(), "partition")));
            } else if (shape == null) {
                differences.add(new Difference(topic, "was deleted"));
            } else if (!old.id().equals(shape.id())) {
                differences.add(new Difference(
                        topic, "was deleted and made anew, with " + Counts.of(shape.partitions(), "partition")));
            } else if (old.partitions() != shape.partitions()) {
                differences.add(new Difference(
                        topic,
                        "has " + Counts.of(shape.partitions(), "partition") + " now, before " + old.partitions()));
            }
        }
        return differences;
    }

    /** True if this partition existed before and does not exist any more. */
    public static boolean gone(
            SortedMap<TopicName, TopicShape> before, SortedMap<TopicName, TopicShape> now, TopicPartition partition) {
        TopicShape old = before.get(partition.topic());
        TopicShape shape = now.get(partition.topic());
        boolean same = old != null && shape != null && old.id().equals(shape.id());
        return !same || partition.partition() >= shape.partitions();
    }

    /** Those of some topics that at least one member subscribes to. */
    static Set<TopicName> read(Collection<Member> members, Collection<TopicName> topics) {
        Set<TopicName> read = new HashSet<>();
        subscribed(members, topics).values().forEach(read::addAll);
        return read;
    }

    /** Those of the topics that each member subscribes to. Members with the same subscription share one set. */
    static Map<MemberId, SortedSet<TopicName>> subscribed(Collection<Member> members, Collection<TopicName> topics) {
        Map<Subscription, SortedSet<TopicName>> known = new HashMap<>();
        Map<MemberId, SortedSet<TopicName>> all = new HashMap<>();
        for (Member member : members) {
            Subscription subscription = member.spec().subscription();
            all.put(member.spec().id(), known.computeIfAbsent(subscription, wanted -> wanted.among(topics)));
        }
        return all;
    }
}
