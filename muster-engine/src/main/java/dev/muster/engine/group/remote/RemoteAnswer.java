package dev.muster.engine.group.remote;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;

/** The answer to a request of a remote member. */
public sealed interface RemoteAnswer {
    /**
     * The member is in the group.
     *
     * @param pause the time until the next heartbeat
     * @param partitions the partitions that the member may process from now on; empty if unchanged
     */
    record In(MemberId member, long epoch, Duration pause, Optional<SortedSet<TopicPartition>> partitions)
            implements RemoteAnswer {}

    /** The member left. */
    record Out(MemberId member, long epoch) implements RemoteAnswer {}

    /** The request was carried out. */
    record Done() implements RemoteAnswer {}

    /** The request was refused. */
    record Refused(Why why, String text) implements RemoteAnswer {}

    enum Why {
        UNKNOWN_MEMBER,
        /** The epoch of the request does not exist yet. */
        FENCED_EPOCH,
        /** The member does not own a partition of its commit, or did not own it in the epoch of the request. */
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
