package dev.muster.kafka;

import dev.muster.core.MusterException;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.BadRequestException;
import dev.muster.kafka.api.Client;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.RequestHead;
import dev.muster.kafka.api.cluster.ApiVersionsApi;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** Decodes the requests of one client and begins them at their API. */
final class RequestStart {
    private final Client client;
    private final Apis apis;

    /** A request that was begun. */
    record Begun(RequestHead head, PendingResponse response) {}

    RequestStart(Client client, Apis apis) {
        this.client = client;
        this.apis = apis;
    }

    /**
     * Begins a request.
     *
     * @throws BadRequestException if the connection must be closed
     */
    Begun begin(ByteBuffer frame) {
        short key = RequestHead.key(frame);
        Api<?> api = apis.find(key).orElse(null);
        if (api == null) {
            throw new BadRequestException("API key " + key + " is not served");
        }
        if (!client.login().admits(api.key())) {
            throw new BadRequestException("it asks for " + api.key() + " and is not logged in");
        }
        short version = RequestHead.version(frame);
        if (!api.serves(version)) {
            if (api.key() != ApiKeys.API_VERSIONS) {
                throw new BadRequestException("version " + version + " of " + api.key() + " is not served");
            }
            // The client chooses a version from the list and asks again. It understands version 0 in any case.
            RequestHead head = new RequestHead(api.key(), (short) 0, RequestHead.correlationId(frame), "");
            return new Begun(head, PendingResponse.of(((ApiVersionsApi) api).refusal()));
        }
        return begin(api, frame);
    }

    private <T extends ApiMessage> Begun begin(Api<T> api, ByteBuffer frame) {
        RequestHead head;
        T body;
        try {
            // One reader for header and body: the limit of fields holds for both together.
            FrameReader fields = new FrameReader(frame);
            head = RequestHead.read(api.key(), RequestHead.version(frame), fields);
            body = api.read(fields, head.version());
        } catch (RuntimeException e) {
            // The generated readers throw many types of exception at invalid bytes.
            throw new BadRequestException(
                    "a " + api.key() + " request that cannot be understood: " + e.getMessage(), e);
        }
        PendingResponse response;
        try {
            response = api.begin(new Request<>(head, body, client));
        } catch (MusterException e) {
            response = PendingResponse.of(FailedRequest.response(head, body, e));
        }
        return new Begun(head, FailedRequest.answered(response, head, body));
    }
}
