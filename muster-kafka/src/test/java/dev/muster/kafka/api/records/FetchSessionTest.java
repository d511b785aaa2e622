package dev.muster.kafka.api.records;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.kafka.Batches;
import dev.muster.kafka.MemoryBroker;
import dev.muster.kafka.WireClient;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 5, unit = TimeUnit.MINUTES)
class FetchSessionTest {
    private static final int VERSION = 12;

    private final MemoryBroker broker = new MemoryBroker(Map.of("max.incremental.fetch.session.cache.slots", "2"));

    @AfterEach
    void close() {
        broker.close();
    }

    @Test
    void aSessionReturnsOnlyChangedPartitions() throws IOException {
        broker.topic("a");
        broker.topic("b");
        try (WireClient client = new WireClient(broker.address())) {
            FetchResponseData first = fetch(client, fetchOf(0, 0, "a", "b"));
            assertThat(first.sessionId()).isPositive();
            assertThat(first.responses()).hasSize(2);
            int session = first.sessionId();

            assertThat(fetch(client, fetchOf(session, 1)).responses()).isEmpty();

            produce(client, "b");
            FetchResponseData second = fetch(client, fetchOf(session, 2));
            assertThat(second.responses()).singleElement().satisfies(topic -> {
                assertThat(topic.topic()).isEqualTo("b");
                assertThat(topic.partitions().getFirst().records().sizeInBytes())
                        .isPositive();
            });

            // The client did not move on in "b", so it gets the same again. It drops "a" from the session.
            FetchRequestData third = fetchOf(session, 3);
            third.forgottenTopicsData().add(new ForgottenTopic().setTopic("a").setPartitions(List.of(0)));
            assertThat(fetch(client, third).responses()).hasSize(1);
            produce(client, "a");
            assertThat(fetch(client, fetchOf(session, 4)).responses())
                    .allSatisfy(topic -> assertThat(topic.topic()).isEqualTo("b"));
        }
    }

    @Test
    void aWrongEpochOrUnknownSessionFailsTheWholeRequest() throws IOException {
        broker.topic("a");
        try (WireClient client = new WireClient(broker.address())) {
            int session = fetch(client, fetchOf(0, 0, "a")).sessionId();
            assertThat(fetch(client, fetchOf(session, 5)).errorCode())
                    .isEqualTo(Errors.INVALID_FETCH_SESSION_EPOCH.code());
            assertThat(fetch(client, fetchOf(session + 1, 1)).errorCode())
                    .isEqualTo(Errors.FETCH_SESSION_ID_NOT_FOUND.code());
            // Closes the session, as a client does at its end.
            assertThat(fetch(client, fetchOf(session, -1)).errorCode()).isZero();
            assertThat(fetch(client, fetchOf(session, 1)).errorCode())
                    .isEqualTo(Errors.FETCH_SESSION_ID_NOT_FOUND.code());
        }
    }

    @Test
    void beyondTheLimitClientsFetchWithoutASession() throws IOException {
        broker.topic("a");
        try (WireClient client = new WireClient(broker.address())) {
            assertThat(fetch(client, fetchOf(0, 0, "a")).sessionId()).isPositive();
            assertThat(fetch(client, fetchOf(0, 0, "a")).sessionId()).isPositive();
            FetchResponseData third = fetch(client, fetchOf(0, 0, "a"));
            assertThat(third.sessionId()).isZero();
            assertThat(third.responses()).hasSize(1);
        }
    }

    private static FetchResponseData fetch(WireClient client, FetchRequestData request) throws IOException {
        int id = client.send(request, VERSION);
        return client.receive(id, ApiKeys.FETCH, VERSION, FetchResponseData::new);
    }

    private static void produce(WireClient client, String topic) throws IOException {
        int id = client.send(Batches.produce(topic, -1, Batches.of("x")), 9);
        client.receive(id, ApiKeys.PRODUCE, 9, ProduceResponseData::new);
    }

    private static FetchRequestData fetchOf(int session, int epoch, String... topics) {
        FetchRequestData request = new FetchRequestData()
                .setMaxWaitMs(0)
                .setMinBytes(1)
                .setMaxBytes(1 << 20)
                .setSessionId(session)
                .setSessionEpoch(epoch);
        for (String topic : topics) {
            FetchPartition partition = new FetchPartition().setPartition(0).setPartitionMaxBytes(1 << 20);
            request.topics().add(new FetchTopic().setTopic(topic).setPartitions(List.of(partition)));
        }
        return request;
    }
}
