package dev.muster.kafka.api;

import dev.muster.core.MusterException;
import dev.muster.kafka.Answer;
import dev.muster.kafka.Broker;
import dev.muster.kafka.KafkaErrors;
import dev.muster.kafka.Request;
import dev.muster.kafka.TopicDirectory;
import dev.muster.store.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/** Topics, their partitions, and where to find them: all are here. */
@Serves(
        api = ApiKeys.METADATA,
        from = 0,
        to = 13,
        without = "Authorized operations are not told: there is no authorizer.")
public final class MetadataApi extends Api<MetadataRequestData> {
    private static final short WITH_AUTO_CREATE_CHOICE = 4;

    private final Broker broker;

    MetadataApi(Broker broker) {
        this.broker = broker;
    }

    @Override
    public MetadataRequestData read(Readable bytes, short version) {
        return new MetadataRequestData(bytes, version);
    }

    @Override
    public Answer begin(Request<MetadataRequestData> request) {
        MetadataResponseData response = new MetadataResponseData()
                .setClusterId(ClusterName.of(broker.store().id()))
                .setControllerId(broker.config().nodeId());
        response.brokers()
                .add(new MetadataResponseBroker()
                        .setNodeId(broker.config().nodeId())
                        .setHost(broker.advertised().host())
                        .setPort(broker.advertised().port()));
        List<MetadataRequestTopic> asked = request.body().topics();
        boolean all = asked == null || request.version() == 0 && asked.isEmpty();
        if (all) {
            broker.store().list().forEach(topic -> response.topics().add(describe(topic)));
        } else {
            boolean create = broker.config().createsTopics()
                    && (request.version() < WITH_AUTO_CREATE_CHOICE
                            || request.body().allowAutoTopicCreation());
            asked.forEach(topic -> response.topics().add(describe(topic, create)));
        }
        return Answer.of(response);
    }

    private MetadataResponseTopic describe(MetadataRequestTopic asked, boolean create) {
        try {
            if (!asked.topicId().equals(Uuid.ZERO_UUID)) {
                Optional<Topic> found = broker.topics().find(asked.topicId());
                return found.map(this::describe)
                        .orElseGet(() -> missing(Errors.UNKNOWN_TOPIC_ID, asked).setTopicId(asked.topicId()));
            }
            Optional<Topic> found = broker.topics().find(asked.name());
            if (found.isEmpty() && create) {
                found = Optional.of(broker.topics().ensure(asked.name()));
            }
            return found.map(this::describe).orElseGet(() -> missing(Errors.UNKNOWN_TOPIC_OR_PARTITION, asked));
        } catch (MusterException e) {
            return missing(KafkaErrors.of(e), asked);
        }
    }

    private static MetadataResponseTopic missing(Errors error, MetadataRequestTopic asked) {
        return new MetadataResponseTopic().setErrorCode(error.code()).setName(asked.name());
    }

    private MetadataResponseTopic describe(Topic topic) {
        List<Integer> here = List.of(broker.config().nodeId());
        List<MetadataResponsePartition> partitions = new ArrayList<>(topic.partitions());
        for (int i = 0; i < topic.partitions(); i++) {
            partitions.add(new MetadataResponsePartition()
                    .setPartitionIndex(i)
                    .setLeaderId(broker.config().nodeId())
                    .setLeaderEpoch(broker.topics().leaderEpoch(topic, i))
                    .setReplicaNodes(here)
                    .setIsrNodes(here));
        }
        return new MetadataResponseTopic()
                .setName(topic.name().value())
                .setTopicId(TopicDirectory.wireId(topic))
                .setPartitions(partitions);
    }
}
