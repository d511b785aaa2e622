package dev.muster.kafka.api.groups;

import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ClassicReply;
import dev.muster.core.group.model.Opaque;
import dev.muster.core.group.model.Protocol;
import dev.muster.engine.group.remote.ClassicProtocol;
import dev.muster.engine.group.session.ClassicRequest;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Readable;

/**
 * A member joins, or rejoins in a rebalance. The response comes when all other members have joined too, so it may take
 * long.
 *
 * <p>Version 1: a timeout for rebalances. 4: a member without an id gets one and joins again. 5: static members. 7: the
 * protocol type in the response. 8: reasons. 9: a leader that need not assign.
 */
@Serves(api = ApiKeys.JOIN_GROUP, from = 0, to = 9)
public final class JoinGroupApi extends Api<JoinGroupRequestData> {
    private static final int REBALANCE_TIME_FROM = 1;
    private static final int ID_REQUIRED_FROM = 4;
    private static final int NO_PROTOCOL_FROM = 7;
    private static final int SKIP_FROM = 9;
    private static final int NO_GENERATION = -1;

    private final ClassicProtocol classic;

    public JoinGroupApi(ClassicProtocol classic) {
        this.classic = classic;
    }

    @Override
    public JoinGroupRequestData read(Readable bytes, short version) {
        return new JoinGroupRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<JoinGroupRequestData> request) {
        JoinGroupRequestData asked = request.body();
        return PendingResponse.when(classic.join(asked.groupId(), join(request)).thenApply(answer -> switch (answer) {
            case ClassicReply.Joined joined -> joined(joined);
            case ClassicReply.JoinedModern admitted -> admitted(admitted);
            case ClassicReply.Refusal refusal -> refused(refusal, asked.memberId(), request.version());
        }));
    }

    private static ClassicRequest.Join join(Request<JoinGroupRequestData> request) {
        JoinGroupRequestData asked = request.body();
        int version = request.version();
        int rebalanceMs = version >= REBALANCE_TIME_FROM ? asked.rebalanceTimeoutMs() : asked.sessionTimeoutMs();
        List<Protocol> protocols = new ArrayList<>();
        asked.protocols().forEach(one -> protocols.add(new Protocol(one.name(), Opaque.of(one.metadata()))));
        return new ClassicRequest.Join(
                asked.memberId(),
                Optional.ofNullable(asked.groupInstanceId()),
                request.head().clientId(),
                "/" + request.client().remote().getAddress().getHostAddress(),
                Duration.ofMillis(asked.sessionTimeoutMs()),
                Duration.ofMillis(Math.max(0, rebalanceMs)),
                asked.protocolType(),
                protocols,
                ConsumerBytes.reading(asked),
                version >= ID_REQUIRED_FROM,
                version >= SKIP_FROM,
                asked.reason() == null ? "" : asked.reason(),
                request.client().connection());
    }

    private static JoinGroupResponseData joined(ClassicReply.Joined joined) {
        JoinGroupResponseData response = new JoinGroupResponseData()
                .setGenerationId(Math.toIntExact(joined.generation()))
                .setProtocolType(joined.protocolType())
                .setProtocolName(joined.protocol())
                .setLeader(joined.leader().value())
                .setSkipAssignment(joined.skipAssignment())
                .setMemberId(joined.member().value());
        for (ClassicReply.MemberMetadata fellow : joined.members()) {
            response.members()
                    .add(new JoinGroupResponseMember()
                            .setMemberId(fellow.member().value())
                            .setGroupInstanceId(fellow.instance().orElse(null))
                            .setMetadata(
                                    fellow.resumed()
                                            ? ConsumerBytes.inGeneration(
                                                    joined.generation() - 1,
                                                    fellow.metadata().toBytes())
                                            : fellow.metadata().toBytes()));
        }
        return response;
    }

    /**
     * The response in a group that assigns by itself. It has no leader, so the member asks for its assignment and makes
     * none.
     */
    private static JoinGroupResponseData admitted(ClassicReply.JoinedModern admitted) {
        return new JoinGroupResponseData()
                .setGenerationId(Math.toIntExact(admitted.generation()))
                .setProtocolType(ClassicGroup.CONSUMER)
                .setProtocolName(admitted.protocol())
                .setLeader("")
                .setMemberId(admitted.member().value());
    }

    private static JoinGroupResponseData refused(ClassicReply.Refusal refusal, String memberId, int version) {
        String id = refusal instanceof ClassicReply.MemberIdRequired given
                ? given.member().value()
                : memberId;
        return new JoinGroupResponseData()
                .setErrorCode(GroupErrors.of(refusal).code())
                .setGenerationId(NO_GENERATION)
                .setProtocolName(version >= NO_PROTOCOL_FROM ? null : "")
                .setLeader("")
                .setMemberId(id);
    }
}
