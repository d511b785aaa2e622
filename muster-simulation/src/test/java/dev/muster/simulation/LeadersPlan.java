package dev.muster.simulation;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The assignment by a leader of classic consumers, like Kafka's assignors. */
final class LeadersPlan {
    private LeadersPlan() {}

    /**
     * @param cooperative True if a member keeps its partitions where possible, and releases the rest before another
     *     member gets them
     */
    static SortedMap<String, SortedSet<TopicPartition>> of(
            SortedMap<String, MemberMetadata> fellows, TopicName topic, int partitions, boolean cooperative) {
        SortedMap<String, SortedSet<TopicPartition>> plan = new TreeMap<>();
        fellows.keySet().forEach(member -> plan.put(member, new TreeSet<>()));
        Map<TopicPartition, String> owners = cooperative ? owners(fellows) : Map.of();
        int most = (partitions + fellows.size() - 1) / fellows.size();
        List<TopicPartition> free = new ArrayList<>();
        for (int i = 0; i < partitions; i++) {
            TopicPartition partition = new TopicPartition(topic, i);
            String owner = owners.get(partition);
            if (owner != null && plan.get(owner).size() < most) {
                plan.get(owner).add(partition);
            } else {
                free.add(partition);
            }
        }
        for (TopicPartition partition : free) {
            plan.values().stream()
                    .min((one, other) -> Integer.compare(one.size(), other.size()))
                    .orElseThrow()
                    .add(partition);
        }
        plan.forEach((member, those) -> those.removeIf(
                partition -> !owners.getOrDefault(partition, member).equals(member)));
        return plan;
    }

    /**
     * The owners by the members' reports. If two members claim a partition, the one with the newer generation has it.
     */
    private static Map<TopicPartition, String> owners(SortedMap<String, MemberMetadata> fellows) {
        Map<TopicPartition, String> owners = new HashMap<>();
        fellows.forEach((member, words) -> words.owned()
                .forEach(partition -> owners.merge(
                        partition,
                        member,
                        (one, other) -> fellows.get(one).generation() >= words.generation() ? one : other)));
        return owners;
    }
}
