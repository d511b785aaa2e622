package dev.muster.bench.broker;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;

/** A topic of one measurement, deleted when closed. */
public record BrokerTopic(Clients clients, String name, int partitionCount) implements AutoCloseable {
    private static final long PATIENCE_S = 120;
    private static final long ASK_AGAIN_NANOS = 5_000_000;

    /**
     * Creates a topic. Returns when each partition has answered a request of its own. A leader in the metadata does not
     * mean yet that there is one. With Kafka 4.3 an idempotent producer that starts in between can lose its first batch
     * (KAFKA-15591).
     */
    static BrokerTopic create(Clients clients, String name, int partitions, Map<String, String> settings)
            throws Exception {
        try (Admin admin = clients.admin()) {
            admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1).configs(settings)))
                    .all()
                    .get(PATIENCE_S, TimeUnit.SECONDS);
            BrokerTopic topic = new BrokerTopic(clients, name, partitions);
            topic.awaitUsable(admin);
            return topic;
        }
    }

    /** Waits until the topic is known: directly after creating it, Kafka may not find it. */
    private void awaitUsable(Admin admin) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        while (true) {
            try {
                ends(admin);
                return;
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof RetriableException) || System.nanoTime() > deadline) {
                    throw e;
                }
                LockSupport.parkNanos(ASK_AGAIN_NANOS);
            }
        }
    }

    public List<TopicPartition> partitions() {
        return IntStream.range(0, partitionCount)
                .mapToObj(it -> new TopicPartition(name, it))
                .toList();
    }

    /** The offset after the last record, for each partition. */
    public Map<TopicPartition, Long> ends() throws Exception {
        try (Admin admin = clients.admin()) {
            return ends(admin);
        }
    }

    private Map<TopicPartition, Long> ends(Admin admin) throws Exception {
        Map<TopicPartition, OffsetSpec> question =
                partitions().stream().collect(Collectors.toMap(Function.identity(), _ -> OffsetSpec.latest()));
        Map<TopicPartition, ListOffsetsResultInfo> answer =
                admin.listOffsets(question).all().get(PATIENCE_S, TimeUnit.SECONDS);
        return answer.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().offset()));
    }

    @Override
    public void close() {
        try (Admin admin = clients.admin()) {
            admin.deleteTopics(List.of(name))
                    .all()
                    .toCompletionStage()
                    .toCompletableFuture()
                    .orTimeout(PATIENCE_S, TimeUnit.SECONDS)
                    .join();
        }
    }
}
