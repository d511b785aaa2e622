package dev.muster.kafka.api.cluster;

import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.BrokerIdentity;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersionCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/**
 * Tells a client which APIs and versions are served. It is the first request on every connection. So a client that asks
 * in an unknown version gets the same list, in version 0 and with an error.
 */
@Serves(api = ApiKeys.API_VERSIONS, from = 0, to = 5)
public final class ApiVersionsApi extends Api<ApiVersionsRequestData> {
    private final BrokerIdentity identity;
    private ApiVersionCollection table = new ApiVersionCollection();

    public ApiVersionsApi(BrokerIdentity identity) {
        this.identity = identity;
    }

    /** Sets the list that clients get. Called once, before the first request. */
    public void announce(ApiVersionCollection all) {
        table = all;
    }

    @Override
    public ApiVersionsRequestData read(Readable bytes, short version) {
        return new ApiVersionsRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<ApiVersionsRequestData> request) {
        if (isMeantForAnother(request.body())) {
            return PendingResponse.of(new ApiVersionsResponseData().setErrorCode(Errors.REBOOTSTRAP_REQUIRED.code()));
        }
        ApiVersionsResponseData response = list();
        Feature.tell(response, request.version());
        return PendingResponse.of(response);
    }

    /**
     * True if the client takes this server for another one, which it may say from version 5 on: the address may have
     * changed hands.
     */
    private boolean isMeantForAnother(ApiVersionsRequestData asked) {
        return asked.clusterId() != null
                && asked.nodeId() >= 0
                && (asked.nodeId() != identity.nodeId() || !asked.clusterId().equals(identity.clusterId()));
    }

    /** The list with an error, to be sent in version 0. */
    public ApiVersionsResponseData refusal() {
        return list().setErrorCode(Errors.UNSUPPORTED_VERSION.code());
    }

    private ApiVersionsResponseData list() {
        return new ApiVersionsResponseData().setApiKeys(table.duplicate());
    }
}
