package dev.muster.simulation;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/** What a wire client asks a server for. */
sealed interface WireRequest {
    /** Of each kind the answers come in the order of requests: a client has a connection for either. */
    enum Lane {
        GROUP,
        RECORDS
    }

    default Lane lane() {
        return Lane.GROUP;
    }

    /** The heartbeat of KIP-848. What is empty is as it was. */
    public record Beat(
            MemberId member,
            long epoch,
            Optional<String> instance,
            Optional<SortedSet<TopicName>> topics,
            Optional<Duration> revoke,
            Optional<SortedSet<Held>> owned)
            implements WireRequest {}

    /**
     * The join of the classic protocol.
     *
     * @param member empty: it has no id yet
     */
    record Join(
            String member,
            Optional<String> instance,
            String client,
            String protocol,
            SortedSet<TopicName> topics,
            Words words)
            implements WireRequest {}

    /**
     * A classic client asks for its assignment.
     *
     * @param assignment of the leader, by member; of others empty
     */
    record Sync(
            MemberId member,
            Optional<String> instance,
            long generation,
            String protocol,
            SortedMap<String, SortedSet<TopicPartition>> assignment)
            implements WireRequest {}

    /** The heartbeat of the classic protocol. */
    record Pulse(MemberId member, Optional<String> instance, long generation) implements WireRequest {}

    /** A classic client goes. */
    record Leave(MemberId member) implements WireRequest {}

    /** @param epoch or generation that the client was told last when it sent this */
    record Commit(MemberId member, Optional<String> instance, long epoch, SortedMap<Held, Long> offsets)
            implements WireRequest {}

    /**
     * Where to begin.
     *
     * @param member empty: classic clients do not say who asks
     */
    record Places(Optional<MemberId> member, long epoch, SortedSet<Held> partitions) implements WireRequest {}

    record Fetch(Held partition, long offset) implements WireRequest {
        @Override
        public Lane lane() {
            return Lane.RECORDS;
        }
    }

    /** What a topic is like. */
    record Shape(TopicName topic) implements WireRequest {
        @Override
        public Lane lane() {
            return Lane.RECORDS;
        }
    }
}
