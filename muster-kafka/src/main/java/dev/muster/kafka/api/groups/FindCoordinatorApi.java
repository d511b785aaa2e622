package dev.muster.kafka.api.groups;

import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.BrokerIdentity;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/** Names the coordinator of a group, which is always this server. */
@Serves(api = ApiKeys.FIND_COORDINATOR, from = 0, to = 6, without = "Share groups have no coordinator.")
public final class FindCoordinatorApi extends Api<FindCoordinatorRequestData> {
    private static final byte GROUP = 0;
    private static final byte TRANSACTION = 1;
    /** From this version on a request can name several keys. */
    private static final int MANY_FROM = 4;

    private final BrokerIdentity identity;

    public FindCoordinatorApi(BrokerIdentity identity) {
        this.identity = identity;
    }

    @Override
    public FindCoordinatorRequestData read(Readable bytes, short version) {
        return new FindCoordinatorRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<FindCoordinatorRequestData> request) {
        FindCoordinatorRequestData asked = request.body();
        FindCoordinatorResponseData response = new FindCoordinatorResponseData();
        if (request.version() >= MANY_FROM) {
            asked.coordinatorKeys().forEach(key -> response.coordinators().add(coordinator(key, asked.keyType())));
            return PendingResponse.of(response);
        }
        Coordinator one = coordinator(asked.key(), asked.keyType());
        return PendingResponse.of(response.setErrorCode(one.errorCode())
                .setErrorMessage(one.errorMessage())
                .setNodeId(one.nodeId())
                .setHost(one.host())
                .setPort(one.port()));
    }

    private Coordinator coordinator(String key, byte type) {
        if (type != GROUP && type != TRANSACTION) {
            return new Coordinator()
                    .setKey(key)
                    .setNodeId(-1)
                    .setHost("")
                    .setPort(-1)
                    .setErrorCode(Errors.INVALID_REQUEST.code())
                    .setErrorMessage("only groups have a coordinator here");
        }
        return new Coordinator()
                .setKey(key)
                .setNodeId(identity.nodeId())
                .setHost(identity.advertised().host())
                .setPort(identity.advertised().port())
                .setErrorMessage("");
    }
}
