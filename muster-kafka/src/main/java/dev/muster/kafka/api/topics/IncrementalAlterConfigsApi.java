package dev.muster.kafka.api.topics;

import dev.muster.core.MusterException;
import dev.muster.core.TopicSettings;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import dev.muster.kafka.api.TopicDirectory;
import dev.muster.store.LogStore;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Readable;

/** Changes single settings of topics. */
@Serves(
        api = ApiKeys.INCREMENTAL_ALTER_CONFIGS,
        from = 0,
        to = 1,
        without = "Only topics: the server's settings are fixed at its start. No setting is a list, so nothing can be "
                + "appended to one.")
public final class IncrementalAlterConfigsApi extends Api<IncrementalAlterConfigsRequestData> {
    private final ConfigChange change;

    public IncrementalAlterConfigsApi(LogStore store, TopicDirectory topics) {
        this.change = new ConfigChange(store, topics);
    }

    @Override
    public IncrementalAlterConfigsRequestData read(Readable bytes, short version) {
        return new IncrementalAlterConfigsRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<IncrementalAlterConfigsRequestData> request) {
        IncrementalAlterConfigsResponseData response = new IncrementalAlterConfigsResponseData();
        for (AlterConfigsResource asked : request.body().resources()) {
            ConfigChange.Outcome outcome = change.make(
                    asked.resourceType(),
                    asked.resourceName(),
                    old -> changed(old, asked),
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

    private static TopicSettings changed(TopicSettings old, AlterConfigsResource asked) {
        TopicSettings settings = old;
        for (AlterableConfig config : asked.configs()) {
            OpType operation = OpType.forId(config.configOperation());
            settings = switch (operation) {
                case SET -> TopicConfigs.set(settings, config.name(), config.value());
                case DELETE -> TopicConfigs.set(settings, config.name(), null);
                case APPEND, SUBTRACT ->
                    throw new MusterException(config.name() + " is not a list", "set it to the whole value");
                case null -> throw new MusterException("unknown operation " + config.configOperation());
            };
        }
        return settings;
    }
}
