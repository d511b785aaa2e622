package dev.muster.kafka.api.topics;

import dev.muster.core.MusterException;
import dev.muster.core.TopicSettings;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import dev.muster.kafka.api.TopicDirectory;
import dev.muster.store.LogStore;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.AlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Readable;

/** Replaces all settings of topics: a setting that is not named gets its default. */
@Serves(
        api = ApiKeys.ALTER_CONFIGS,
        from = 0,
        to = 2,
        without = "Only topics: the server's settings are fixed at its start.")
public final class AlterConfigsApi extends Api<AlterConfigsRequestData> {
    /** The setting for embedded producers. Kafka has another setting of the same name. */
    private static final String COMPRESSION = "compression.type";

    private final ConfigChange change;

    public AlterConfigsApi(LogStore store, TopicDirectory topics) {
        this.change = new ConfigChange(store, topics);
    }

    @Override
    public AlterConfigsRequestData read(Readable bytes, short version) {
        return new AlterConfigsRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<AlterConfigsRequestData> request) {
        AlterConfigsResponseData response = new AlterConfigsResponseData();
        for (AlterConfigsResource asked : request.body().resources()) {
            ConfigChange.Outcome outcome = change.make(
                    asked.resourceType(),
                    asked.resourceName(),
                    old -> replaced(old, asked),
                    request.body().validateOnly());
            response.responses()
                    .add(new AlterConfigsResourceResponse()
                            .setResourceType(asked.resourceType())
                            .setResourceName(asked.resourceName())
                            .setErrorCode(outcome.error().code())
                            .setErrorMessage(outcome.message()));
        }
        return PendingResponse.of(response);
    }

    /** @throws MusterException if a key or value is not valid */
    private static TopicSettings replaced(TopicSettings old, AlterConfigsResource asked) {
        TopicSettings settings =
                TopicSettings.DEFAULT.with(COMPRESSION, old.compression().toString());
        for (var config : asked.configs()) {
            settings = TopicConfigs.set(settings, config.name(), config.value());
        }
        return settings;
    }
}
