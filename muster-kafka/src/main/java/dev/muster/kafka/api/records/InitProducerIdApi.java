package dev.muster.kafka.api.records;

import dev.muster.core.MusterException;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.KafkaErrors;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import dev.muster.store.LogStore;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/** Gives an idempotent producer its id. No producer ever had it before, in any process, before or after any crash. */
@Serves(
        api = ApiKeys.INIT_PRODUCER_ID,
        from = 0,
        to = 5,
        without =
                "A transactional id is refused with TRANSACTIONAL_ID_AUTHORIZATION_FAILED: there are no transactions.")
public final class InitProducerIdApi extends Api<InitProducerIdRequestData> {
    private final LogStore store;

    public InitProducerIdApi(LogStore store) {
        this.store = store;
    }

    @Override
    public InitProducerIdRequestData read(Readable bytes, short version) {
        return new InitProducerIdRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<InitProducerIdRequestData> request) {
        InitProducerIdResponseData response =
                new InitProducerIdResponseData().setProducerId(-1).setProducerEpoch((short) -1);
        if (request.body().transactionalId() != null) {
            // A fatal error, because clients retry all others for ever.
            return PendingResponse.of(response.setErrorCode(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED.code()));
        }
        try {
            // A producer that asks for a higher epoch gets a new id, which fences the old id as well.
            return PendingResponse.of(
                    response.setProducerId(store.newProducerId()).setProducerEpoch((short) 0));
        } catch (MusterException e) {
            return PendingResponse.of(response.setErrorCode(KafkaErrors.of(e).code()));
        }
    }
}
