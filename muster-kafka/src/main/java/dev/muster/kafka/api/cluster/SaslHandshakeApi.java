package dev.muster.kafka.api.cluster;

import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Readable;

/** A client names its login mechanism. A server without logins responds with an error. */
@Serves(
        api = ApiKeys.SASL_HANDSHAKE,
        from = 0,
        to = 1,
        without = "Mechanisms other than PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512.")
public final class SaslHandshakeApi extends Api<SaslHandshakeRequestData> {
    @Override
    public SaslHandshakeRequestData read(Readable bytes, short version) {
        return new SaslHandshakeRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<SaslHandshakeRequestData> request) {
        SaslHandshakeResponseData response =
                request.client().login().shakeHands(request.body().mechanism(), request.version());
        return SaslAuthenticateApi.inTime(response, request.client().login());
    }
}
