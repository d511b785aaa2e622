package dev.muster.kafka.api.groups;

import dev.muster.engine.group.remote.ClassicProtocol;
import dev.muster.engine.group.session.ClassicRequest;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import java.util.Optional;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Readable;

/** A member reports that it lives, and asks whether a rebalance is in progress. */
@Serves(api = ApiKeys.HEARTBEAT, from = 0, to = 4)
public final class HeartbeatApi extends Api<HeartbeatRequestData> {
    private final ClassicProtocol classic;

    public HeartbeatApi(ClassicProtocol classic) {
        this.classic = classic;
    }

    @Override
    public HeartbeatRequestData read(Readable bytes, short version) {
        return new HeartbeatRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<HeartbeatRequestData> request) {
        HeartbeatRequestData asked = request.body();
        ClassicRequest.Identity who = new ClassicRequest.Identity(
                asked.memberId(), Optional.ofNullable(asked.groupInstanceId()), asked.generationId());
        return PendingResponse.when(
                classic.heartbeat(asked.groupId(), who, request.client().connection())
                        .thenApply(answer -> new HeartbeatResponseData()
                                .setErrorCode(GroupErrors.of(answer).code())));
    }
}
