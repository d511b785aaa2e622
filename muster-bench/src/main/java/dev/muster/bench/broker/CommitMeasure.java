package dev.muster.bench.broker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * The commits per second of members that wait for each commit. Each member is in a group of its own.
 *
 * @param warmUp the commits of each member before those that count
 */
public record CommitMeasure(int members, int warmUp, Duration time) {
    private static final long PATIENCE_S = 60;

    /** @param latencies the nanoseconds of each commit */
    public record Committed(double perSecond, Histogram latencies) {}

    public Committed run(Rival rival) throws Exception {
        CyclicBarrier start = new CyclicBarrier(members);
        Histogram all = new Histogram(3);
        try (BrokerTopic topic = rival.newTopic(1);
                ExecutorService threads = Executors.newFixedThreadPool(members)) {
            List<Future<Histogram>> running = new ArrayList<>();
            for (int i = 0; i < members; i++) {
                running.add(threads.submit(committing(topic, start)));
            }
            for (Future<Histogram> each : running) {
                all.add(each.get());
            }
        }
        return new Committed(all.getTotalCount() / (time.toNanos() / 1e9), all);
    }

    private Callable<Histogram> committing(BrokerTopic topic, CyclicBarrier start) {
        return () -> {
            TopicPartition partition = topic.partitions().getFirst();
            String group = Rival.newName("group");
            Histogram latencies = new Histogram(3);
            try (Consumer<byte[], byte[]> consumer = topic.clients().member(group, Clients.HEARTBEAT)) {
                consumer.subscribe(List.of(topic.name()));
                awaitAssignment(consumer);
                long number = 0;
                while (number < warmUp) {
                    commit(consumer, partition, number++);
                }
                start.await(PATIENCE_S, TimeUnit.SECONDS);
                long begin = System.nanoTime();
                for (long now = begin; now - begin < time.toNanos(); ) {
                    commit(consumer, partition, number++);
                    long then = System.nanoTime();
                    latencies.recordValue(then - now);
                    now = then;
                }
                requireLast(topic.clients(), group, partition, number - 1);
            }
            return latencies;
        };
    }

    private static void awaitAssignment(Consumer<byte[], byte[]> consumer) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        while (consumer.assignment().isEmpty()) {
            consumer.poll(Duration.ofMillis(100));
            if (System.nanoTime() > deadline) {
                throw new CheckFailedException("no partition after " + PATIENCE_S + " s");
            }
        }
    }

    /** Commits with a number as metadata. The topic is empty, so the offset stays the same. */
    private static void commit(Consumer<byte[], byte[]> consumer, TopicPartition partition, long number) {
        consumer.commitSync(Map.of(partition, new OffsetAndMetadata(0, Long.toString(number))));
    }

    /** Checks the last commit with an admin client. The consumer could return an answer to an earlier question. */
    private static void requireLast(Clients clients, String group, TopicPartition partition, long number)
            throws Exception {
        OffsetAndMetadata stands;
        try (Admin admin = clients.admin()) {
            stands = admin.listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .get(PATIENCE_S, TimeUnit.SECONDS)
                    .get(partition);
        }
        if (stands == null || !stands.metadata().equals(Long.toString(number))) {
            throw new CheckFailedException("commit " + number + " was acknowledged, the stored commit is " + stands);
        }
    }
}
