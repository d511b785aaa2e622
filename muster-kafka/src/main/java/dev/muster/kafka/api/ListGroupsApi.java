package dev.muster.kafka.api;

import dev.muster.engine.group.GroupSummary;
import dev.muster.kafka.Answer;
import dev.muster.kafka.Broker;
import dev.muster.kafka.Request;
import java.util.List;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.ListGroupsResponseData.ListedGroup;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Readable;

/** All groups, those too that have nothing but offsets. From version 4 on by state, from 5 on by type as well. */
@Serves(api = ApiKeys.LIST_GROUPS, from = 0, to = 5)
public final class ListGroupsApi extends Api<ListGroupsRequestData> {
    private static final String CLASSIC = "classic";
    private static final String CONSUMER = "consumer";

    private final Broker broker;

    ListGroupsApi(Broker broker) {
        this.broker = broker;
    }

    @Override
    public ListGroupsRequestData read(Readable bytes, short version) {
        return new ListGroupsRequestData(bytes, version);
    }

    @Override
    public Answer begin(Request<ListGroupsRequestData> request) {
        ListGroupsResponseData response = new ListGroupsResponseData();
        for (GroupSummary group : broker.groups().list()) {
            String state = state(group);
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
        return Answer.of(response);
    }

    private static String state(GroupSummary group) {
        if (group.damaged()) {
            return GroupStates.DAMAGED;
        }
        return group.modern() ? GroupStates.ofModern(group.state()) : GroupStates.of(group.state());
    }

    private static boolean isAmong(List<String> wanted, String name) {
        return wanted.isEmpty() || wanted.stream().anyMatch(name::equalsIgnoreCase);
    }
}
