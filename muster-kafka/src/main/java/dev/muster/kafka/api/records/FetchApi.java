package dev.muster.kafka.api.records;

import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import dev.muster.kafka.config.ServerConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/**
 * Reads batches in the bytes they are stored in, up to the visible end: at {@code sync=commit} only durable records.
 * Waits for records of any process as long as the client wants.
 */
@Serves(
        api = ApiKeys.FETCH,
        from = 4,
        to = 18,
        without = "There are no followers: replica fields are ignored, and there is no other replica to read from. "
                + "There are no transactions, so read_committed reads everything.")
public final class FetchApi extends Api<FetchRequestData> {
    private static final short WITH_SESSIONS = 7;
    private static final short WITH_TOPIC_IDS = 13;
    private static final int EPOCH_LAST = -1;
    private static final int EPOCH_INITIAL = 0;
    /** The longest wait. A client that wants to wait longer asks again, which shows that it is still there. */
    private static final int WAIT_MS_MAX = 5 * 60 * 1_000;

    private final RecordServices services;
    private final ServerConfig config;
    private final FetchSessions sessions;

    public FetchApi(RecordServices services, ServerConfig config) {
        this.services = services;
        this.config = config;
        this.sessions = new FetchSessions(config.fetchSessionsMax());
    }

    @Override
    public FetchRequestData read(Readable bytes, short version) {
        return new FetchRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<FetchRequestData> request) {
        FetchRequestData body = request.body();
        boolean byId = request.version() >= WITH_TOPIC_IDS;
        boolean mayHaveSession = request.version() >= WITH_SESSIONS;
        if (mayHaveSession && body.sessionEpoch() > EPOCH_INITIAL) {
            return goOn(body, byId);
        }
        if (mayHaveSession && body.sessionId() != 0) {
            sessions.close(body.sessionId());
        }
        List<PartitionFetch> wanted = wanted(body);
        boolean wantsSession = mayHaveSession && body.sessionEpoch() != EPOCH_LAST && !wanted.isEmpty();
        FetchScope scope = (wantsSession ? sessions.open(byId) : Optional.<FetchSession>empty())
                .map(session -> session.begin(wanted))
                .orElseGet(() -> new FetchScope.Whole(wanted));
        return round(body, byId, scope);
    }

    /** A fetch within a session, which names only the partitions that changed. */
    private PendingResponse goOn(FetchRequestData body, boolean byId) {
        Optional<FetchSession> session = sessions.find(body.sessionId());
        if (session.isEmpty()) {
            return refuse(Errors.FETCH_SESSION_ID_NOT_FOUND);
        }
        if (session.get().isById() != byId) {
            return refuse(Errors.FETCH_SESSION_TOPIC_ID_ERROR);
        }
        List<PartitionFetch.Key> forgotten = new ArrayList<>();
        for (var topic : body.forgottenTopicsData()) {
            topic.partitions()
                    .forEach(partition ->
                            forgotten.add(new PartitionFetch.Key(topic.topic(), topic.topicId(), partition)));
        }
        Errors error = session.get().advance(body.sessionEpoch(), wanted(body), forgotten);
        return error == Errors.NONE ? round(body, byId, session.get().next()) : refuse(error);
    }

    private static PendingResponse refuse(Errors error) {
        return PendingResponse.of(new FetchResponseData().setErrorCode(error.code()));
    }

    private PendingResponse round(FetchRequestData body, boolean byId, FetchScope scope) {
        return new PendingFetch(
                services,
                byId,
                scope,
                Math.clamp(body.maxWaitMs(), 0, WAIT_MS_MAX),
                body.minBytes(),
                Math.min(body.maxBytes(), config.fetchBytesMax()));
    }

    private static List<PartitionFetch> wanted(FetchRequestData body) {
        List<PartitionFetch> wanted = new ArrayList<>();
        for (FetchTopic topic : body.topics()) {
            for (FetchPartition partition : topic.partitions()) {
                wanted.add(new PartitionFetch(
                        new PartitionFetch.Key(topic.topic(), topic.topicId(), partition.partition()),
                        partition.fetchOffset(),
                        partition.partitionMaxBytes(),
                        partition.currentLeaderEpoch()));
            }
        }
        return wanted;
    }
}
