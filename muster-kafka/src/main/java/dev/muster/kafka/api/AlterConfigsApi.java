package dev.muster.kafka.api;

import dev.muster.core.MusterException;
import dev.muster.core.TopicSettings;
import dev.muster.kafka.Answer;
import dev.muster.kafka.Broker;
import dev.muster.kafka.Request;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.AlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Readable;

/** Replaces all settings of topics: what is not named gets its default. */
@Serves(
        api = ApiKeys.ALTER_CONFIGS,
        from = 0,
        to = 2,
        without = "Only topics: the server's settings are fixed at its start.")
public final class AlterConfigsApi extends Api<AlterConfigsRequestData> {
    /** Of embedded producers; Kafka's setting of that name is another one. */
    private static final String COMPRESSION = "compression.type";

    private final ConfigChange change;

    AlterConfigsApi(Broker broker) {
        this.change = new ConfigChange(broker);
    }

    @Override
    public AlterConfigsRequestData read(Readable bytes, short version) {
        return new AlterConfigsRequestData(bytes, version);
    }

    @Override
    public Answer begin(Request<AlterConfigsRequestData> request) {
        AlterConfigsResponseData response = new AlterConfigsResponseData();
        boolean onlyTry = request.body().validateOnly();
        for (AlterConfigsResource asked : request.body().resources()) {
            ConfigChange.Outcome outcome =
                    change.make(asked.resourceType(), asked.resourceName(), onlyTry, old -> replaced(old, asked));
            response.responses()
                    .add(new AlterConfigsResourceResponse()
                            .setResourceType(asked.resourceType())
                            .setResourceName(asked.resourceName())
                            .setErrorCode(outcome.error().code())
                            .setErrorMessage(outcome.message()));
        }
        return Answer.of(response);
    }

    /** @throws MusterException when a key or value is none */
    private static TopicSettings replaced(TopicSettings old, AlterConfigsResource asked) {
        TopicSettings settings =
                TopicSettings.DEFAULT.with(COMPRESSION, old.compression().toString());
        for (var config : asked.configs()) {
            settings = TopicConfigs.set(settings, config.name(), config.value());
        }
        return settings;
    }
}
