package dev.muster.kafka.api;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicGroup;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.message.ConsumerProtocolAssignment;

/**
 * What consumers say to each other through the group, where it can be read. Only for people: to show who reads what.
 * Bytes that cannot be read are no error: they belong to the clients.
 */
final class ConsumerBytes {
    private ConsumerBytes() {}

    static boolean areReadable(String protocolType) {
        return ClassicGroup.CONSUMER.equals(protocolType);
    }

    /** The topics that a member subscribes to. */
    static Optional<SortedSet<TopicName>> topics(byte[] subscription) {
        try {
            SortedSet<TopicName> topics = new TreeSet<>();
            for (String topic : ConsumerProtocol.deserializeConsumerProtocolSubscription(ByteBuffer.wrap(subscription))
                    .topics()) {
                topics.add(new TopicName(topic));
            }
            return Optional.of(topics);
        } catch (RuntimeException e) {
            // The generated readers throw anything at bytes that are not theirs.
            return Optional.empty();
        }
    }

    /** What a leader would write for a member with these partitions. */
    static byte[] assignment(SortedSet<TopicPartition> partitions) {
        List<org.apache.kafka.common.TopicPartition> all = new ArrayList<>();
        partitions.forEach(one ->
                all.add(new org.apache.kafka.common.TopicPartition(one.topic().value(), one.partition())));
        ByteBuffer bytes = ConsumerProtocol.serializeAssignment(new Assignment(all));
        byte[] array = new byte[bytes.remaining()];
        bytes.get(array);
        return array;
    }

    /** The partitions that a member was given. */
    static Optional<SortedSet<TopicPartition>> partitions(byte[] assignment) {
        SortedSet<TopicPartition> partitions = new TreeSet<>();
        if (assignment.length == 0) {
            return Optional.of(partitions);
        }
        try {
            ConsumerProtocolAssignment read =
                    ConsumerProtocol.deserializeConsumerProtocolAssignment(ByteBuffer.wrap(assignment));
            for (var topic : read.assignedPartitions()) {
                TopicName name = new TopicName(topic.topic());
                topic.partitions().forEach(partition -> partitions.add(new TopicPartition(name, partition)));
            }
            return Optional.of(partitions);
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }
}
