package dev.muster.kafka.api.topics;

import dev.muster.core.InvalidNameException;
import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.engine.partition.ParallelMap;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.KafkaErrors;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import dev.muster.kafka.api.TopicDirectory;
import dev.muster.kafka.config.ServerConfig;
import dev.muster.store.LogStore;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicConfigs;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/** Creates topics. They are durable when the request is answered. */
@Serves(
        api = ApiKeys.CREATE_TOPICS,
        from = 2,
        to = 7,
        without = "There is one broker: replication factors other than 1 and -1 are refused, assignments only counted.")
public final class CreateTopicsApi extends Api<CreateTopicsRequestData> {
    private final LogStore store;
    private final ServerConfig config;
    private final ParallelMap sideBySide;

    public CreateTopicsApi(LogStore store, ServerConfig config, ParallelMap sideBySide) {
        this.store = store;
        this.config = config;
        this.sideBySide = sideBySide;
    }

    @Override
    public CreateTopicsRequestData read(Readable bytes, short version) {
        return new CreateTopicsRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<CreateTopicsRequestData> request) {
        CreateTopicsRequestData body = request.body();
        CreateTopicsResponseData response = new CreateTopicsResponseData();
        sideBySide.map(List.copyOf(body.topics()), topic -> create(body, topic)).forEach(response.topics()::add);
        return PendingResponse.of(response);
    }

    private CreatableTopicResult create(CreateTopicsRequestData request, CreatableTopic topic) {
        CreatableTopicResult result = new CreatableTopicResult().setName(topic.name());
        if (request.topics().findAll(topic.name()).size() > 1) {
            fail(result, Errors.INVALID_REQUEST, "the topic is named twice");
        } else {
            create(topic, request.validateOnly(), result);
        }
        return result;
    }

    private void create(CreatableTopic asked, boolean onlyTry, CreatableTopicResult result) {
        int partitions = asked.numPartitions();
        if (!asked.assignments().isEmpty()) {
            if (partitions != -1 || asked.replicationFactor() != -1) {
                fail(
                        result,
                        Errors.INVALID_REQUEST,
                        "a topic has either assignments or numbers of partitions and replicas");
                return;
            }
            partitions = asked.assignments().size();
        } else if (asked.replicationFactor() != 1 && asked.replicationFactor() != -1) {
            fail(result, Errors.INVALID_REPLICATION_FACTOR, "there is one broker, so the replication factor is 1");
            return;
        }
        partitions = partitions == -1 ? config.partitions() : partitions;
        if (partitions < 1 || partitions > LogStore.PARTITIONS_MAX) {
            fail(result, Errors.INVALID_PARTITIONS, "a topic has 1 to " + LogStore.PARTITIONS_MAX + " partitions");
            return;
        }
        TopicSettings settings = config.topicDefaults();
        try {
            for (var config : asked.configs()) {
                settings = TopicConfigs.set(settings, config.name(), config.value());
            }
        } catch (MusterException e) {
            fail(result, Errors.INVALID_CONFIG, TopicConfigs.explained(e));
            return;
        }
        create(asked.name(), partitions, settings, onlyTry, result);
    }

    private void create(
            String name, int partitions, TopicSettings settings, boolean onlyTry, CreatableTopicResult result) {
        try {
            TopicName checked = new TopicName(name);
            if (onlyTry) {
                if (store.find(checked).isPresent()) {
                    fail(result, Errors.TOPIC_ALREADY_EXISTS, "topic \"" + name + "\" exists already");
                    return;
                }
            } else {
                Topic topic = store.create(checked, partitions, settings);
                result.setTopicId(TopicDirectory.wireId(topic));
            }
        } catch (InvalidNameException e) {
            fail(result, Errors.INVALID_TOPIC_EXCEPTION, e.getMessage());
            return;
        } catch (MusterException e) {
            fail(result, KafkaErrors.of(e), e.getMessage());
            return;
        }
        result.setNumPartitions(partitions).setReplicationFactor((short) 1).setConfigs(configs(settings));
    }

    private static void fail(CreatableTopicResult result, Errors error, String why) {
        result.setErrorCode(error.code()).setErrorMessage(why);
    }

    private static List<CreatableTopicConfigs> configs(TopicSettings settings) {
        List<CreatableTopicConfigs> configs = new ArrayList<>();
        TopicConfigs.all(settings)
                .forEach((key, value) -> configs.add(new CreatableTopicConfigs()
                        .setName(key)
                        .setValue(value)
                        .setReadOnly(TopicConfigs.isFixed(key))
                        .setConfigSource(TopicConfigs.source(key, settings).id())));
        return configs;
    }
}
