package dev.muster.kafka.api.groups;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ClassicReply;
import dev.muster.core.group.model.Opaque;
import dev.muster.engine.admin.GroupSummary;
import dev.muster.engine.admin.ServedGroups;
import dev.muster.engine.group.remote.ClassicProtocol;
import dev.muster.engine.group.session.ClassicRequest;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/**
 * A member asks for its assignment, and the leader brings the assignments of all. Members wait until the leader has
 * brought them.
 */
@Serves(api = ApiKeys.SYNC_GROUP, from = 0, to = 5)
public final class SyncGroupApi extends Api<SyncGroupRequestData> {
    /** From this version on a member names the protocol that it takes for the group's. */
    private static final int PROTOCOL_FROM = 5;

    private final ClassicProtocol classic;
    private final ServedGroups served;

    public SyncGroupApi(ClassicProtocol classic, ServedGroups served) {
        this.classic = classic;
        this.served = served;
    }

    @Override
    public SyncGroupRequestData read(Readable bytes, short version) {
        return new SyncGroupRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<SyncGroupRequestData> request) {
        SyncGroupRequestData asked = request.body();
        if (request.version() >= PROTOCOL_FROM && (asked.protocolType() == null || asked.protocolName() == null)) {
            return PendingResponse.of(refused(Errors.INCONSISTENT_GROUP_PROTOCOL));
        }
        Map<MemberId, Opaque> assignment = new HashMap<>();
        asked.assignments().forEach(one -> assignment.put(new MemberId(one.memberId()), Opaque.of(one.assignment())));
        ClassicRequest.Sync sync = new ClassicRequest.Sync(
                new ClassicRequest.Identity(
                        asked.memberId(), Optional.ofNullable(asked.groupInstanceId()), asked.generationId()),
                new ClassicCommand.SyncContent(
                        Optional.ofNullable(asked.protocolType()),
                        Optional.ofNullable(asked.protocolName()),
                        assignment,
                        partitions(asked),
                        asked.assignments().stream().allMatch(one -> ConsumerBytes.isPlain(one.assignment()))));
        return PendingResponse.when(classic.sync(asked.groupId(), sync).thenApply(answer -> switch (answer) {
            case ClassicReply.Assigned assigned ->
                new SyncGroupResponseData()
                        .setProtocolType(assigned.protocolType())
                        .setProtocolName(assigned.protocol())
                        .setAssignment(assigned.assignment().toBytes());
            case ClassicReply.AssignedModern(var protocol, var given) ->
                new SyncGroupResponseData()
                        .setProtocolType(ClassicGroup.CONSUMER)
                        .setProtocolName(protocol)
                        .setAssignment(ConsumerBytes.assignment(given));
            case ClassicReply.Refusal refusal -> refused(GroupErrors.of(refusal));
        }));
    }

    private static SyncGroupResponseData refused(Errors error) {
        return new SyncGroupResponseData().setErrorCode(error.code()).setAssignment(new byte[0]);
    }

    private Map<MemberId, SortedSet<TopicPartition>> partitions(SyncGroupRequestData asked) {
        Map<MemberId, SortedSet<TopicPartition>> all = new HashMap<>();
        if (asked.assignments().isEmpty() || !ConsumerBytes.areReadable(protocolType(asked))) {
            return all;
        }
        for (SyncGroupRequestAssignment one : asked.assignments()) {
            Optional<SortedSet<TopicPartition>> partitions = ConsumerBytes.partitions(one.assignment());
            if (partitions.isEmpty()) {
                return Map.of();
            }
            all.put(new MemberId(one.memberId()), partitions.get());
        }
        return all;
    }

    private String protocolType(SyncGroupRequestData asked) {
        return asked.protocolType() != null
                ? asked.protocolType()
                : served.describe(asked.groupId())
                        .map(GroupSummary::protocolType)
                        .orElse("");
    }
}
