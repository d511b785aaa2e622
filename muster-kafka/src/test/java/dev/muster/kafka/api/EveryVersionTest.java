package dev.muster.kafka.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.kafka.Batches;
import dev.muster.kafka.MemoryDoor;
import dev.muster.kafka.TopicDirectory;
import dev.muster.kafka.WireClient;
import dev.muster.store.Topic;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each version of each API that is served is asked, about something that is there and something that is not: the answer
 * can be read, to its last byte, by the messages of Kafka. Fields that a version does not have are where this fails.
 */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
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
        try (MemoryDoor door = new MemoryDoor()) {
            return door.server().apis().all().stream()
                    .flatMap(api -> Stream.iterate(
                                    api.serves().from(), v -> v <= api.serves().to(), v -> v + 1)
                            .map(version -> new Case(api.key(), (short) version.intValue())))
                    .toList()
                    .stream();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void itsAnswerCanBeRead(Case asked) throws IOException {
        try (MemoryDoor door = new MemoryDoor();
                WireClient client = new WireClient(door.address())) {
            Topic topic = door.topic(THERE);
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

    /** What is made is there already. */
    private static Errors allowed(Case asked) {
        return asked.api() == ApiKeys.CREATE_TOPICS ? Errors.TOPIC_ALREADY_EXISTS : Errors.NONE;
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
            default -> throw new AssertionError(asked.api() + " is served and not tested here");
        };
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
