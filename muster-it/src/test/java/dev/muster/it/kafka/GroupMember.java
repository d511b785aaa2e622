package dev.muster.it.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;

/** A consumer of Kafka's own client in its own thread, which polls, keeps its records, and commits. */
final class GroupMember implements AutoCloseable {
    static final String GROUP = "workers";

    private final KafkaConsumer<String, String> consumer;
    private final Thread thread;
    private final List<String> values = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger rebalances = new AtomicInteger();
    private volatile Set<TopicPartition> assignment = Set.of();
    private volatile Throwable failure;
    private volatile boolean ends;
    private volatile boolean vanishes;

    GroupMember(Door door, String topic, String... options) {
        List<String> all = new ArrayList<>(List.of("group.id=" + GROUP, "auto.offset.reset=earliest"));
        all.addAll(List.of(options));
        consumer = door.consumer(all.toArray(String[]::new));
        consumer.subscribe(List.of(topic), new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                rebalances.addAndGet(partitions.isEmpty() ? 0 : 1);
                assignment = Set.of();
            }

            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                rebalances.addAndGet(partitions.isEmpty() ? 0 : 1);
            }
        });
        thread = Thread.ofPlatform().daemon().name("kafka-member").start(this::run);
    }

    private void run() {
        try {
            while (!ends) {
                ConsumerRecords<String, String> polled = consumer.poll(Duration.ofMillis(100));
                // Set first: a reader of a record then also sees the ownership of its partition.
                assignment = Set.copyOf(consumer.assignment());
                polled.forEach(one -> values.add(one.value()));
            }
        } catch (WakeupException e) {
            assignment = Set.of();
        } catch (RuntimeException e) {
            failure = e;
        } finally {
            assignment = Set.of();
            if (!vanishes) {
                consumer.close(CloseOptions.timeout(Duration.ofMinutes(1)));
            }
        }
    }

    Set<TopicPartition> assignment() {
        return assignment;
    }

    int count() {
        return values.size();
    }

    List<String> values() {
        return List.copyOf(values);
    }

    /** The number of assignments and revocations. */
    int rebalances() {
        return rebalances.get();
    }

    Throwable failure() {
        return failure;
    }

    /** Ends without a leave or further heartbeats. */
    void vanish() {
        vanishes = true;
        stop();
        consumer.close(CloseOptions.timeout(Duration.ZERO)
                .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.REMAIN_IN_GROUP));
    }

    private void stop() {
        ends = true;
        consumer.wakeup();
        try {
            thread.join(Duration.ofMinutes(3));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        if (!ends) {
            stop();
        }
    }

    @Override
    public String toString() {
        TreeMap<String, Object> words = new TreeMap<>();
        words.put("owns", assignment);
        words.put("read", count());
        words.put("failure", failure);
        return words.toString();
    }

    /** Waits for a condition, with frequent checks. */
    static void await(Duration patience, BooleanSupplier condition, Supplier<String> what) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not in " + patience + ": " + what.get());
            }
            LockSupport.parkNanos(5_000_000);
        }
    }
}
