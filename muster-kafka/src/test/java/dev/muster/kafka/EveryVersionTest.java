package dev.muster.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.Topic;
import dev.muster.kafka.api.TopicDirectory;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each version of each served API gets a request about an existing thing and one about a missing thing. The messages of
 * Kafka can read the response to its last byte. Fields that a version does not have fail here.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class EveryVersionTest {
    private static final String THERE = "orders";
    private static final String MISSING = "missing";

    record Case(ApiKeys api, short version) {
        @Override
        public String toString() {
            return api + " " + version;
        }
    }

    static Stream<Case> cases() {
        try (MemoryBroker broker = new MemoryBroker()) {
            return broker.server().apis().all().stream()
                    .flatMap(api -> Stream.iterate(
                                    api.serves().from(), v -> v <= api.serves().to(), v -> v + 1)
                            .map(version -> new Case(api.key(), (short) version.intValue())))
                    .toList()
                    .stream();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void theResponseCanBeRead(Case asked) throws IOException {
        try (MemoryBroker broker = new MemoryBroker();
                WireClient client = new WireClient(broker.address())) {
            Topic topic = broker.topic(THERE);
            int written = client.send(Batches.produce(THERE, -1, Batches.of("a", "b")), 9);
            assertThat(client.receive().getInt()).isEqualTo(written);
            for (String name : List.of(THERE, MISSING)) {
                Uuid id = name.equals(THERE) ? TopicDirectory.wireId(topic) : Uuid.randomUuid();
                int sent = client.send(request(asked, name, id), asked.version());
                AbstractResponse answer = client.receive(
                        sent,
                        asked.api(),
                        asked.version(),
                        (bytes, version) -> AbstractResponse.parseResponse(asked.api(), bytes, version));
                if (name.equals(THERE)) {
                    assertThat(answer.errorCounts().keySet()).as("%s", answer).isSubsetOf(Errors.NONE, allowed(asked));
                }
            }
        }
    }

    /** The error that is allowed: topics exist already, and the group does not exist. */
    private static Errors allowed(Case asked) {
        return switch (asked.api()) {
            case CREATE_TOPICS -> Errors.TOPIC_ALREADY_EXISTS;
            case JOIN_GROUP -> asked.version() >= 4 ? Errors.MEMBER_ID_REQUIRED : Errors.NONE;
            case SYNC_GROUP, HEARTBEAT, LEAVE_GROUP -> Errors.UNKNOWN_MEMBER_ID;
            case DESCRIBE_GROUPS -> asked.version() >= 6 ? Errors.GROUP_ID_NOT_FOUND : Errors.NONE;
            case DELETE_GROUPS, OFFSET_DELETE, CONSUMER_GROUP_DESCRIBE -> Errors.GROUP_ID_NOT_FOUND;
            case SASL_HANDSHAKE, SASL_AUTHENTICATE -> Errors.ILLEGAL_SASL_STATE;
            default -> Errors.NONE;
        };
    }

    private static ApiMessage request(Case asked, String name, Uuid id) {
        short version = asked.version();
        byte topicType = ConfigResource.Type.TOPIC.id();
        return switch (asked.api()) {
            case PRODUCE -> {
                ProduceRequestData produce = Batches.produce(version >= 13 ? "" : name, -1, Batches.of("c"));
                if (version >= 13) {
                    produce.topicData().iterator().next().setTopicId(id);
                }
                yield produce;
            }
            case FETCH -> fetch(version, name, id);
            case LIST_OFFSETS ->
                new ListOffsetsRequestData()
                        .setReplicaId(-1)
                        .setTopics(List.of(new ListOffsetsRequestData.ListOffsetsTopic()
                                .setName(name)
                                .setPartitions(Stream.of(-1L, -2L, -3L, 0L)
                                        .map(time -> new ListOffsetsRequestData.ListOffsetsPartition()
                                                .setPartitionIndex(0)
                                                .setTimestamp(time))
                                        .toList())));
            case METADATA ->
                new MetadataRequestData()
                        .setTopics(List.of(new MetadataRequestData.MetadataRequestTopic().setName(name)))
                        .setAllowAutoTopicCreation(true);
            case API_VERSIONS ->
                new ApiVersionsRequestData().setClientSoftwareName("n").setClientSoftwareVersion("1");
            case CREATE_TOPICS -> {
                var create = new CreateTopicsRequestData();
                create.topics()
                        .add(new CreateTopicsRequestData.CreatableTopic()
                                .setName(name)
                                .setNumPartitions(1)
                                .setReplicationFactor((short) 1));
                yield create;
            }
            case DELETE_TOPICS ->
                version >= 6
                        ? new DeleteTopicsRequestData()
                                .setTopics(List.of(new DeleteTopicsRequestData.DeleteTopicState()
                                        .setName(null)
                                        .setTopicId(id)))
                        : new DeleteTopicsRequestData().setTopicNames(List.of(name));
            case DELETE_RECORDS ->
                new DeleteRecordsRequestData()
                        .setTopics(List.of(new DeleteRecordsRequestData.DeleteRecordsTopic()
                                .setName(name)
                                .setPartitions(List.of(new DeleteRecordsRequestData.DeleteRecordsPartition()
                                        .setPartitionIndex(0)
                                        .setOffset(1)))));
            case INIT_PRODUCER_ID -> new InitProducerIdRequestData().setTransactionalId(null);
            case OFFSET_FOR_LEADER_EPOCH -> {
                var epochs = new OffsetForLeaderEpochRequestData().setReplicaId(version >= 3 ? -1 : -2);
                epochs.topics()
                        .add(new OffsetForLeaderEpochRequestData.OffsetForLeaderTopic()
                                .setTopic(name)
                                .setPartitions(List.of(new OffsetForLeaderEpochRequestData.OffsetForLeaderPartition()
                                        .setPartition(0)
                                        .setLeaderEpoch(0))));
                yield epochs;
            }
            case DESCRIBE_CONFIGS ->
                new DescribeConfigsRequestData()
                        .setIncludeSynonyms(true)
                        .setResources(List.of(new DescribeConfigsRequestData.DescribeConfigsResource()
                                .setResourceType(topicType)
                                .setResourceName(name)
                                .setConfigurationKeys(null)));
            case ALTER_CONFIGS -> {
                var alter = new AlterConfigsRequestData();
                alter.resources()
                        .add(new AlterConfigsRequestData.AlterConfigsResource()
                                .setResourceType(topicType)
                                .setResourceName(name));
                yield alter;
            }
            case INCREMENTAL_ALTER_CONFIGS -> {
                var alter = new IncrementalAlterConfigsRequestData();
                alter.resources()
                        .add(new IncrementalAlterConfigsRequestData.AlterConfigsResource()
                                .setResourceType(topicType)
                                .setResourceName(name));
                yield alter;
            }
            case DESCRIBE_LOG_DIRS -> new DescribeLogDirsRequestData().setTopics(null);
            case CREATE_PARTITIONS -> {
                var create = new CreatePartitionsRequestData();
                create.topics()
                        .add(new CreatePartitionsRequestData.CreatePartitionsTopic()
                                .setName(name)
                                .setCount(3)
                                .setAssignments(null));
                yield create;
            }
            case LIST_PARTITION_REASSIGNMENTS -> new ListPartitionReassignmentsRequestData().setTopics(null);
            case DESCRIBE_CLUSTER -> new DescribeClusterRequestData();
            case DESCRIBE_TOPIC_PARTITIONS ->
                new DescribeTopicPartitionsRequestData()
                        .setTopics(List.of(new DescribeTopicPartitionsRequestData.TopicRequest().setName(name)));
            default -> groupRequest(asked, name, id);
        };
    }

    private static ApiMessage groupRequest(Case asked, String name, Uuid id) {
        short version = asked.version();
        String group = "workers-of-" + name;
        return switch (asked.api()) {
            case FIND_COORDINATOR ->
                version >= 4
                        ? new FindCoordinatorRequestData().setCoordinatorKeys(List.of(group, "others"))
                        : new FindCoordinatorRequestData().setKey(group);
            case JOIN_GROUP -> {
                var join = new JoinGroupRequestData()
                        .setGroupId(group)
                        .setMemberId("")
                        .setSessionTimeoutMs(10_000)
                        .setProtocolType("consumer");
                join.protocols()
                        .add(new JoinGroupRequestData.JoinGroupRequestProtocol()
                                .setName("range")
                                .setMetadata(new byte[0]));
                yield version >= 1 ? join.setRebalanceTimeoutMs(10_000) : join;
            }
            case SYNC_GROUP -> {
                var sync = new SyncGroupRequestData()
                        .setGroupId(group)
                        .setMemberId("nobody")
                        .setGenerationId(1);
                yield version >= 5 ? sync.setProtocolType("consumer").setProtocolName("range") : sync;
            }
            case HEARTBEAT ->
                new HeartbeatRequestData()
                        .setGroupId(group)
                        .setMemberId("nobody")
                        .setGenerationId(1);
            case LEAVE_GROUP -> {
                var leave = new LeaveGroupRequestData().setGroupId(group);
                yield version >= 3
                        ? leave.setMembers(List.of(new LeaveGroupRequestData.MemberIdentity().setMemberId("nobody")))
                        : leave.setMemberId("nobody");
            }
            case OFFSET_COMMIT -> {
                var topic = new OffsetCommitRequestData.OffsetCommitRequestTopic()
                        .setPartitions(List.of(new OffsetCommitRequestData.OffsetCommitRequestPartition()
                                .setPartitionIndex(0)
                                .setCommittedOffset(1)
                                .setCommittedMetadata("so far")));
                yield new OffsetCommitRequestData()
                        .setGroupId(group)
                        .setTopics(List.of(version >= 10 ? topic.setTopicId(id) : topic.setName(name)));
            }
            case OFFSET_FETCH -> offsetFetch(version, group, name, id);
            case DESCRIBE_GROUPS -> new DescribeGroupsRequestData().setGroups(List.of(group));
            case SASL_HANDSHAKE -> new SaslHandshakeRequestData().setMechanism("PLAIN");
            case SASL_AUTHENTICATE -> new SaslAuthenticateRequestData().setAuthBytes(new byte[] {1});
            case LIST_GROUPS -> new ListGroupsRequestData();
            case DELETE_GROUPS -> new DeleteGroupsRequestData().setGroupsNames(List.of(group));
            case OFFSET_DELETE -> {
                var delete = new OffsetDeleteRequestData().setGroupId(group);
                delete.topics()
                        .add(new OffsetDeleteRequestData.OffsetDeleteRequestTopic()
                                .setName(name)
                                .setPartitions(List.of(new OffsetDeleteRequestData.OffsetDeleteRequestPartition()
                                        .setPartitionIndex(0))));
                yield delete;
            }
            case CONSUMER_GROUP_HEARTBEAT ->
                new ConsumerGroupHeartbeatRequestData()
                        .setGroupId(group)
                        .setMemberId(version >= 1 ? "somebody" : "")
                        .setRebalanceTimeoutMs(10_000)
                        .setSubscribedTopicNames(List.of(name))
                        .setTopicPartitions(List.of());
            case CONSUMER_GROUP_DESCRIBE -> new ConsumerGroupDescribeRequestData().setGroupIds(List.of(group));
            default -> throw new AssertionError(asked.api() + " is served and not tested here");
        };
    }

    private static OffsetFetchRequestData offsetFetch(short version, String group, String name, Uuid id) {
        if (version < 8) {
            return new OffsetFetchRequestData()
                    .setGroupId(group)
                    .setTopics(List.of(new OffsetFetchRequestData.OffsetFetchRequestTopic()
                            .setName(name)
                            .setPartitionIndexes(List.of(0))));
        }
        var topic = new OffsetFetchRequestData.OffsetFetchRequestTopics().setPartitionIndexes(List.of(0));
        return new OffsetFetchRequestData()
                .setGroups(List.of(
                        new OffsetFetchRequestData.OffsetFetchRequestGroup()
                                .setGroupId(group)
                                .setTopics(List.of(version >= 10 ? topic.setTopicId(id) : topic.setName(name))),
                        new OffsetFetchRequestData.OffsetFetchRequestGroup()
                                .setGroupId(group)
                                .setTopics(null)));
    }

    private static FetchRequestData fetch(short version, String name, Uuid id) {
        var partition = new FetchRequestData.FetchPartition().setPartition(0).setPartitionMaxBytes(1 << 20);
        var topic = new FetchRequestData.FetchTopic().setPartitions(List.of(partition));
        return new FetchRequestData()
                .setMaxWaitMs(0)
                .setMinBytes(1)
                .setMaxBytes(1 << 20)
                .setTopics(List.of(version >= 13 ? topic.setTopicId(id) : topic.setTopic(name)));
    }
}
