package dev.muster.kafka.api.topics;

import dev.muster.core.Topic;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.BrokerIdentity;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import dev.muster.kafka.api.TopicDirectory;
import dev.muster.store.LogStore;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.Cursor;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponsePartition;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/** Describes topics and their partitions in portions; a cursor names the beginning of the next one. */
@Serves(
        api = ApiKeys.DESCRIBE_TOPIC_PARTITIONS,
        from = 0,
        to = 0,
        without = "Authorized operations are not sent: there is no authorizer.")
public final class DescribeTopicPartitionsApi extends Api<DescribeTopicPartitionsRequestData> {
    private static final int PARTITIONS_MAX = 2_000;

    private final BrokerIdentity identity;
    private final LogStore store;
    private final TopicDirectory topics;

    public DescribeTopicPartitionsApi(BrokerIdentity identity, LogStore store, TopicDirectory topics) {
        this.identity = identity;
        this.store = store;
        this.topics = topics;
    }

    @Override
    public DescribeTopicPartitionsRequestData read(Readable bytes, short version) {
        return new DescribeTopicPartitionsRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<DescribeTopicPartitionsRequestData> request) {
        DescribeTopicPartitionsRequestData body = request.body();
        TreeSet<String> names = new TreeSet<>();
        body.topics().forEach(topic -> names.add(topic.name()));
        if (names.isEmpty()) {
            store.list().forEach(topic -> names.add(topic.name().value()));
        }
        DescribeTopicPartitionsResponseData response = new DescribeTopicPartitionsResponseData();
        String first = body.cursor() == null ? "" : body.cursor().topicName();
        int left = Math.clamp(body.responsePartitionLimit(), 1, PARTITIONS_MAX);
        for (String name : names.tailSet(first)) {
            int from = name.equals(first) ? Math.max(0, body.cursor().partitionIndex()) : 0;
            if (left == 0) {
                response.setNextCursor(new Cursor().setTopicName(name).setPartitionIndex(from));
                break;
            }
            DescribeTopicPartitionsResponseTopic result = describe(name, from, left);
            response.topics().add(result);
            left -= result.partitions().size();
            int next = from + result.partitions().size();
            if (left == 0 && topics.find(name).map(Topic::partitions).orElse(0) > next) {
                response.setNextCursor(new Cursor().setTopicName(name).setPartitionIndex(next));
                break;
            }
        }
        return PendingResponse.of(response);
    }

    private DescribeTopicPartitionsResponseTopic describe(String name, int from, int most) {
        DescribeTopicPartitionsResponseTopic result = new DescribeTopicPartitionsResponseTopic().setName(name);
        Optional<Topic> topic = topics.find(name);
        if (topic.isEmpty()) {
            return result.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        }
        result.setTopicId(TopicDirectory.wireId(topic.get()));
        List<Integer> here = List.of(identity.nodeId());
        for (int i = from; i < Math.min(topic.get().partitions(), (long) from + most); i++) {
            result.partitions()
                    .add(new DescribeTopicPartitionsResponsePartition()
                            .setPartitionIndex(i)
                            .setLeaderId(identity.nodeId())
                            .setLeaderEpoch(topics.leaderEpoch(topic.get(), i))
                            .setReplicaNodes(here)
                            .setIsrNodes(here)
                            .setEligibleLeaderReplicas(List.of())
                            .setLastKnownElr(List.of()));
        }
        return result;
    }
}
