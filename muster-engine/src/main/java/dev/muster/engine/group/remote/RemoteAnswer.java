package dev.muster.engine.group.remote;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;

/** What a remote member is told. */
public sealed interface RemoteAnswer {
    /**
     * It is in the group.
     *
     * @param pause when to give the next sign of life
     * @param partitions what it may work from now on; empty: as it was told last
     */
    record In(MemberId member, long epoch, Duration pause, Optional<SortedSet<TopicPartition>> partitions)
            implements RemoteAnswer {}

    /** It is out, as it wished. */
    record Out(MemberId member, long epoch) implements RemoteAnswer {}

    /** What it asked for is done. */
    record Done() implements RemoteAnswer {}

    /** No. */
    record Refused(Why why, String text) implements RemoteAnswer {}

    enum Why {
        UNKNOWN_MEMBER,
        /** It speaks of a generation that has not come. */
        FENCED_EPOCH,
        /** What it wants to commit is not its own, or was not in the generation it speaks of. */
        STALE_EPOCH,
        FENCED_INSTANCE,
        INSTANCE_IN_USE,
        CLASSIC_MEMBERS,
        UNKNOWN_ASSIGNOR,
        INVALID_GROUP,
        INVALID_REQUEST,
        INVALID_PATTERN,
        GROUP_FULL,
        UNAVAILABLE
    }
}
