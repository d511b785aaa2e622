package dev.muster.simulation;

import dev.muster.core.TopicId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicReply;
import dev.muster.engine.group.remote.RemoteAnswer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/** An answer of a server to a wire client. */
sealed interface WireAnswer {
    /** @param partitions the partitions that the client may process from now on; empty if unchanged */
    record Told(long epoch, Duration pause, Optional<SortedSet<Held>> partitions) implements WireAnswer {}

    /**
     * A generation of a classic client.
     *
     * @param fellows all members with their metadata, for the leader; empty for other members
     */
    record Joined(String member, long generation, boolean leads, SortedMap<String, MemberMetadata> fellows)
            implements WireAnswer {
        boolean assigns() {
            return !fellows.isEmpty();
        }
    }

    /** The assignment of a classic client. */
    record Assigned(SortedSet<TopicPartition> partitions) implements WireAnswer {}

    /** The answer to a heartbeat of a classic client without a rebalance. */
    record GoOn() implements WireAnswer {}

    /** The client left. */
    record Out() implements WireAnswer {}

    record Committed() implements WireAnswer {}

    /** @param offsets the committed offsets, without partitions that have none */
    record Places(SortedMap<Held, Long> offsets) implements WireAnswer {}

    record Records(List<Fetched> records) implements WireAnswer {}

    record Fetched(long offset, long number) {}

    /** @param id the id of the topic; empty if there is no such topic */
    record Shape(Optional<TopicId> id, int partitions) implements WireAnswer {}

    record Refused(RemoteAnswer.Why why) implements WireAnswer {}

    /** A refusal of the classic protocol. */
    record No(ClassicReply.Refusal why) implements WireAnswer {}

    /** The server failed: the client must ask again. */
    record Failed() implements WireAnswer {}
}
