package dev.muster.kafka.api.groups;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.assign.StickyAssignor;
import dev.muster.core.group.Group;
import dev.muster.core.group.MemberAssignment;
import dev.muster.core.group.model.Member;
import dev.muster.engine.admin.ServedGroups;
import dev.muster.engine.group.remote.ConsumerProtocol;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import dev.muster.kafka.api.TopicDirectory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData.Assignment;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData.DescribedGroup;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData.TopicPartitions;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/**
 * Describes groups that live by the modern rules: the partitions that each member has, and those it is to have. Members
 * that embed the library are shown like the others. DescribeGroups describes all other groups.
 */
@Serves(api = ApiKeys.CONSUMER_GROUP_DESCRIBE, from = 0, to = 1, without = "There are no authorized operations.")
public final class ConsumerGroupDescribeApi extends Api<ConsumerGroupDescribeRequestData> {
    /** The protocol of a member, from version 1 on. */
    private static final byte MODERN_MEMBER = 1;

    private static final byte CLASSIC_MEMBER = 0;

    private final TopicDirectory topics;
    private final ServedGroups served;
    private final ConsumerProtocol remote;

    public ConsumerGroupDescribeApi(TopicDirectory topics, ServedGroups served, ConsumerProtocol remote) {
        this.topics = topics;
        this.served = served;
        this.remote = remote;
    }

    @Override
    public ConsumerGroupDescribeRequestData read(Readable bytes, short version) {
        return new ConsumerGroupDescribeRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<ConsumerGroupDescribeRequestData> request) {
        ConsumerGroupDescribeResponseData response = new ConsumerGroupDescribeResponseData();
        for (String name : request.body().groupIds()) {
            response.groups()
                    .add(GroupErrors.unlessDamaged(() -> described(name), (error, text) -> failed(name, error, text)));
        }
        return PendingResponse.of(response);
    }

    private DescribedGroup described(String name) {
        Optional<Group> group = remote.state(name)
                .filter(state -> !served.dead(state).containsAll(state.members().keySet()));
        return group.map(state -> described(name, state))
                .orElseGet(() -> failed(
                        name, Errors.GROUP_ID_NOT_FOUND, "\"" + name + "\" is not a consumer group with members"));
    }

    private static DescribedGroup failed(String name, Errors error, String text) {
        return new DescribedGroup().setGroupId(name).setErrorCode(error.code()).setErrorMessage(text);
    }

    private DescribedGroup described(String name, Group group) {
        DescribedGroup result = new DescribedGroup()
                .setGroupId(name)
                .setGroupState(GroupStates.of(group))
                .setGroupEpoch((int) group.generation())
                .setAssignmentEpoch((int) group.generation())
                .setAssignorName(group.assignor().equals(StickyAssignor.NAME) ? "uniform" : group.assignor());
        Set<MemberId> dead = served.dead(group);
        group.members().forEach((id, member) -> {
            if (!dead.contains(id)) {
                result.members().add(member(group, member));
            }
        });
        return result;
    }

    private ConsumerGroupDescribeResponseData.Member member(Group group, Member member) {
        MemberAssignment known = group.assignment(member.spec().id()).orElseThrow();
        return new ConsumerGroupDescribeResponseData.Member()
                .setMemberId(member.spec().id().value())
                .setInstanceId(member.spec().instance().orElse(null))
                .setMemberEpoch((int) known.epoch())
                .setClientId(member.spec().client())
                .setClientHost(
                        member.spec().address().orElse(member.spec().host().value()))
                .setSubscribedTopicNames(member.spec().subscription().topics().stream()
                        .map(TopicName::value)
                        .toList())
                .setSubscribedTopicRegex(member.spec().subscription().pattern().orElse(""))
                .setMemberType(member.spec().classic() ? CLASSIC_MEMBER : MODERN_MEMBER)
                .setAssignment(assignment(member.owned()))
                .setTargetAssignment(assignment(member.target()));
    }

    private Assignment assignment(SortedSet<TopicPartition> partitions) {
        Map<TopicName, TopicPartitions> byName = new LinkedHashMap<>();
        for (TopicPartition partition : partitions) {
            byName.computeIfAbsent(
                            partition.topic(),
                            name -> new TopicPartitions()
                                    .setTopicName(name.value())
                                    .setTopicId(topics.find(name.value())
                                            .map(TopicDirectory::wireId)
                                            .orElse(Uuid.ZERO_UUID)))
                    .partitions()
                    .add(partition.partition());
        }
        return new Assignment().setTopicPartitions(List.copyOf(byName.values()));
    }
}
