package dev.muster.kafka.api.records;

import dev.muster.core.MusterException;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.KafkaErrors;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import dev.muster.kafka.api.TopicDirectory;
import dev.muster.store.PartitionLog;
import java.util.Optional;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;
import org.apache.kafka.common.requests.ListOffsetsRequest;

/** Finds offsets: the first, the next, the first at or after a time, and that of the newest timestamp. */
@Serves(
        api = ApiKeys.LIST_OFFSETS,
        from = 1,
        to = 11,
        without = "There is no tiered storage: the earliest local offset is the earliest, the latest tiered one is -1.")
public final class ListOffsetsApi extends Api<ListOffsetsRequestData> {
    private static final short WITH_LEADER_EPOCH = 4;

    private final TopicDirectory topics;

    public ListOffsetsApi(TopicDirectory topics) {
        this.topics = topics;
    }

    @Override
    public ListOffsetsRequestData read(Readable bytes, short version) {
        return new ListOffsetsRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<ListOffsetsRequestData> request) {
        ListOffsetsResponseData response = new ListOffsetsResponseData();
        for (var topic : request.body().topics()) {
            ListOffsetsTopicResponse result = new ListOffsetsTopicResponse().setName(topic.name());
            for (ListOffsetsPartition asked : topic.partitions()) {
                ListOffsetsPartitionResponse found = look(topic.name(), asked);
                if (request.version() < WITH_LEADER_EPOCH) {
                    found.setLeaderEpoch(-1);
                }
                result.partitions().add(found);
            }
            response.topics().add(result);
        }
        return PendingResponse.of(response);
    }

    private ListOffsetsPartitionResponse look(String topic, ListOffsetsPartition asked) {
        ListOffsetsPartitionResponse result =
                new ListOffsetsPartitionResponse().setPartitionIndex(asked.partitionIndex());
        try {
            PartitionLog log = topics.log(topic, asked.partitionIndex());
            Errors wrongEpoch = LeaderEpochs.check(log, asked.currentLeaderEpoch());
            if (wrongEpoch != Errors.NONE) {
                return result.setErrorCode(wrongEpoch.code());
            }
            long wanted = asked.timestamp();
            if (wanted == ListOffsetsRequest.LATEST_TIMESTAMP) {
                return result.setOffset(log.endOffset()).setLeaderEpoch(log.leaderEpoch());
            }
            if (wanted == ListOffsetsRequest.EARLIEST_TIMESTAMP
                    || wanted == ListOffsetsRequest.EARLIEST_LOCAL_TIMESTAMP) {
                return result.setOffset(log.startOffset()).setLeaderEpoch(log.leaderEpoch());
            }
            if (wanted == ListOffsetsRequest.MAX_TIMESTAMP) {
                return tell(result, log, newest(log));
            }
            return wanted >= 0 ? tell(result, log, log.firstAtOrAfter(wanted)) : result;
        } catch (MusterException e) {
            return result.setErrorCode(KafkaErrors.of(e).code());
        }
    }

    private static ListOffsetsPartitionResponse tell(
            ListOffsetsPartitionResponse result, PartitionLog log, Optional<PartitionLog.OffsetAndTimestamp> found) {
        found.ifPresent(
                f -> result.setOffset(f.offset()).setTimestamp(f.timestamp()).setLeaderEpoch(log.leaderEpoch()));
        return result;
    }

    /** The first record with the newest timestamp, found by bisecting over timestamps. */
    private static Optional<PartitionLog.OffsetAndTimestamp> newest(PartitionLog log) {
        Optional<PartitionLog.OffsetAndTimestamp> newest = log.firstAtOrAfter(0);
        if (newest.isEmpty()) {
            return newest;
        }
        long low = newest.get().timestamp();
        long high = Long.MAX_VALUE;
        while (low < high) {
            long middle = low + (high - low) / 2 + 1;
            Optional<PartitionLog.OffsetAndTimestamp> later = log.firstAtOrAfter(middle);
            if (later.isPresent()) {
                newest = later;
                low = later.get().timestamp();
            } else {
                high = middle - 1;
            }
        }
        return log.firstAtOrAfter(low);
    }
}
