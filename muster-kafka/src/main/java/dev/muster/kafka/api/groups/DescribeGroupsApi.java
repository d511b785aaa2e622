package dev.muster.kafka.api.groups;

import dev.muster.engine.admin.GroupSummary;
import dev.muster.engine.admin.ServedGroups;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroupMember;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/** Describes the members of groups and their assignments. From version 6 on a missing group is an error. */
@Serves(api = ApiKeys.DESCRIBE_GROUPS, from = 0, to = 6, without = "There are no authorized operations.")
public final class DescribeGroupsApi extends Api<DescribeGroupsRequestData> {
    private static final int NOT_FOUND_FROM = 6;

    private final ServedGroups served;

    public DescribeGroupsApi(ServedGroups served) {
        this.served = served;
    }

    @Override
    public DescribeGroupsRequestData read(Readable bytes, short version) {
        return new DescribeGroupsRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<DescribeGroupsRequestData> request) {
        DescribeGroupsResponseData response = new DescribeGroupsResponseData();
        for (String group : request.body().groups()) {
            response.groups()
                    .add(GroupErrors.unlessDamaged(
                            () -> served.describe(group)
                                    .map(DescribeGroupsApi::described)
                                    .orElseGet(() -> missing(group, request.version())),
                            (error, text) -> new DescribedGroup()
                                    .setGroupId(group)
                                    .setErrorCode(error.code())
                                    .setErrorMessage(request.version() < NOT_FOUND_FROM ? null : text)));
        }
        return PendingResponse.of(response);
    }

    private static DescribedGroup described(GroupSummary group) {
        DescribedGroup result = new DescribedGroup()
                .setGroupId(group.name().value())
                .setGroupState(GroupStates.ofClassic(group.state()))
                .setProtocolType(group.protocolType())
                .setProtocolData(group.protocol());
        for (GroupSummary.MemberSummary member : group.members()) {
            result.members()
                    .add(new DescribedGroupMember()
                            .setMemberId(member.id())
                            .setGroupInstanceId(member.instance().orElse(null))
                            .setClientId(member.client())
                            .setClientHost(member.address())
                            .setMemberMetadata(member.metadata().toBytes())
                            .setMemberAssignment(assignment(group, member)));
        }
        return result;
    }

    /**
     * The assignment in the bytes of the classic protocol. Members of a modern group have no leader that makes them, so
     * they are made here.
     */
    private static byte[] assignment(GroupSummary group, GroupSummary.MemberSummary member) {
        return group.modern()
                ? ConsumerBytes.assignment(member.owned())
                : member.assignment().toBytes();
    }

    private static DescribedGroup missing(String group, int version) {
        DescribedGroup result = new DescribedGroup().setGroupId(group).setGroupState(GroupStates.DEAD);
        return version < NOT_FOUND_FROM
                ? result
                : result.setErrorCode(Errors.GROUP_ID_NOT_FOUND.code())
                        .setErrorMessage("there is no group \"" + group + "\"");
    }
}
