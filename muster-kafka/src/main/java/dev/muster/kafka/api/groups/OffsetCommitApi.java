package dev.muster.kafka.api.groups;

import dev.muster.core.MemberId;
import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.engine.group.remote.ClassicProtocol;
import dev.muster.engine.group.remote.ConsumerProtocol;
import dev.muster.engine.group.remote.RemoteAnswer;
import dev.muster.engine.group.session.ClassicRequest;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import dev.muster.kafka.api.TopicDirectory;
import dev.muster.store.PartitionLog;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/**
 * Commits offsets of a group. The commit is durable when it is answered. If some partitions do not exist, the others
 * are committed. Topics have names up to version 9 and ids from 10 on.
 */
@Serves(
        api = ApiKeys.OFFSET_COMMIT,
        from = 2,
        to = 10,
        without = "Offsets do not expire, so a retention time (up to version 4) means nothing.")
public final class OffsetCommitApi extends Api<OffsetCommitRequestData> {
    private static final System.Logger LOG = System.getLogger(OffsetCommitApi.class.getName());
    private static final int IDS_FROM = 10;
    private static final int NO_EPOCH = -1;

    private final TopicDirectory topics;
    private final ClassicProtocol classic;
    private final ConsumerProtocol remote;

    public OffsetCommitApi(TopicDirectory topics, ClassicProtocol classic, ConsumerProtocol remote) {
        this.topics = topics;
        this.classic = classic;
        this.remote = remote;
    }

    @Override
    public OffsetCommitRequestData read(Readable bytes, short version) {
        return new OffsetCommitRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<OffsetCommitRequestData> request) {
        OffsetCommitRequestData asked = request.body();
        SortedMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        OffsetCommitResponseData response = new OffsetCommitResponseData();
        for (OffsetCommitRequestTopic topic : asked.topics()) {
            response.topics().add(check(topic, request.version(), offsets));
        }
        if (!isAnyLeft(response)) {
            return PendingResponse.of(response);
        }
        return PendingResponse.when(commit(asked, offsets).thenApply(error -> {
            response.topics()
                    .forEach(topic -> topic.partitions().forEach(partition -> {
                        if (error != Errors.NONE && isLeftToTheGroup(partition)) {
                            partition.setErrorCode(error.code());
                        }
                    }));
            return response;
        }));
    }

    private CompletableFuture<Errors> commit(
            OffsetCommitRequestData asked, SortedMap<TopicPartition, CommittedOffset> offsets) {
        if (remote.isMember(asked.groupId(), asked.memberId())) {
            return remote.commit(
                            asked.groupId(), new MemberId(asked.memberId()), asked.generationIdOrMemberEpoch(), offsets)
                    .thenApply(answer ->
                            answer instanceof RemoteAnswer.Refused(var why, var _) ? GroupErrors.of(why) : Errors.NONE);
        }
        ClassicRequest.Identity who = new ClassicRequest.Identity(
                asked.memberId(), Optional.ofNullable(asked.groupInstanceId()), asked.generationIdOrMemberEpoch());
        return classic.commit(asked.groupId(), who, offsets).thenApply(GroupErrors::of);
    }

    private static boolean isAnyLeft(OffsetCommitResponseData response) {
        return response.topics().stream()
                .flatMap(topic -> topic.partitions().stream())
                .anyMatch(OffsetCommitApi::isLeftToTheGroup);
    }

    /**
     * True if the group decides about the partition. Metadata that are too large count as well: a client that may not
     * commit gets that error instead.
     */
    private static boolean isLeftToTheGroup(OffsetCommitResponsePartition partition) {
        return partition.errorCode() == Errors.NONE.code()
                || partition.errorCode() == Errors.OFFSET_METADATA_TOO_LARGE.code();
    }

    private OffsetCommitResponseTopic check(
            OffsetCommitRequestTopic asked, int version, SortedMap<TopicPartition, CommittedOffset> offsets) {
        boolean byId = version >= IDS_FROM;
        Optional<Topic> topic = byId ? topics.find(asked.topicId()) : topics.find(asked.name());
        OffsetCommitResponseTopic result =
                new OffsetCommitResponseTopic().setName(asked.name()).setTopicId(asked.topicId());
        for (OffsetCommitRequestPartition partition : asked.partitions()) {
            Errors error = topic.map(known -> check(known, partition))
                    .orElse(byId ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION);
            if (error == Errors.NONE) {
                TopicName name = topic.orElseThrow().name();
                offsets.put(new TopicPartition(name, partition.partitionIndex()), withinLog(name, partition));
            }
            result.partitions()
                    .add(new OffsetCommitResponsePartition()
                            .setPartitionIndex(partition.partitionIndex())
                            .setErrorCode(error.code()));
        }
        return result;
    }

    private static Errors check(Topic topic, OffsetCommitRequestPartition partition) {
        if (partition.partitionIndex() < 0 || partition.partitionIndex() >= topic.partitions()) {
            return Errors.UNKNOWN_TOPIC_OR_PARTITION;
        }
        if (partition.committedMetadata() != null
                && partition.committedMetadata().length() > CommittedOffset.METADATA_MAX) {
            return Errors.OFFSET_METADATA_TOO_LARGE;
        }
        return partition.committedOffset() < 0 ? Errors.INVALID_REQUEST : Errors.NONE;
    }

    /**
     * The offset to commit. An offset beyond the end of the log is lowered to the end; otherwise the group would skip
     * the records that come there later. The client gets no error: most clients fail on an error that they do not
     * expect here.
     */
    private CommittedOffset withinLog(TopicName topic, OffsetCommitRequestPartition partition) {
        String metadata = partition.committedMetadata() == null ? "" : partition.committedMetadata();
        CommittedOffset asked =
                new CommittedOffset(partition.committedOffset(), partition.committedLeaderEpoch(), metadata);
        try {
            PartitionLog log = topics.log(topic.value(), partition.partitionIndex());
            long end = Math.max(log.startOffset(), log.endOffset());
            return asked.offset() <= end ? asked : new CommittedOffset(end, NO_EPOCH, metadata);
        } catch (MusterException e) {
            // The end of the log is not known at the moment. A member that starts at the offset will find the end.
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "the end of {0}-{1} is not known: {2}",
                    topic,
                    partition.partitionIndex(),
                    e.getMessage());
            return asked;
        }
    }
}
