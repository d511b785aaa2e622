package dev.muster.kafka.api.records;

import dev.muster.core.MusterException;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.KafkaErrors;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import dev.muster.kafka.api.TopicDirectory;
import dev.muster.store.PartitionLog;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResult;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Readable;

/** Makes the oldest records of partitions unreadable, for ever. */
@Serves(api = ApiKeys.DELETE_RECORDS, from = 0, to = 2)
public final class DeleteRecordsApi extends Api<DeleteRecordsRequestData> {
    private static final long TO_THE_END = -1;

    private final TopicDirectory topics;

    public DeleteRecordsApi(TopicDirectory topics) {
        this.topics = topics;
    }

    @Override
    public DeleteRecordsRequestData read(Readable bytes, short version) {
        return new DeleteRecordsRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<DeleteRecordsRequestData> request) {
        DeleteRecordsResponseData response = new DeleteRecordsResponseData();
        for (var topic : request.body().topics()) {
            DeleteRecordsTopicResult result = new DeleteRecordsTopicResult().setName(topic.name());
            for (DeleteRecordsPartition partition : topic.partitions()) {
                result.partitions().add(trim(topic.name(), partition));
            }
            response.topics().add(result);
        }
        return PendingResponse.of(response);
    }

    private DeleteRecordsPartitionResult trim(String topic, DeleteRecordsPartition asked) {
        DeleteRecordsPartitionResult result = new DeleteRecordsPartitionResult()
                .setPartitionIndex(asked.partitionIndex())
                .setLowWatermark(-1);
        try {
            PartitionLog log = topics.log(topic, asked.partitionIndex());
            long start = asked.offset() == TO_THE_END ? log.endOffset() : asked.offset();
            // Records below the start offset are deleted already.
            if (start < 0 || start > log.startOffset()) {
                log.trim(start);
            }
            return result.setLowWatermark(log.startOffset());
        } catch (MusterException e) {
            return result.setErrorCode(KafkaErrors.of(e).code());
        }
    }
}
