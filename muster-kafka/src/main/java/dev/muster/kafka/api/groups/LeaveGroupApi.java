package dev.muster.kafka.api.groups;

import dev.muster.core.MemberId;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicReply.Acknowledgement;
import dev.muster.engine.group.remote.ClassicProtocol;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData.MemberResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/**
 * Members leave. Up to version 2 a request names one member by its id; from 3 on several, by their ids or instance ids.
 */
@Serves(api = ApiKeys.LEAVE_GROUP, from = 0, to = 5)
public final class LeaveGroupApi extends Api<LeaveGroupRequestData> {
    private static final int MANY_FROM = 3;

    private final ClassicProtocol classic;

    public LeaveGroupApi(ClassicProtocol classic) {
        this.classic = classic;
    }

    @Override
    public LeaveGroupRequestData read(Readable bytes, short version) {
        return new LeaveGroupRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<LeaveGroupRequestData> request) {
        LeaveGroupRequestData asked = request.body();
        if (asked.groupId().isEmpty()) {
            return PendingResponse.of(new LeaveGroupResponseData().setErrorCode(Errors.INVALID_GROUP_ID.code()));
        }
        boolean many = request.version() >= MANY_FROM;
        List<ClassicCommand.Leaver> leavers = new ArrayList<>();
        if (many) {
            asked.members()
                    .forEach(one -> leavers.add(new ClassicCommand.Leaver(
                            id(one.memberId()),
                            Optional.ofNullable(one.groupInstanceId()),
                            one.reason() == null ? "" : one.reason())));
        } else {
            leavers.add(new ClassicCommand.Leaver(id(asked.memberId()), Optional.empty(), ""));
        }
        return PendingResponse.when(classic.leave(asked.groupId(), leavers)
                .thenApply(answers -> many ? each(leavers, answers) : one(answers.getFirst())));
    }

    private static Optional<MemberId> id(String member) {
        return member.isEmpty() ? Optional.empty() : Optional.of(new MemberId(member));
    }

    private static LeaveGroupResponseData one(Acknowledgement answer) {
        return new LeaveGroupResponseData().setErrorCode(GroupErrors.of(answer).code());
    }

    private static LeaveGroupResponseData each(List<ClassicCommand.Leaver> leavers, List<Acknowledgement> answers) {
        LeaveGroupResponseData response = new LeaveGroupResponseData();
        for (int i = 0; i < leavers.size(); i++) {
            response.members()
                    .add(new MemberResponse()
                            .setMemberId(
                                    leavers.get(i).member().map(MemberId::value).orElse(""))
                            .setGroupInstanceId(leavers.get(i).instance().orElse(null))
                            .setErrorCode(GroupErrors.of(answers.get(i)).code()));
        }
        return response;
    }
}
