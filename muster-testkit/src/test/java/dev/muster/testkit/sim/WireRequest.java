package dev.muster.testkit.sim;

import dev.muster.core.TopicName;
import dev.muster.core.group.MemberId;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/** What a wire client asks a server for. Clients of another protocol have requests of their own. */
sealed interface WireRequest {
    /** The heartbeat of KIP-848. What is empty is as it was. */
    record Beat(
            MemberId member,
            long epoch,
            Optional<String> instance,
            Optional<SortedSet<TopicName>> topics,
            Optional<Duration> revoke,
            Optional<SortedSet<Held>> owned)
            implements WireRequest {}

    /** @param epoch that the client was told last when it sent this */
    record Commit(MemberId member, Optional<String> instance, long epoch, SortedMap<Held, Long> offsets)
            implements WireRequest {}

    /** Where to begin. */
    record Places(MemberId member, long epoch, SortedSet<Held> partitions) implements WireRequest {}

    record Fetch(Held partition, long offset) implements WireRequest {}
}
