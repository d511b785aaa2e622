package dev.muster.simulation;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/** A request of a wire client to a server. */
sealed interface WireRequest {
    /** The kinds of connections; on each one the answers have the order of the requests. */
    enum Lane {
        GROUP,
        RECORDS
    }

    default Lane lane() {
        return Lane.GROUP;
    }

    /** The heartbeat of KIP-848. An empty field means no change. */
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
     * @param member the member id; empty if the client has none yet
     */
    record Join(
            String member,
            Optional<String> instance,
            String client,
            String protocol,
            SortedSet<TopicName> topics,
            MemberMetadata words)
            implements WireRequest {}

    /**
     * A classic client asks for its assignment.
     *
     * @param assignment the leader's assignment, by member; empty from other members
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

    /** The leave of a classic client. */
    record Leave(MemberId member) implements WireRequest {}

    /** @param epoch the last epoch or generation that the client had received */
    record Commit(MemberId member, Optional<String> instance, long epoch, SortedMap<Held, Long> offsets)
            implements WireRequest {}

    /**
     * A fetch of committed offsets.
     *
     * @param member the member id; empty from classic clients
     */
    record Places(Optional<MemberId> member, long epoch, SortedSet<Held> partitions) implements WireRequest {}

    record Fetch(Held partition, long offset) implements WireRequest {
        @Override
        public Lane lane() {
            return Lane.RECORDS;
        }
    }

    /** A request for the id and the number of partitions of a topic. */
    record Shape(TopicName topic) implements WireRequest {
        @Override
        public Lane lane() {
            return Lane.RECORDS;
        }
    }
}
