package dev.muster.kafka.api.groups;

import dev.muster.engine.admin.GroupSummary;
import dev.muster.engine.admin.ServedGroups;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import java.util.List;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.ListGroupsResponseData.ListedGroup;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Readable;

/** Lists all groups, also those that have only offsets. From version 4 on filtered by state, from 5 on also by type. */
@Serves(api = ApiKeys.LIST_GROUPS, from = 0, to = 5)
public final class ListGroupsApi extends Api<ListGroupsRequestData> {
    private static final String CLASSIC = "classic";
    private static final String CONSUMER = "consumer";

    private final ServedGroups served;

    public ListGroupsApi(ServedGroups served) {
        this.served = served;
    }

    @Override
    public ListGroupsRequestData read(Readable bytes, short version) {
        return new ListGroupsRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<ListGroupsRequestData> request) {
        ListGroupsResponseData response = new ListGroupsResponseData();
        for (GroupSummary group : served.list()) {
            String state = GroupStates.of(group.state());
            String type = group.modern() ? CONSUMER : CLASSIC;
            if (isAmong(request.body().statesFilter(), state)
                    && isAmong(request.body().typesFilter(), type)) {
                response.groups()
                        .add(new ListedGroup()
                                .setGroupId(group.name().value())
                                .setProtocolType(group.protocolType())
                                .setGroupState(state)
                                .setGroupType(type));
            }
        }
        return PendingResponse.of(response);
    }

    private static boolean isAmong(List<String> wanted, String name) {
        return wanted.isEmpty() || wanted.stream().anyMatch(name::equalsIgnoreCase);
    }
}
