package dev.muster.core;

/** One partition of a topic, by name. Printed as {@code orders-3}, as Kafka prints it. */
public record TopicPartition(TopicName topic, int partition) implements Comparable<TopicPartition> {
    public TopicPartition {
        if (partition < 0) {
            throw new IllegalArgumentException("a partition number is not negative: " + partition);
        }
    }

    /** The partition of a topic, by the topic's name. */
    public static TopicPartition of(String topic, int partition) {
        return new TopicPartition(new TopicName(topic), partition);
    }

    @Override
    public int compareTo(TopicPartition other) {
        int byTopic = topic.compareTo(other.topic);
        return byTopic != 0 ? byTopic : Integer.compare(partition, other.partition);
    }

    @Override
    public String toString() {
        return topic + "-" + partition;
    }
}
