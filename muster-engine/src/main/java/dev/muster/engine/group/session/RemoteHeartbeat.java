package dev.muster.engine.group.session;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;

/**
 * What a remote member says when it gives a sign of life. What is empty is as it was.
 *
 * @param member empty: it wants to be given an id
 * @param epoch the last that it was told; {@link #JOIN}, {@link #LEAVE} or {@link #COME_BACK}
 * @param pattern an empty text: none any more
 * @param assignor as {@link dev.muster.core.assign.Assignor#name} calls it
 * @param owned what it works at this moment
 */
public record RemoteHeartbeat(
        Optional<MemberId> member,
        long epoch,
        Optional<String> instance,
        Optional<SortedSet<TopicName>> topics,
        Optional<String> pattern,
        Optional<String> assignor,
        Optional<Duration> revoke,
        Optional<SortedSet<TopicPartition>> owned,
        Caller caller) {
    public static final long JOIN = 0;
    public static final long LEAVE = -1;
    /** A static member goes and means to come back. */
    public static final long COME_BACK = -2;

    /**
     * @param client a name for people
     * @param address where it comes from, for people
     * @param connection a number that no other connection has, higher than those before it
     */
    public record Caller(String client, String address, long connection) {}
}
