package dev.muster.kafka.api.topics;

import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.KafkaErrors;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import dev.muster.kafka.api.TopicDirectory;
import dev.muster.store.LogStore;
import java.util.Optional;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreatePartitionsResponseData.CreatePartitionsTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/** Raises the number of partitions of topics. */
@Serves(api = ApiKeys.CREATE_PARTITIONS, from = 0, to = 3, without = "Assignments are ignored: there is one broker.")
public final class CreatePartitionsApi extends Api<CreatePartitionsRequestData> {
    private final LogStore store;
    private final TopicDirectory topics;

    public CreatePartitionsApi(LogStore store, TopicDirectory topics) {
        this.store = store;
        this.topics = topics;
    }

    @Override
    public CreatePartitionsRequestData read(Readable bytes, short version) {
        return new CreatePartitionsRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<CreatePartitionsRequestData> request) {
        CreatePartitionsResponseData response = new CreatePartitionsResponseData();
        for (CreatePartitionsTopic topic : request.body().topics()) {
            response.results().add(grow(topic, request.body().validateOnly()));
        }
        return PendingResponse.of(response);
    }

    private CreatePartitionsTopicResult grow(CreatePartitionsTopic asked, boolean onlyTry) {
        CreatePartitionsTopicResult result = new CreatePartitionsTopicResult().setName(asked.name());
        try {
            Optional<Topic> topic = topics.find(asked.name());
            if (topic.isEmpty()) {
                return result.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
            }
            int present = topic.get().partitions();
            if (asked.count() <= present || asked.count() > LogStore.PARTITIONS_MAX) {
                return result.setErrorCode(Errors.INVALID_PARTITIONS.code())
                        .setErrorMessage("the topic has " + present + " partitions; it can have more, up to "
                                + LogStore.PARTITIONS_MAX + ", but not " + asked.count());
            }
            if (!onlyTry) {
                store.addPartitions(topic.get().name(), asked.count());
                topics.find(asked.name());
            }
            return result;
        } catch (MusterException e) {
            return result.setErrorCode(KafkaErrors.of(e).code()).setErrorMessage(e.getMessage());
        }
    }
}
