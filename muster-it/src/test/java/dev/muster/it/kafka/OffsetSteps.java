package dev.muster.it.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;

/** Random requests about committed offsets. */
final class OffsetSteps {
    private static final String CLIENT = "aside";
    /** Committed offsets are below this, so the topic needs that many records. */
    static final int OFFSETS = 100;

    private static final int BY_ID_FROM = 10;
    private static final int MANY_GROUPS_FROM = 8;

    private final Random random;
    private final String group;

    OffsetSteps(Random random, String group) {
        this.random = random;
        this.group = group;
    }

    /** A request of a member, or of a client that wrongly acts as one. */
    GroupStep any(String member, Optional<String> instance, int generation) {
        return random.nextInt(3) == 0 ? fetch() : commit(member, instance, generation);
    }

    private GroupStep commit(String member, Optional<String> instance, int generation) {
        int version = 2 + random.nextInt(9);
        boolean simple = oneIn(4);
        int said = simple ? -1 : oneIn(10) ? generation - 1 : generation;
        String who = oneIn(15) ? GroupScript.NOBODY : simple ? "" : member;
        Optional<String> named = version >= 7 && !simple ? instance : Optional.empty();
        List<OffsetCommitRequestTopic> topics = new ArrayList<>();
        for (String topic : topics()) {
            OffsetCommitRequestTopic asked = new OffsetCommitRequestTopic().setName(topic);
            for (int partition : partitions()) {
                OffsetCommitRequestPartition one = new OffsetCommitRequestPartition()
                        .setPartitionIndex(partition)
                        .setCommittedOffset(random.nextInt(OFFSETS))
                        .setCommittedMetadata(
                                oneIn(8) ? null : said >= 0 && oneIn(12) ? "x".repeat(5_000) : "m" + partition);
                asked.partitions().add(version >= 6 && oneIn(2) ? one.setCommittedLeaderEpoch(random.nextInt(3)) : one);
            }
            topics.add(asked);
        }
        return new GroupStep(
                CLIENT,
                version,
                side -> {
                    OffsetCommitRequestData request = new OffsetCommitRequestData()
                            .setGroupId(group)
                            .setMemberId(side.id(who))
                            .setGroupInstanceId(named.orElse(null))
                            .setGenerationIdOrMemberEpoch(said);
                    for (OffsetCommitRequestTopic topic : topics) {
                        OffsetCommitRequestTopic copy = topic.duplicate();
                        request.topics()
                                .add(
                                        version >= BY_ID_FROM
                                                ? copy.setName("").setTopicId(side.topicId(topic.name()))
                                                : copy);
                    }
                    return request;
                },
                "commit of \"" + who + "\" " + named + " generation " + said + " " + words(topics));
    }

    private static String words(List<OffsetCommitRequestTopic> topics) {
        StringBuilder words = new StringBuilder();
        for (OffsetCommitRequestTopic topic : topics) {
            topic.partitions()
                    .forEach(one -> words.append(topic.name())
                            .append('-')
                            .append(one.partitionIndex())
                            .append('@')
                            .append(one.committedOffset())
                            .append(' '));
        }
        return words.toString();
    }

    private GroupStep fetch() {
        int version = 1 + random.nextInt(10);
        boolean all = version >= 2 && oneIn(3);
        String named = oneIn(8) ? "no-such-group" : group;
        List<String> topics = topics();
        List<Integer> partitions = partitions();
        return new GroupStep(
                CLIENT,
                version,
                side -> version >= MANY_GROUPS_FROM
                        ? fetchMany(side, version, named, all ? null : topics, partitions)
                        : fetchOne(named, all ? null : topics, partitions),
                "fetch offsets of " + named + " " + (all ? "all" : topics + " " + partitions));
    }

    private static OffsetFetchRequestData fetchOne(String group, List<String> topics, List<Integer> partitions) {
        return new OffsetFetchRequestData()
                .setGroupId(group)
                .setTopics(
                        topics == null
                                ? null
                                : topics.stream()
                                        .map(topic -> new OffsetFetchRequestTopic()
                                                .setName(topic)
                                                .setPartitionIndexes(partitions))
                                        .toList());
    }

    private static OffsetFetchRequestData fetchMany(
            BrokerSide side, int version, String group, List<String> topics, List<Integer> partitions) {
        OffsetFetchRequestGroup one = new OffsetFetchRequestGroup().setGroupId(group);
        one.setTopics(
                topics == null
                        ? null
                        : topics.stream()
                                .map(topic -> version >= BY_ID_FROM
                                        ? new OffsetFetchRequestTopics()
                                                .setTopicId(side.topicId(topic))
                                                .setPartitionIndexes(partitions)
                                        : new OffsetFetchRequestTopics()
                                                .setName(topic)
                                                .setPartitionIndexes(partitions))
                                .toList());
        return new OffsetFetchRequestData().setGroups(List.of(one));
    }

    GroupStep delete(String named) {
        OffsetDeleteRequestData request = new OffsetDeleteRequestData().setGroupId(named);
        List<String> topics = topics();
        List<Integer> partitions = partitions();
        for (String topic : topics) {
            OffsetDeleteRequestTopic asked = new OffsetDeleteRequestTopic().setName(topic);
            partitions.forEach(partition ->
                    asked.partitions().add(new OffsetDeleteRequestPartition().setPartitionIndex(partition)));
            request.topics().add(asked);
        }
        return new GroupStep(CLIENT, 0, side -> request, "delete offsets of " + named + " " + topics + partitions);
    }

    private List<String> topics() {
        List<String> topics = new ArrayList<>();
        GroupScript.TOPICS.stream().filter(topic -> !oneIn(3)).forEach(topics::add);
        if (oneIn(6)) {
            topics.add("no-such-topic");
        }
        return topics;
    }

    private List<Integer> partitions() {
        List<Integer> partitions = new ArrayList<>(List.of(random.nextInt(2)));
        if (oneIn(3)) {
            partitions.add(2);
        }
        if (oneIn(10)) {
            partitions.add(99);
        }
        return partitions;
    }

    private boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }
}
