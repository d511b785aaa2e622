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

/** What a server answers to a wire client. */
sealed interface WireAnswer {
    /** @param partitions what the client may work from now on; empty: as it was told last */
    record Told(long epoch, Duration pause, Optional<SortedSet<Held>> partitions) implements WireAnswer {}

    /**
     * A generation with a classic client in it.
     *
     * @param fellows for who is to assign: all, with what they say; for others nobody
     */
    record Joined(String member, long generation, boolean leads, SortedMap<String, Words> fellows)
            implements WireAnswer {
        boolean assigns() {
            return !fellows.isEmpty();
        }
    }

    /** What a classic client is given. */
    record Assigned(SortedSet<TopicPartition> partitions) implements WireAnswer {}

    /** A classic client may go on as it is. */
    record GoOn() implements WireAnswer {}

    /** It is out, as it wished. */
    record Out() implements WireAnswer {}

    record Committed() implements WireAnswer {}

    /** @param offsets committed ones; partitions that have none are not there */
    record Places(SortedMap<Held, Long> offsets) implements WireAnswer {}

    record Records(List<Fetched> records) implements WireAnswer {}

    record Fetched(long offset, long number) {}

    /** @param id empty: there is no such topic */
    record Shape(Optional<TopicId> id, int partitions) implements WireAnswer {}

    record Refused(RemoteAnswer.Why why) implements WireAnswer {}

    /** In the words of the classic protocol. */
    record No(ClassicReply.Refusal why) implements WireAnswer {}

    /** Something is wrong with the server: ask again. */
    record Failed() implements WireAnswer {}
}
