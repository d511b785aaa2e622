package dev.muster.kafka.api.groups;

import dev.muster.core.InvalidNameException;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.Commit;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.engine.admin.ServedGroups;
import dev.muster.engine.group.remote.ConsumerProtocol;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import dev.muster.kafka.api.TopicDirectory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartition;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopic;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/**
 * Returns the committed offsets of groups. Up to version 7 a request names one group, from 8 on several; from 10 on
 * topics have ids. From version 2 on a request without topics means all of them.
 */
@Serves(api = ApiKeys.OFFSET_FETCH, from = 1, to = 10)
public final class OffsetFetchApi extends Api<OffsetFetchRequestData> {
    private static final int MANY_FROM = 8;
    private static final int IDS_FROM = 10;
    private static final long NO_OFFSET = -1;

    private final TopicDirectory topics;
    private final ServedGroups served;
    private final ConsumerProtocol remote;

    public OffsetFetchApi(TopicDirectory topics, ServedGroups served, ConsumerProtocol remote) {
        this.topics = topics;
        this.served = served;
        this.remote = remote;
    }

    @Override
    public OffsetFetchRequestData read(Readable bytes, short version) {
        return new OffsetFetchRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<OffsetFetchRequestData> request) {
        boolean byId = request.version() >= IDS_FROM;
        List<CompletableFuture<OffsetFetchResponseGroup>> groups = new ArrayList<>();
        for (OffsetFetchRequestGroup group : groups(request)) {
            groups.add(GroupErrors.laterUnlessDamaged(
                    () -> refusal(group)
                            .map(CompletableFuture::completedFuture)
                            .orElseGet(() ->
                                    served.offsets(group.groupId()).thenApply(offsets -> answer(group, offsets, byId))),
                    (error, _) -> new OffsetFetchResponseGroup()
                            .setGroupId(group.groupId())
                            .setErrorCode(error.code())));
        }
        return PendingResponse.when(CompletableFuture.allOf(groups.toArray(CompletableFuture[]::new))
                .thenApply(all -> {
                    List<OffsetFetchResponseGroup> answers =
                            groups.stream().map(CompletableFuture::join).toList();
                    return request.version() >= MANY_FROM
                            ? new OffsetFetchResponseData().setGroups(answers)
                            : old(answers.getFirst());
                }));
    }

    /**
     * The refusal of a member of the new group protocol (from version 9 on) that is no member any more; empty if there
     * is none.
     */
    private Optional<OffsetFetchResponseGroup> refusal(OffsetFetchRequestGroup group) {
        return Optional.ofNullable(group.memberId())
                .filter(member -> !member.isEmpty() && group.memberEpoch() >= 0)
                .flatMap(member -> remote.mayFetch(group.groupId(), member, group.memberEpoch()))
                .map(refused -> new OffsetFetchResponseGroup()
                        .setGroupId(group.groupId())
                        .setErrorCode(GroupErrors.of(refused.why()).code()));
    }

    private static List<OffsetFetchRequestGroup> groups(Request<OffsetFetchRequestData> request) {
        OffsetFetchRequestData asked = request.body();
        if (request.version() >= MANY_FROM) {
            return asked.groups();
        }
        OffsetFetchRequestGroup one = new OffsetFetchRequestGroup().setGroupId(asked.groupId());
        if (asked.topics() == null) {
            return List.of(one.setTopics(null));
        }
        asked.topics()
                .forEach(topic -> one.topics()
                        .add(new OffsetFetchRequestTopics()
                                .setName(topic.name())
                                .setPartitionIndexes(topic.partitionIndexes())));
        return List.of(one);
    }

    private OffsetFetchResponseGroup answer(
            OffsetFetchRequestGroup asked, SortedMap<TopicPartition, Commit> offsets, boolean byId) {
        OffsetFetchResponseGroup result = new OffsetFetchResponseGroup().setGroupId(asked.groupId());
        if (asked.topics() == null) {
            return result.setTopics(all(offsets, byId));
        }
        for (OffsetFetchRequestTopics topic : asked.topics()) {
            OffsetFetchResponseTopics answer =
                    new OffsetFetchResponseTopics().setName(topic.name()).setTopicId(topic.topicId());
            Optional<TopicName> name =
                    byId ? topics.find(topic.topicId()).map(found -> found.name()) : name(topic.name());
            for (int partition : topic.partitionIndexes()) {
                answer.partitions()
                        .add(
                                name.isEmpty() && byId
                                        ? none(partition).setErrorCode(Errors.UNKNOWN_TOPIC_ID.code())
                                        : partition(name, partition, offsets));
            }
            result.topics().add(answer);
        }
        return result;
    }

    private List<OffsetFetchResponseTopics> all(SortedMap<TopicPartition, Commit> offsets, boolean byId) {
        Map<TopicName, OffsetFetchResponseTopics> topics = new LinkedHashMap<>();
        offsets.forEach((partition, commit) -> topics.computeIfAbsent(
                        partition.topic(),
                        name -> new OffsetFetchResponseTopics()
                                .setName(byId ? "" : name.value())
                                .setTopicId(byId ? id(name) : Uuid.ZERO_UUID))
                .partitions()
                .add(some(partition.partition(), commit.offset())));
        return List.copyOf(topics.values());
    }

    private Uuid id(TopicName name) {
        return topics.find(name.value()).map(TopicDirectory::wireId).orElse(Uuid.ZERO_UUID);
    }

    private static Optional<TopicName> name(String name) {
        try {
            return Optional.of(new TopicName(name));
        } catch (InvalidNameException e) {
            return Optional.empty();
        }
    }

    private static OffsetFetchResponsePartitions partition(
            Optional<TopicName> name, int partition, SortedMap<TopicPartition, Commit> offsets) {
        Commit commit = name.isEmpty() || partition < 0 ? null : offsets.get(new TopicPartition(name.get(), partition));
        return commit == null ? none(partition) : some(partition, commit.offset());
    }

    private static OffsetFetchResponsePartitions none(int partition) {
        return new OffsetFetchResponsePartitions()
                .setPartitionIndex(partition)
                .setCommittedOffset(NO_OFFSET)
                .setMetadata("");
    }

    private static OffsetFetchResponsePartitions some(int partition, CommittedOffset offset) {
        return new OffsetFetchResponsePartitions()
                .setPartitionIndex(partition)
                .setCommittedOffset(offset.offset())
                .setCommittedLeaderEpoch(offset.leaderEpoch())
                .setMetadata(offset.metadata());
    }

    private static OffsetFetchResponseData old(OffsetFetchResponseGroup group) {
        OffsetFetchResponseData response = new OffsetFetchResponseData().setErrorCode(group.errorCode());
        for (OffsetFetchResponseTopics topic : group.topics()) {
            OffsetFetchResponseTopic result = new OffsetFetchResponseTopic().setName(topic.name());
            topic.partitions()
                    .forEach(one -> result.partitions()
                            .add(new OffsetFetchResponsePartition()
                                    .setPartitionIndex(one.partitionIndex())
                                    .setCommittedOffset(one.committedOffset())
                                    .setCommittedLeaderEpoch(one.committedLeaderEpoch())
                                    .setMetadata(one.metadata())
                                    .setErrorCode(one.errorCode())));
            response.topics().add(result);
        }
        return response;
    }
}
