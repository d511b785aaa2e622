package dev.muster.kafka.api.groups;

import dev.muster.core.InvalidNameException;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.Reading;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.message.ConsumerProtocolAssignment;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.protocol.MessageUtil;

/**
 * What consumers say to each other through the group, where it can be read: to show who reads what, and to have them in
 * a group that assigns by itself. Bytes that cannot be read are no error: they belong to the clients.
 */
final class ConsumerBytes {
    /** All clients understand it, and no later one says more in an assignment. */
    private static final short ASSIGNMENT_VERSION = 0;

    /** From this version on a member names the generation in which it got what it has. */
    private static final short GENERATION_FROM = 2;

    private ConsumerBytes() {}

    static boolean areReadable(String protocolType) {
        return ClassicGroup.CONSUMER.equals(protocolType);
    }

    /** What a member says under all of its protocols. */
    static Optional<Reading> reading(JoinGroupRequestData asked) {
        if (!areReadable(asked.protocolType())) {
            return Optional.empty();
        }
        SortedSet<TopicName> topics = new TreeSet<>();
        SortedSet<TopicPartition> owned = new TreeSet<>();
        for (var protocol : asked.protocols()) {
            Optional<Reading> one = subscription(protocol.metadata());
            if (one.isEmpty()) {
                return one;
            }
            topics.addAll(one.get().topics());
            owned.addAll(one.get().owned());
        }
        return Optional.of(new Reading(topics, owned));
    }

    private static Optional<Reading> subscription(byte[] metadata) {
        try {
            ConsumerProtocolSubscription read =
                    ConsumerProtocol.deserializeConsumerProtocolSubscription(ByteBuffer.wrap(metadata));
            SortedSet<TopicName> topics = new TreeSet<>();
            read.topics().forEach(topic -> name(topic).ifPresent(name -> topics.add(name)));
            SortedSet<TopicPartition> owned = new TreeSet<>();
            for (var topic : read.ownedPartitions()) {
                name(topic.topic())
                        .ifPresent(name -> topic.partitions()
                                .forEach(partition -> owned.add(new TopicPartition(name, partition))));
            }
            return Optional.of(new Reading(topics, owned));
        } catch (RuntimeException e) {
            // The generated readers throw anything at bytes that are not theirs.
            return Optional.empty();
        }
    }

    /**
     * What a member says, as if it had heard of this generation: what it has is its own. Members that cannot name one
     * (before version 2) are left as they are.
     */
    static byte[] inGeneration(long generation, byte[] metadata) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(metadata);
            short version = (short) Math.min(bytes.getShort(0), ConsumerProtocolSubscription.HIGHEST_SUPPORTED_VERSION);
            ConsumerProtocolSubscription read = ConsumerProtocol.deserializeConsumerProtocolSubscription(bytes);
            if (version < GENERATION_FROM || read.ownedPartitions().isEmpty()) {
                return metadata;
            }
            read.setGenerationId(Math.toIntExact(generation));
            ByteBuffer written = MessageUtil.toVersionPrefixedByteBuffer(version, read);
            byte[] array = new byte[written.remaining()];
            written.get(array);
            return array;
        } catch (RuntimeException e) {
            return metadata;
        }
    }

    /** A name that no topic can have is left out: there is nothing to be read there. */
    private static Optional<TopicName> name(String topic) {
        try {
            return Optional.of(new TopicName(topic));
        } catch (InvalidNameException e) {
            return Optional.empty();
        }
    }

    /** What a leader would write for a member with these partitions. */
    static byte[] assignment(SortedSet<TopicPartition> partitions) {
        List<org.apache.kafka.common.TopicPartition> all = new ArrayList<>();
        partitions.forEach(one ->
                all.add(new org.apache.kafka.common.TopicPartition(one.topic().value(), one.partition())));
        ByteBuffer bytes = ConsumerProtocol.serializeAssignment(new Assignment(all), ASSIGNMENT_VERSION);
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
            for (var topic : read(assignment).assignedPartitions()) {
                TopicName name = new TopicName(topic.topic());
                topic.partitions().forEach(partition -> partitions.add(new TopicPartition(name, partition)));
            }
            return Optional.of(partitions);
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }

    /** Whether an assignment says which partitions, and nothing that only an assignor of the clients understands. */
    static boolean isPlain(byte[] assignment) {
        if (assignment.length == 0) {
            return true;
        }
        try {
            ByteBuffer more = read(assignment).userData();
            return (more == null || !more.hasRemaining())
                    && partitions(assignment).isPresent();
        } catch (RuntimeException e) {
            return false;
        }
    }

    private static ConsumerProtocolAssignment read(byte[] assignment) {
        return ConsumerProtocol.deserializeConsumerProtocolAssignment(ByteBuffer.wrap(assignment));
    }
}
