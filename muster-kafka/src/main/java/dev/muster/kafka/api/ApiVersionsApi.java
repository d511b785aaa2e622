package dev.muster.kafka.api;

import dev.muster.kafka.Answer;
import dev.muster.kafka.Broker;
import dev.muster.kafka.Request;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersionCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/**
 * Tells a client what it can ask for. It comes first on every connection, so it must be answered even to a client that
 * asks in a version from the future: then with an error, in version 0, and the same list.
 */
@Serves(api = ApiKeys.API_VERSIONS, from = 0, to = 5)
public final class ApiVersionsApi extends Api<ApiVersionsRequestData> {
    private final Broker broker;
    private ApiVersionCollection table = new ApiVersionCollection();

    ApiVersionsApi(Broker broker) {
        this.broker = broker;
    }

    void announce(ApiVersionCollection all) {
        table = all;
    }

    @Override
    public ApiVersionsRequestData read(Readable bytes, short version) {
        return new ApiVersionsRequestData(bytes, version);
    }

    @Override
    public Answer begin(Request<ApiVersionsRequestData> request) {
        if (isMeantForAnother(request.body())) {
            return Answer.of(new ApiVersionsResponseData().setErrorCode(Errors.REBOOTSTRAP_REQUIRED.code()));
        }
        ApiVersionsResponseData response = list();
        Feature.tell(response, request.version());
        return Answer.of(response);
    }

    /** From version 5 on a client may say whom it takes us for: the address may have changed hands. */
    private boolean isMeantForAnother(ApiVersionsRequestData asked) {
        return asked.clusterId() != null
                && asked.nodeId() >= 0
                && (asked.nodeId() != broker.config().nodeId()
                        || !asked.clusterId()
                                .equals(ClusterName.of(broker.store().id())));
    }

    /** To be sent in version 0. */
    public ApiVersionsResponseData refusal() {
        return list().setErrorCode(Errors.UNSUPPORTED_VERSION.code());
    }

    private ApiVersionsResponseData list() {
        return new ApiVersionsResponseData().setApiKeys(table.duplicate());
    }
}
