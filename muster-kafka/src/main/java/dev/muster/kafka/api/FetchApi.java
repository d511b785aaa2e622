package dev.muster.kafka.api;

import dev.muster.kafka.Answer;
import dev.muster.kafka.Broker;
import dev.muster.kafka.Request;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Readable;

/**
 * Reads batches, as the bytes they stand in. What is visible is what the topic says: at {@code sync=commit} only what
 * is durable. Waits for records, of any process, as long as the client wants.
 */
@Serves(
        api = ApiKeys.FETCH,
        from = 4,
        to = 18,
        without =
                "There are no followers: replica fields are not looked at, and there is no other replica to read from.")
public final class FetchApi extends Api<FetchRequestData> {
    private static final short WITH_TOPIC_IDS = 13;

    private final Broker broker;

    FetchApi(Broker broker) {
        this.broker = broker;
    }

    @Override
    public FetchRequestData read(Readable bytes, short version) {
        return new FetchRequestData(bytes, version);
    }

    @Override
    public Answer begin(Request<FetchRequestData> request) {
        FetchRequestData body = request.body();
        boolean byId = request.version() >= WITH_TOPIC_IDS;
        List<Wanted> wanted = new ArrayList<>();
        for (FetchTopic topic : body.topics()) {
            for (FetchPartition partition : topic.partitions()) {
                wanted.add(new Wanted(
                        new Wanted.Key(topic.topic(), topic.topicId(), partition.partition()),
                        partition.fetchOffset(),
                        partition.partitionMaxBytes(),
                        partition.currentLeaderEpoch()));
            }
        }
        return new FetchRound(
                broker,
                byId,
                wanted,
                Math.max(0, body.maxWaitMs()),
                body.minBytes(),
                Math.min(body.maxBytes(), broker.config().fetchBytesMax()));
    }
}
