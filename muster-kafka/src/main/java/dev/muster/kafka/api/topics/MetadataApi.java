package dev.muster.kafka.api.topics;

import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.BrokerIdentity;
import dev.muster.kafka.api.KafkaErrors;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import dev.muster.kafka.api.TopicDirectory;
import dev.muster.kafka.config.ServerConfig;
import dev.muster.store.LogStore;
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

/** Describes topics, their partitions, and the broker that has them, which is always this one. */
@Serves(
        api = ApiKeys.METADATA,
        from = 0,
        to = 13,
        without = "Authorized operations are not sent: there is no authorizer.")
public final class MetadataApi extends Api<MetadataRequestData> {
    private static final short WITH_AUTO_CREATE_CHOICE = 4;

    private final BrokerIdentity identity;
    private final LogStore store;
    private final TopicDirectory topics;
    private final ServerConfig config;

    public MetadataApi(BrokerIdentity identity, LogStore store, TopicDirectory topics, ServerConfig config) {
        this.identity = identity;
        this.store = store;
        this.topics = topics;
        this.config = config;
    }

    @Override
    public MetadataRequestData read(Readable bytes, short version) {
        return new MetadataRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<MetadataRequestData> request) {
        MetadataResponseData response =
                new MetadataResponseData().setClusterId(identity.clusterId()).setControllerId(identity.nodeId());
        response.brokers()
                .add(new MetadataResponseBroker()
                        .setNodeId(identity.nodeId())
                        .setHost(identity.advertised().host())
                        .setPort(identity.advertised().port()));
        List<MetadataRequestTopic> asked = request.body().topics();
        boolean all = asked == null || request.version() == 0 && asked.isEmpty();
        if (all) {
            store.list().forEach(topic -> response.topics().add(describe(topic)));
        } else {
            boolean create = config.createsTopics()
                    && (request.version() < WITH_AUTO_CREATE_CHOICE
                            || request.body().allowAutoTopicCreation());
            asked.forEach(topic -> response.topics().add(describe(topic, create)));
        }
        return PendingResponse.of(response);
    }

    private MetadataResponseTopic describe(MetadataRequestTopic asked, boolean create) {
        try {
            if (!asked.topicId().equals(Uuid.ZERO_UUID)) {
                Optional<Topic> found = topics.find(asked.topicId());
                return found.map(this::describe)
                        .orElseGet(() -> missing(Errors.UNKNOWN_TOPIC_ID, asked).setTopicId(asked.topicId()));
            }
            Optional<Topic> found = topics.find(asked.name());
            if (found.isEmpty() && create) {
                found = Optional.of(topics.ensure(asked.name()));
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
        List<Integer> here = List.of(identity.nodeId());
        List<MetadataResponsePartition> partitions = new ArrayList<>(topic.partitions());
        for (int i = 0; i < topic.partitions(); i++) {
            partitions.add(new MetadataResponsePartition()
                    .setPartitionIndex(i)
                    .setLeaderId(identity.nodeId())
                    .setLeaderEpoch(topics.leaderEpoch(topic, i))
                    .setReplicaNodes(here)
                    .setIsrNodes(here));
        }
        return new MetadataResponseTopic()
                .setName(topic.name().value())
                .setTopicId(TopicDirectory.wireId(topic))
                .setPartitions(partitions);
    }
}
