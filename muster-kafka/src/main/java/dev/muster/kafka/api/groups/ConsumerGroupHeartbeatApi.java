package dev.muster.kafka.api.groups;

import dev.muster.core.InvalidNameException;
import dev.muster.core.MemberId;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.assign.RangeAssignor;
import dev.muster.core.assign.StickyAssignor;
import dev.muster.engine.group.remote.ConsumerProtocol;
import dev.muster.engine.group.remote.RemoteAnswer;
import dev.muster.engine.group.session.RemoteHeartbeat;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Serves;
import dev.muster.kafka.api.TopicDirectory;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData.Assignment;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData.TopicPartitions;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;

/**
 * The heartbeat of a member that uses the new group protocol (KIP-848). With it the member joins, stays, leaves,
 * changes its subscription, and releases partitions. Such members share their groups with members that embed the
 * library.
 */
@Serves(
        api = ApiKeys.CONSUMER_GROUP_HEARTBEAT,
        from = 0,
        to = 1,
        without = "Racks are ignored. Regular expressions are Java's.")
public final class ConsumerGroupHeartbeatApi extends Api<ConsumerGroupHeartbeatRequestData> {
    private static final System.Logger LOG = System.getLogger(ConsumerGroupHeartbeatApi.class.getName());
    private static final int OWN_ID_FROM = 1;

    private final TopicDirectory topics;
    private final ConsumerProtocol remote;

    public ConsumerGroupHeartbeatApi(TopicDirectory topics, ConsumerProtocol remote) {
        this.topics = topics;
        this.remote = remote;
    }

    @Override
    public ConsumerGroupHeartbeatRequestData read(Readable bytes, short version) {
        return new ConsumerGroupHeartbeatRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<ConsumerGroupHeartbeatRequestData> request) {
        ConsumerGroupHeartbeatRequestData asked = request.body();
        Optional<String> mistake = mistake(request);
        if (mistake.isPresent()) {
            return PendingResponse.of(refused(Errors.INVALID_REQUEST, mistake.get()));
        }
        RemoteHeartbeat beat = beat(request);
        return PendingResponse.when(remote.beat(asked.groupId(), beat).thenApply(answer -> switch (answer) {
            case RemoteAnswer.In in -> in(in);
            case RemoteAnswer.Out(var member, var epoch) ->
                new ConsumerGroupHeartbeatResponseData()
                        .setMemberId(member.value())
                        .setMemberEpoch((int) epoch);
            case RemoteAnswer.Refused(var why, var text) -> refused(GroupErrors.of(why), text);
            case RemoteAnswer.Done _ -> throw new IllegalStateException("not an answer to a heartbeat");
        }));
    }

    private static Optional<String> mistake(Request<ConsumerGroupHeartbeatRequestData> request) {
        ConsumerGroupHeartbeatRequestData asked = request.body();
        boolean joins = asked.memberEpoch() == RemoteHeartbeat.JOIN;
        if (asked.memberId().isEmpty() && !(joins && request.version() < OWN_ID_FROM)) {
            return Optional.of("MemberId can't be empty.");
        }
        if (asked.memberEpoch() < RemoteHeartbeat.COME_BACK) {
            return Optional.of("MemberEpoch is " + asked.memberEpoch() + ", which is not valid.");
        }
        if (asked.instanceId() != null && asked.instanceId().isEmpty()) {
            return Optional.of("InstanceId can't be empty.");
        }
        if (joins && asked.rebalanceTimeoutMs() <= 0) {
            return Optional.of("RebalanceTimeoutMs must be provided in first request.");
        }
        if (joins
                && (asked.topicPartitions() == null || !asked.topicPartitions().isEmpty())) {
            return Optional.of("TopicPartitions must be empty when (re-)joining.");
        }
        return Optional.empty();
    }

    private RemoteHeartbeat beat(Request<ConsumerGroupHeartbeatRequestData> request) {
        ConsumerGroupHeartbeatRequestData asked = request.body();
        return new RemoteHeartbeat(
                asked.memberId().isEmpty() ? Optional.empty() : Optional.of(new MemberId(asked.memberId())),
                asked.memberEpoch(),
                Optional.ofNullable(asked.instanceId()),
                Optional.ofNullable(asked.subscribedTopicNames()).map(ConsumerGroupHeartbeatApi::names),
                Optional.ofNullable(asked.subscribedTopicRegex()),
                Optional.ofNullable(asked.serverAssignor()).map(ConsumerGroupHeartbeatApi::assignor),
                asked.rebalanceTimeoutMs() > 0
                        ? Optional.of(Duration.ofMillis(asked.rebalanceTimeoutMs()))
                        : Optional.empty(),
                Optional.ofNullable(asked.topicPartitions()).map(this::owned),
                new RemoteHeartbeat.Caller(
                        request.head().clientId(),
                        "/" + request.client().remote().getAddress().getHostAddress(),
                        request.client().connection()));
    }

    /** The topics of a subscription. A name that no topic can have is left out: clients do not understand a refusal. */
    private static SortedSet<TopicName> names(List<String> names) {
        SortedSet<TopicName> topics = new TreeSet<>();
        for (String name : names) {
            try {
                topics.add(new TopicName(name));
            } catch (InvalidNameException e) {
                LOG.log(Level.DEBUG, "a member subscribes to \"{0}\", which is no valid topic name", name);
            }
        }
        return topics;
    }

    /** Our assignor of the same meaning as Kafka's of this name. */
    private static String assignor(String wanted) {
        return switch (wanted) {
            case "uniform" -> StickyAssignor.NAME;
            case "range" -> RangeAssignor.NAME;
            default -> wanted;
        };
    }

    /** The partitions that the member has. Topics that are gone are left out: their partitions are released anyway. */
    private SortedSet<TopicPartition> owned(List<ConsumerGroupHeartbeatRequestData.TopicPartitions> those) {
        SortedSet<TopicPartition> owned = new TreeSet<>();
        for (var topic : those) {
            Optional<Topic> known = topics.find(topic.topicId());
            known.ifPresent(there -> topic.partitions().stream()
                    .filter(partition -> partition >= 0)
                    .forEach(partition -> owned.add(new TopicPartition(there.name(), partition))));
        }
        return owned;
    }

    private ConsumerGroupHeartbeatResponseData in(RemoteAnswer.In in) {
        ConsumerGroupHeartbeatResponseData result = new ConsumerGroupHeartbeatResponseData()
                .setMemberId(in.member().value())
                .setMemberEpoch((int) in.epoch())
                .setHeartbeatIntervalMs((int) in.pause().toMillis());
        in.partitions().ifPresent(partitions -> result.setAssignment(assignment(partitions)));
        return result;
    }

    private Assignment assignment(SortedSet<TopicPartition> partitions) {
        Map<Uuid, TopicPartitions> byId = new LinkedHashMap<>();
        for (TopicPartition partition : partitions) {
            topics.find(partition.topic().value())
                    .map(TopicDirectory::wireId)
                    .ifPresent(id -> byId.computeIfAbsent(id, _ -> new TopicPartitions().setTopicId(id))
                            .partitions()
                            .add(partition.partition()));
        }
        return new Assignment().setTopicPartitions(List.copyOf(byId.values()));
    }

    private static ConsumerGroupHeartbeatResponseData refused(Errors error, String text) {
        return new ConsumerGroupHeartbeatResponseData()
                .setErrorCode(error.code())
                .setErrorMessage(text);
    }
}
