package dev.muster.kafka.api.topics;

import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.KafkaErrors;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import dev.muster.kafka.api.TopicDirectory;
import dev.muster.store.LogStore;
import java.util.Optional;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsResponseData.DeletableTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/** Deletes topics with all their records, by name or by id. */
@Serves(api = ApiKeys.DELETE_TOPICS, from = 1, to = 6)
public final class DeleteTopicsApi extends Api<DeleteTopicsRequestData> {
    private static final short WITH_IDS = 6;

    private final LogStore store;
    private final TopicDirectory topics;

    public DeleteTopicsApi(LogStore store, TopicDirectory topics) {
        this.store = store;
        this.topics = topics;
    }

    @Override
    public DeleteTopicsRequestData read(Readable bytes, short version) {
        return new DeleteTopicsRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<DeleteTopicsRequestData> request) {
        DeleteTopicsResponseData response = new DeleteTopicsResponseData();
        if (request.version() < WITH_IDS) {
            for (String name : request.body().topicNames()) {
                response.responses().add(delete(name, Uuid.ZERO_UUID));
            }
        }
        for (DeleteTopicState topic : request.body().topics()) {
            response.responses().add(delete(topic.name(), topic.topicId()));
        }
        return PendingResponse.of(response);
    }

    private DeletableTopicResult delete(String name, Uuid id) {
        DeletableTopicResult result = new DeletableTopicResult().setName(name).setTopicId(id);
        boolean byId = name == null;
        try {
            Optional<Topic> topic = byId ? topics.find(id) : topics.find(name);
            if (topic.isEmpty()) {
                Errors error = byId ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION;
                return result.setErrorCode(error.code()).setErrorMessage(error.message());
            }
            TopicName found = topic.get().name();
            store.delete(found);
            return result.setName(found.value()).setTopicId(TopicDirectory.wireId(topic.get()));
        } catch (MusterException e) {
            return result.setErrorCode(KafkaErrors.of(e).code()).setErrorMessage(e.getMessage());
        }
    }
}
