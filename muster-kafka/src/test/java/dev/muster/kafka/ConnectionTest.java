package dev.muster.kafka;

import static dev.muster.testkit.ContractRecords.awaitEndAbove;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.MusterException;
import dev.muster.core.TimestampWindow;
import dev.muster.core.Topic;
import dev.muster.kafka.config.HostAndPort;
import dev.muster.kafka.config.ServerConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ConnectionTest {
    private final MemoryBroker broker = new MemoryBroker();

    @AfterEach
    void close() {
        broker.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5})
    void apiVersionsIsAnsweredInEveryVersion(int version) throws IOException {
        try (WireClient client = new WireClient(broker.address())) {
            var question =
                    new ApiVersionsRequestData().setClientSoftwareName("test").setClientSoftwareVersion("1");
            int id = client.send(question, version);
            ApiVersionsResponseData told =
                    client.receive(id, ApiKeys.API_VERSIONS, version, ApiVersionsResponseData::new);
            assertThat(told.errorCode()).isZero();
            assertThat(told.apiKeys().find(ApiKeys.FETCH.id).maxVersion()).isEqualTo((short) 18);
            assertThat(told.apiKeys().find(ApiKeys.PRODUCE.id).minVersion())
                    .as("announced, because older clients look for it before they compress")
                    .isZero();
        }
    }

    @Test
    void featuresAreListedFromVersion4On() throws IOException {
        try (WireClient client = new WireClient(broker.address())) {
            for (int version = 3; version <= 5; version++) {
                ApiVersionsResponseData told = versions(client, new ApiVersionsRequestData(), version);
                assertThat(told.supportedFeatures().stream().map(feature -> feature.name()))
                        .as("version %d", version)
                        .isEqualTo(version < 4 ? List.of() : List.of("group.version", "transaction.version"));
                assertThat(told.finalizedFeatures().stream().map(feature -> feature.name()))
                        .as("version %d", version)
                        .isEqualTo(List.of("group.version"));
                assertThat(told.finalizedFeaturesEpoch()).isZero();
            }
        }
    }

    @Test
    void aProduceWithoutRecordsIsRefusedOnAnOpenConnection() throws IOException {
        broker.topic("orders");
        try (WireClient client = new WireClient(broker.address())) {
            for (int i = 0; i < 2; i++) {
                int id = client.send(Batches.produce("orders", -1, null), 9);
                ProduceResponseData told = client.receive(id, ApiKeys.PRODUCE, 9, ProduceResponseData::new);
                assertThat(partition(told).errorCode()).isEqualTo(Errors.INVALID_RECORD.code());
            }
        }
    }

    @Test
    void aFutureTimestampIsRefusedUntilTheTopicAllowsIt() throws IOException {
        Topic topic = broker.topic("orders");
        long tomorrow = System.currentTimeMillis() + Duration.ofDays(1).toMillis();
        MemoryRecords records = MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(tomorrow, new byte[1]));
        try (WireClient client = new WireClient(broker.address())) {
            int refused = client.send(Batches.produce("orders", -1, records), 9);
            PartitionProduceResponse told =
                    partition(client.receive(refused, ApiKeys.PRODUCE, 9, ProduceResponseData::new));
            assertThat(told.errorCode()).isEqualTo(Errors.INVALID_TIMESTAMP.code());
            assertThat(told.errorMessage()).contains("timestamp " + tomorrow + " of record 0 is out of range");
            assertThat(told.baseOffset()).isEqualTo(-1);

            broker.store().alter(topic.name(), topic.settings().with("message.timestamp.after.max.ms", "172800000"));
            int taken = client.send(Batches.produce("orders", -1, records), 9);
            assertThat(partition(client.receive(taken, ApiKeys.PRODUCE, 9, ProduceResponseData::new))
                            .errorCode())
                    .isZero();
        }
    }

    @Test
    void serverSettingsAreDefaultsForTheTimestampWindow() {
        ServerConfig config = ServerConfig.fromMap(Map.of(
                "log.message.timestamp.before.max.ms", "86400000", "log.message.timestamp.after.max.ms", "1000"));
        assertThat(config.topicDefaults().timestampWindow()).isEqualTo(new TimestampWindow(86_400_000, 1_000));
        assertThat(ServerConfig.DEFAULT.toMap())
                .containsEntry("log.message.timestamp.before.max.ms", Long.toString(Long.MAX_VALUE))
                .containsEntry("log.message.timestamp.after.max.ms", "3600000");
    }

    @Test
    void aTooLargeTimeIsRefusedWithItsKey() {
        for (String key : List.of("connections.max.idle.ms", "muster.sasl.timeout.ms", "connections.max.reauth.ms")) {
            Map<String, String> endless = Map.of(key, Long.toString(Long.MAX_VALUE));
            assertThatThrownBy(() -> ServerConfig.fromMap(endless))
                    .isInstanceOf(MusterException.class)
                    .hasMessageContaining(key);
        }
    }

    @Test
    void aClientOfAnotherClusterMustRebootstrap() throws IOException {
        try (WireClient client = new WireClient(broker.address())) {
            int id = client.send(new MetadataRequestData().setTopics(List.of()), 9);
            String cluster = client.receive(id, ApiKeys.METADATA, 9, MetadataResponseData::new)
                    .clusterId();
            var right = new ApiVersionsRequestData().setClusterId(cluster).setNodeId(1);
            assertThat(versions(client, right, 5).errorCode()).isZero();
            assertThat(versions(client, right.duplicate().setNodeId(2), 5).errorCode())
                    .isEqualTo(Errors.REBOOTSTRAP_REQUIRED.code());
            assertThat(versions(client, right.duplicate().setClusterId("other"), 5)
                            .errorCode())
                    .isEqualTo(Errors.REBOOTSTRAP_REQUIRED.code());
            assertThat(versions(client, right.duplicate().setNodeId(-1).setClusterId("other"), 5)
                            .errorCode())
                    .as("only a client that names both is sent away")
                    .isZero();
        }
    }

    private static ApiVersionsResponseData versions(WireClient client, ApiVersionsRequestData asked, int version)
            throws IOException {
        int id = client.send(asked.setClientSoftwareName("test").setClientSoftwareVersion("1"), version);
        return client.receive(id, ApiKeys.API_VERSIONS, version, ApiVersionsResponseData::new);
    }

    @Test
    void unknownVersionsOfApiVersionsAreAnsweredInVersion0() throws IOException {
        try (WireClient client = new WireClient(broker.address())) {
            // API 18, version 99, correlation id 7, and any bytes that a later version may have there.
            byte[] request = HexFormat.of().parseHex("0000000f" + "0012" + "0063" + "00000007" + "ffeeddccbbaa99");
            client.sendBytes(request);
            ByteBuffer frame = client.receive();
            assertThat(frame.getInt()).isEqualTo(7);
            assertThat(frame.getShort()).isEqualTo(Errors.UNSUPPORTED_VERSION.code());
            int keys = frame.getInt();
            assertThat(frame.remaining())
                    .as("three numbers for each API, nothing else")
                    .isEqualTo(6 * keys);
            // The client asks again, in a version from the list.
            int id = client.send(new ApiVersionsRequestData(), 0);
            assertThat(client.receive(id, ApiKeys.API_VERSIONS, 0, ApiVersionsResponseData::new)
                            .errorCode())
                    .isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0000000a" + "03e7" + "0000" + "00000001" + "ffff", // an unknown API
                "0000000a" + "ffff" + "0000" + "00000001" + "ffff",
                "0000000a" + "0003" + "0063" + "00000001" + "ffff", // an unknown version of Metadata
                "0000000a" + "0000" + "0001" + "00000001" + "ffff", // Produce 1: announced, not served
                "00000004" + "00030000", // shorter than a header
                "ffffffff",
                "7fffffff",
                "06400001", // one byte more than is allowed
                "0000000c" + "0003" + "0001" + "00000001" + "ffff" + "7fff", // ends in the middle of its body
            })
    void anInvalidRequestEndsOnlyItsOwnConnection(String hex) throws IOException {
        try (WireClient other = new WireClient(broker.address());
                WireClient client = new WireClient(broker.address())) {
            client.sendBytes(HexFormat.of().parseHex(hex));
            assertThat(client.isClosedByServer()).isTrue();
            int id = other.send(new MetadataRequestData().setTopics(null), 9);
            other.receive(id, ApiKeys.METADATA, 9, MetadataResponseData::new);
        }
    }

    @Test
    void aParkedFetchDelaysOnlyTheResponsesBehindIt() throws IOException {
        Topic topic = broker.topic("orders");
        try (WireClient client = new WireClient(broker.address())) {
            int fetch = client.send(fetch("orders", 0, 60_000), 12);
            int produce = client.send(Batches.produce("orders", -1, Batches.of("a", "b")), 9);
            int metadata = client.send(new MetadataRequestData().setTopics(null), 9);
            // The produce was begun although the fetch before it waits; the fetch waits for its record.
            FetchResponseData fetched = client.receive(fetch, ApiKeys.FETCH, 12, FetchResponseData::new);
            assertThat(records(fetched).sizeInBytes()).isPositive();
            ProduceResponseData produced = client.receive(produce, ApiKeys.PRODUCE, 9, ProduceResponseData::new);
            assertThat(partition(produced).baseOffset()).isZero();
            client.receive(metadata, ApiKeys.METADATA, 9, MetadataResponseData::new);
            assertThat(broker.store().log(topic.id(), 0).endOffset()).isEqualTo(2);
        }
    }

    @Test
    void requestsInProgressAreAnsweredAtShutdown() throws IOException {
        broker.topic("orders");
        Topic mark = broker.topic("mark");
        try (WireClient client = new WireClient(broker.address())) {
            int fetch = client.send(fetch("orders", 0, 60_000), 12);
            int metadata = client.send(new MetadataRequestData().setTopics(null), 9);
            // Requests are begun in order: once this one had its effect, the others were begun.
            client.send(Batches.produce("mark", 0, Batches.of("a")), 9);
            assertThat(awaitEndAbove(broker.store().log(mark.id(), 0), 0, Duration.ofMinutes(2)))
                    .isTrue();
            broker.server().close(TimeUnit.SECONDS.toNanos(30));
            assertThat(records(client.receive(fetch, ApiKeys.FETCH, 12, FetchResponseData::new))
                            .sizeInBytes())
                    .isZero();
            client.receive(metadata, ApiKeys.METADATA, 9, MetadataResponseData::new);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void anEmptyFetchIsAnsweredAfterItsTime() throws IOException {
        broker.topic("orders");
        try (WireClient client = new WireClient(broker.address())) {
            long begin = System.nanoTime();
            int id = client.send(fetch("orders", 0, 200), 12);
            FetchResponseData fetched = client.receive(id, ApiKeys.FETCH, 12, FetchResponseData::new);
            assertThat(System.nanoTime() - begin).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(150));
            assertThat(records(fetched).sizeInBytes()).isZero();
            assertThat(fetched.responses().getFirst().partitions().getFirst().preferredReadReplica())
                    .as("another replica than the leader would send consumers to a broker that is not there")
                    .isEqualTo(-1);
        }
    }

    @Test
    void withoutAcksThereIsNoResponse() throws IOException {
        broker.topic("orders");
        try (WireClient client = new WireClient(broker.address())) {
            client.send(Batches.produce("orders", 0, Batches.of("a")), 9);
            int next = client.send(Batches.produce("orders", 1, Batches.of("b")), 9);
            ProduceResponseData produced = client.receive(next, ApiKeys.PRODUCE, 9, ProduceResponseData::new);
            assertThat(partition(produced).baseOffset()).isEqualTo(1);
        }
    }

    @Test
    void aFetchInsideABatchReturnsTheWholeBatch() throws IOException {
        broker.topic("orders");
        try (WireClient client = new WireClient(broker.address())) {
            int written = client.send(Batches.produce("orders", -1, Batches.of("a", "b", "c", "d", "e")), 9);
            client.receive(written, ApiKeys.PRODUCE, 9, ProduceResponseData::new);
            FetchRequestData small = fetch("orders", 3, 0).setMaxBytes(1);
            small.topics().getFirst().partitions().getFirst().setPartitionMaxBytes(1);
            int id = client.send(small, 12);
            FetchResponseData fetched = client.receive(id, ApiKeys.FETCH, 12, FetchResponseData::new);
            var first = records(fetched).batches().iterator().next();
            assertThat(first.baseOffset()).isZero();
            assertThat(first.lastOffset()).isEqualTo(4);
        }
    }

    @Test
    void aRepeatedBatchGetsItsFirstOffsetAgain() throws IOException {
        broker.topic("orders");
        try (WireClient client = new WireClient(broker.address())) {
            MemoryRecords batch = Batches.ofProducer(5, 0, 0, "a", "b");
            for (int i = 0; i < 3; i++) {
                int id = client.send(Batches.produce("orders", -1, batch), 9);
                assertThat(partition(client.receive(id, ApiKeys.PRODUCE, 9, ProduceResponseData::new))
                                .baseOffset())
                        .isZero();
            }
            int gap = client.send(Batches.produce("orders", -1, Batches.ofProducer(5, 0, 9, "c")), 9);
            assertThat(partition(client.receive(gap, ApiKeys.PRODUCE, 9, ProduceResponseData::new))
                            .errorCode())
                    .isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER.code());
            int next = client.send(Batches.produce("orders", -1, Batches.ofProducer(5, 0, 2, "c")), 9);
            assertThat(partition(client.receive(next, ApiKeys.PRODUCE, 9, ProduceResponseData::new))
                            .baseOffset())
                    .isEqualTo(2);
        }
    }

    @Test
    void metadataReturnsAllNoneOrTheNamedTopics() throws IOException {
        broker.topic("orders");
        broker.topic("mail");
        try (WireClient client = new WireClient(broker.address())) {
            assertThat(topicsTold(client, 0, new MetadataRequestData().setTopics(List.of())))
                    .isEqualTo(2);
            assertThat(topicsTold(client, 1, new MetadataRequestData().setTopics(null)))
                    .isEqualTo(2);
            assertThat(topicsTold(client, 1, new MetadataRequestData().setTopics(List.of())))
                    .isZero();
            var quiet = new MetadataRequestData()
                    .setTopics(List.of(new MetadataRequestData.MetadataRequestTopic().setName("new")))
                    .setAllowAutoTopicCreation(false);
            assertThat(topicsTold(client, 9, quiet)).isEqualTo(1);
            assertThat(broker.store().list()).hasSize(2);
            assertThat(topicsTold(client, 9, quiet.setAllowAutoTopicCreation(true)))
                    .isEqualTo(1);
            assertThat(broker.store().list()).hasSize(3);
        }
    }

    private static int topicsTold(WireClient client, int version, MetadataRequestData asked) throws IOException {
        int id = client.send(asked, version);
        return client.receive(id, ApiKeys.METADATA, version, MetadataResponseData::new)
                .topics()
                .size();
    }

    @Test
    void aSecondServerOnAStoreIsRefused() {
        assertThatThrownBy(() -> KafkaServer.open(
                        broker.store(), ServerConfig.DEFAULT, new HostAndPort("127.0.0.1", 0), Optional.empty()))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("another server");
    }

    @Test
    void aTakenPortIsNamedWithAHint() {
        try (MemoryBroker other = new MemoryBroker(Map.of())) {
            assertThatThrownBy(() -> KafkaServer.open(
                            new dev.muster.store.memory.MemoryStore(),
                            ServerConfig.DEFAULT,
                            other.address(),
                            Optional.empty()))
                    .isInstanceOfSatisfying(
                            MusterException.class,
                            e -> assertThat(e.hint())
                                    .hasValueSatisfying(hint -> assertThat(hint).contains("--listen 127.0.0.1:0")));
        }
    }

    private static FetchRequestData fetch(String topic, long offset, int waitMs) {
        FetchPartition partition =
                new FetchPartition().setPartition(0).setFetchOffset(offset).setPartitionMaxBytes(1 << 20);
        return new FetchRequestData()
                .setMaxWaitMs(waitMs)
                .setMinBytes(1)
                .setMaxBytes(1 << 20)
                .setSessionEpoch(-1)
                .setTopics(List.of(new FetchTopic().setTopic(topic).setPartitions(List.of(partition))));
    }

    private static MemoryRecords records(FetchResponseData response) {
        return (MemoryRecords)
                response.responses().getFirst().partitions().getFirst().records();
    }

    private static ProduceResponseData.PartitionProduceResponse partition(ProduceResponseData response) {
        return response.responses().iterator().next().partitionResponses().getFirst();
    }
}
