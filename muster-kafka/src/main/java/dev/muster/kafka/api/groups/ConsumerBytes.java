package dev.muster.kafka.api.groups;

import dev.muster.core.InvalidNameException;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ConsumerMetadata;
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
 * The bytes that consumers exchange through their group, as far as they can be read: to show which member reads which
 * topics, and to have such members in a group that assigns by itself. Unreadable bytes are no error: they belong to the
 * clients.
 */
final class ConsumerBytes {
    /** All clients understand this version, and no later one adds fields to an assignment. */
    private static final short ASSIGNMENT_VERSION = 0;

    /** From this version on a member names the generation in which it got its partitions. */
    private static final short GENERATION_FROM = 2;

    private ConsumerBytes() {}

    static boolean areReadable(String protocolType) {
        return ClassicGroup.CONSUMER.equals(protocolType);
    }

    /** The topics and partitions that a member names in all of its protocols; empty if they cannot be read. */
    static Optional<ConsumerMetadata> reading(JoinGroupRequestData asked) {
        if (!areReadable(asked.protocolType())) {
            return Optional.empty();
        }
        SortedSet<TopicName> topics = new TreeSet<>();
        SortedSet<TopicPartition> owned = new TreeSet<>();
        for (var protocol : asked.protocols()) {
            Optional<ConsumerMetadata> one = subscription(protocol.metadata());
            if (one.isEmpty()) {
                return one;
            }
            topics.addAll(one.get().topics());
            owned.addAll(one.get().owned());
        }
        return Optional.of(new ConsumerMetadata(topics, owned));
    }

    private static Optional<ConsumerMetadata> subscription(byte[] metadata) {
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
            return Optional.of(new ConsumerMetadata(topics, owned));
        } catch (RuntimeException e) {
            // The generated readers throw many types of exception at invalid bytes.
            return Optional.empty();
        }
    }

    /**
     * The metadata of a member, with this generation: the member then counts as owner of its partitions. Metadata
     * before version 2 have no generation and stay as they are.
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

    /** The topic's name; empty if no topic can have it, so there is nothing to read. */
    private static Optional<TopicName> name(String topic) {
        try {
            return Optional.of(new TopicName(topic));
        } catch (InvalidNameException e) {
            return Optional.empty();
        }
    }

    /** The bytes that a leader would write for a member with these partitions. */
    static byte[] assignment(SortedSet<TopicPartition> partitions) {
        List<org.apache.kafka.common.TopicPartition> all = new ArrayList<>();
        partitions.forEach(one ->
                all.add(new org.apache.kafka.common.TopicPartition(one.topic().value(), one.partition())));
        ByteBuffer bytes = ConsumerProtocol.serializeAssignment(new Assignment(all), ASSIGNMENT_VERSION);
        byte[] array = new byte[bytes.remaining()];
        bytes.get(array);
        return array;
    }

    /** The partitions of an assignment; empty if it cannot be read. */
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

    /** True if an assignment has partitions only, and no user data of an assignor. */
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
