package dev.muster.kafka.api.topics;

import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.KafkaErrors;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import dev.muster.kafka.api.TopicDirectory;
import dev.muster.kafka.config.ServerConfig;
import dev.muster.store.TopicNotFoundException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsSynonym;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;

/** Describes the settings of topics and of the server, with their defaults. */
@Serves(
        api = ApiKeys.DESCRIBE_CONFIGS,
        from = 1,
        to = 4,
        without = "Only topics and the broker have settings. Documentation is not sent.")
public final class DescribeConfigsApi extends Api<DescribeConfigsRequestData> {
    private final TopicDirectory topics;
    private final ServerConfig config;

    public DescribeConfigsApi(TopicDirectory topics, ServerConfig config) {
        this.topics = topics;
        this.config = config;
    }

    @Override
    public DescribeConfigsRequestData read(Readable bytes, short version) {
        return new DescribeConfigsRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<DescribeConfigsRequestData> request) {
        DescribeConfigsResponseData response = new DescribeConfigsResponseData();
        for (DescribeConfigsResource asked : request.body().resources()) {
            DescribeConfigsResult result = new DescribeConfigsResult()
                    .setResourceType(asked.resourceType())
                    .setResourceName(asked.resourceName());
            describe(asked, request.body().includeSynonyms(), result);
            response.results().add(result);
        }
        return PendingResponse.of(response);
    }

    private void describe(DescribeConfigsResource asked, boolean synonyms, DescribeConfigsResult result) {
        switch (ConfigResource.Type.forId(asked.resourceType())) {
            case TOPIC -> describeTopic(asked, synonyms, result);
            case BROKER -> {
                Map<String, String> defaults = ServerConfig.DEFAULT.toMap();
                Map<String, String> all = config.toMap();
                tell(
                        asked,
                        synonyms,
                        result,
                        all,
                        key -> all.get(key).equals(defaults.get(key))
                                ? ConfigSource.DEFAULT_CONFIG
                                : ConfigSource.STATIC_BROKER_CONFIG,
                        key -> true);
            }
            default ->
                result.setErrorCode(Errors.INVALID_REQUEST.code())
                        .setErrorMessage("only topics and the broker have settings");
        }
    }

    private void describeTopic(DescribeConfigsResource asked, boolean synonyms, DescribeConfigsResult result) {
        try {
            Topic topic = topics.find(asked.resourceName())
                    .orElseThrow(() -> new TopicNotFoundException("topic \"" + asked.resourceName() + "\""));
            tell(
                    asked,
                    synonyms,
                    result,
                    TopicConfigs.all(topic.settings()),
                    key -> TopicConfigs.source(key, topic.settings()),
                    TopicConfigs::isFixed);
        } catch (MusterException e) {
            result.setErrorCode(KafkaErrors.of(e).code()).setErrorMessage(e.getMessage());
        }
    }

    private static void tell(
            DescribeConfigsResource asked,
            boolean synonyms,
            DescribeConfigsResult result,
            Map<String, String> all,
            Function<String, ConfigSource> source,
            Function<String, Boolean> readOnly) {
        List<String> keys = asked.configurationKeys();
        all.forEach((key, value) -> {
            if (keys == null || keys.isEmpty() || keys.contains(key)) {
                byte from = source.apply(key).id();
                DescribeConfigsResourceResult setting = new DescribeConfigsResourceResult()
                        .setName(key)
                        .setValue(value)
                        .setReadOnly(readOnly.apply(key))
                        .setConfigSource(from)
                        .setConfigType(TopicConfigs.type(key, value).id());
                if (synonyms) {
                    setting.synonyms()
                            .add(new DescribeConfigsSynonym()
                                    .setName(key)
                                    .setValue(value)
                                    .setSource(from));
                }
                result.configs().add(setting);
            }
        });
    }
}
