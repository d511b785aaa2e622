package dev.muster.kafka.api.groups;

import dev.muster.core.InvalidNameException;
import dev.muster.core.Topic;
import dev.muster.core.TopicPartition;
import dev.muster.engine.admin.ServedGroups;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import dev.muster.kafka.api.TopicDirectory;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponsePartition;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/** Deletes a group's offsets of partitions whose topics none of its members reads. */
@Serves(api = ApiKeys.OFFSET_DELETE, from = 0, to = 0)
public final class OffsetDeleteApi extends Api<OffsetDeleteRequestData> {
    private final TopicDirectory topics;
    private final ServedGroups served;

    public OffsetDeleteApi(TopicDirectory topics, ServedGroups served) {
        this.topics = topics;
        this.served = served;
    }

    @Override
    public OffsetDeleteRequestData read(Readable bytes, short version) {
        return new OffsetDeleteRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<OffsetDeleteRequestData> request) {
        OffsetDeleteRequestData asked = request.body();
        Set<TopicPartition> partitions = new HashSet<>();
        for (var topic : asked.topics()) {
            Optional<Topic> known = topics.find(topic.name());
            topic.partitions()
                    .forEach(partition -> known.filter(found -> has(found, partition.partitionIndex()))
                            .ifPresent(found ->
                                    partitions.add(new TopicPartition(found.name(), partition.partitionIndex()))));
        }
        return PendingResponse.when(
                served.forget(asked.groupId(), partitions).thenApply(done -> answer(asked, partitions, done)));
    }

    private static boolean has(Topic topic, int partition) {
        return partition >= 0 && partition < topic.partitions();
    }

    private static OffsetDeleteResponseData answer(
            OffsetDeleteRequestData asked, Set<TopicPartition> known, ServedGroups.Forgotten done) {
        OffsetDeleteResponseData response = new OffsetDeleteResponseData();
        if (done.refusal().isPresent()) {
            return response.setErrorCode(GroupErrors.of(done.refusal().get()).code());
        }
        for (var topic : asked.topics()) {
            OffsetDeleteResponseTopic result = new OffsetDeleteResponseTopic().setName(topic.name());
            for (var partition : topic.partitions()) {
                result.partitions()
                        .add(new OffsetDeleteResponsePartition()
                                .setPartitionIndex(partition.partitionIndex())
                                .setErrorCode(error(topic.name(), partition.partitionIndex(), known, done)
                                        .code()));
            }
            response.topics().add(result);
        }
        return response;
    }

    private static Errors error(String topic, int partition, Set<TopicPartition> known, ServedGroups.Forgotten done) {
        try {
            TopicPartition asked = TopicPartition.of(topic, partition);
            if (done.read().contains(asked)) {
                return Errors.GROUP_SUBSCRIBED_TO_TOPIC;
            }
            return known.contains(asked) ? Errors.NONE : Errors.UNKNOWN_TOPIC_OR_PARTITION;
        } catch (InvalidNameException | IllegalArgumentException e) {
            return Errors.UNKNOWN_TOPIC_OR_PARTITION;
        }
    }
}
