package dev.muster.kafka.api.cluster;

import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import dev.muster.kafka.sasl.Login;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Readable;

/** Takes the tokens of a login. */
@Serves(api = ApiKeys.SASL_AUTHENTICATE, from = 0, to = 2)
public final class SaslAuthenticateApi extends Api<SaslAuthenticateRequestData> {
    @Override
    public SaslAuthenticateRequestData read(Readable bytes, short version) {
        return new SaslAuthenticateRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<SaslAuthenticateRequestData> request) {
        Login login = request.client().login();
        SaslAuthenticateResponseData response =
                login.authenticate(request.body().authBytes());
        return inTime(response, login);
    }

    /** Delays the response to a failed login, so that guessing passwords is slow. */
    static PendingResponse inTime(ApiMessage response, Login login) {
        return login.refusal().isPresent()
                ? PendingResponse.after(login.failureDelay(), response)
                : PendingResponse.of(response);
    }
}
