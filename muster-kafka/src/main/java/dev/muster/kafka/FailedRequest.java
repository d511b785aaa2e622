package dev.muster.kafka;

import dev.muster.core.MusterException;
import dev.muster.kafka.api.KafkaErrors;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.RequestHead;
import dev.muster.kafka.api.RequestLog;
import dev.muster.kafka.api.Response;
import dev.muster.store.StoreClosedException;
import dev.muster.store.group.DamagedGroupException;
import dev.muster.store.group.GroupDeletedException;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.AbstractRequest;

/**
 * The response to a request that failed because of the store: an error of the request's own kind. The client continues
 * and repeats the request. Otherwise it would lose the connection and all responses in line.
 */
final class FailedRequest {
    /** For these, clients look for the coordinator of their group again and repeat the request. */
    private static final Set<ApiKeys> OF_GROUPS = Set.of(
            ApiKeys.JOIN_GROUP,
            ApiKeys.SYNC_GROUP,
            ApiKeys.HEARTBEAT,
            ApiKeys.LEAVE_GROUP,
            ApiKeys.OFFSET_COMMIT,
            ApiKeys.OFFSET_FETCH,
            ApiKeys.OFFSET_DELETE,
            ApiKeys.LIST_GROUPS,
            ApiKeys.DESCRIBE_GROUPS,
            ApiKeys.DELETE_GROUPS,
            ApiKeys.CONSUMER_GROUP_HEARTBEAT,
            ApiKeys.CONSUMER_GROUP_DESCRIBE);

    private FailedRequest() {}

    /**
     * The same response; if it fails, the error response in its place. A produce request responds for each partition in
     * any case.
     */
    static PendingResponse answered(PendingResponse answer, RequestHead head, ApiMessage body) {
        return answer instanceof PendingResponse.Given || head.api() == ApiKeys.PRODUCE
                ? answer
                : new PendingResponse() {
                    @Override
                    public Optional<Response> now() {
                        return answer.now();
                    }

                    @Override
                    public Response await() throws InterruptedException {
                        try {
                            return answer.await();
                        } catch (MusterException e) {
                            return response(head, body, e);
                        }
                    }
                };
    }

    static Response response(RequestHead head, ApiMessage body, MusterException failure) {
        Errors error = OF_GROUPS.contains(head.api()) ? ofGroup(failure) : KafkaErrors.of(failure);
        // The classes of Kafka know where each response holds its error. They are made from the bytes of the request.
        var bytes = MessageUtil.toByteBufferAccessor(body, head.version()).buffer();
        AbstractRequest request =
                AbstractRequest.parseRequest(head.api(), head.version(), new ByteBufferAccessor(bytes)).request;
        return new Response(request.getErrorResponse(0, error.exception()).data(), () -> {});
    }

    private static Errors ofGroup(MusterException failure) {
        if (failure instanceof DamagedGroupException damage) {
            return KafkaErrors.of(damage);
        }
        // A client that asks again gets the answer about a deleted group, or the answer of the next server.
        boolean expected = failure instanceof GroupDeletedException || failure instanceof StoreClosedException;
        RequestLog.failed(
                expected ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
                "failed requests of groups",
                failure.getMessage() + ": clients get an error and retry");
        return Errors.COORDINATOR_NOT_AVAILABLE;
    }
}
