package dev.muster.kafka.api.records;

import dev.muster.core.MusterException;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.KafkaErrors;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import dev.muster.kafka.api.TopicDirectory;
import dev.muster.store.PartitionLog;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/** Tells a client up to which offset the history it knows is still valid: a power cut may have taken its end. */
@Serves(api = ApiKeys.OFFSET_FOR_LEADER_EPOCH, from = 2, to = 4)
public final class OffsetForLeaderEpochApi extends Api<OffsetForLeaderEpochRequestData> {
    private final TopicDirectory topics;

    public OffsetForLeaderEpochApi(TopicDirectory topics) {
        this.topics = topics;
    }

    @Override
    public OffsetForLeaderEpochRequestData read(Readable bytes, short version) {
        return new OffsetForLeaderEpochRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<OffsetForLeaderEpochRequestData> request) {
        OffsetForLeaderEpochResponseData response = new OffsetForLeaderEpochResponseData();
        for (var topic : request.body().topics()) {
            OffsetForLeaderTopicResult result = new OffsetForLeaderTopicResult().setTopic(topic.topic());
            for (OffsetForLeaderPartition partition : topic.partitions()) {
                result.partitions().add(look(topic.topic(), partition));
            }
            response.topics().add(result);
        }
        return PendingResponse.of(response);
    }

    private EpochEndOffset look(String topic, OffsetForLeaderPartition asked) {
        EpochEndOffset result = new EpochEndOffset().setPartition(asked.partition());
        try {
            PartitionLog log = topics.log(topic, asked.partition());
            Errors wrongEpoch = LeaderEpochs.check(log, asked.currentLeaderEpoch());
            if (wrongEpoch != Errors.NONE) {
                return result.setErrorCode(wrongEpoch.code());
            }
            // The defaults of the response mean that the epoch is not known.
            boolean known = asked.leaderEpoch() >= 0 && asked.leaderEpoch() <= log.leaderEpoch();
            return known
                    ? result.setLeaderEpoch(asked.leaderEpoch()).setEndOffset(log.endOfEpoch(asked.leaderEpoch()))
                    : result;
        } catch (MusterException e) {
            return result.setErrorCode(KafkaErrors.of(e).code());
        }
    }
}
