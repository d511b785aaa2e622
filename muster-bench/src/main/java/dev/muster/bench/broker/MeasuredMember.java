package dev.muster.bench.broker;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;

/** A group member on a thread of its own, from {@link #join} until it leaves. It reports its partitions. */
final class MeasuredMember implements ConsumerRebalanceListener {
    private static final Duration POLL = Duration.ofSeconds(1);

    private final String name;
    private final String topic;
    private final Consumer<byte[], byte[]> consumer;
    private final OwnershipCheck ownership;
    private final Thread thread;
    private volatile boolean leaving;

    /** Takes over the consumer: from {@link #join} on no other thread may use it. */
    MeasuredMember(String name, BrokerTopic topic, Consumer<byte[], byte[]> consumer, OwnershipCheck ownership) {
        this.name = name;
        this.topic = topic.name();
        this.consumer = consumer;
        this.ownership = ownership;
        this.thread = Thread.ofPlatform().name(name).unstarted(this::run);
    }

    void join() {
        ownership.joins(name);
        thread.start();
    }

    private void run() {
        try (consumer) {
            consumer.subscribe(List.of(topic), this);
            while (!leaving) {
                consumer.poll(POLL);
            }
        } catch (WakeupException e) {
            if (!leaving) {
                ownership.failed(name, e);
            }
        } catch (RuntimeException e) {
            ownership.failed(name, e);
        }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        ownership.assigned(name, numbers(partitions));
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        ownership.gone(name, numbers(partitions));
    }

    private static List<Integer> numbers(Collection<TopicPartition> partitions) {
        return partitions.stream().map(TopicPartition::partition).toList();
    }

    /** Asks the member to leave, if it ever joined. */
    void leave() {
        leaving = true;
        consumer.wakeup();
    }

    void awaitGone() throws InterruptedException {
        if (thread.getState() == Thread.State.NEW) {
            consumer.close();
        }
        thread.join();
    }
}
