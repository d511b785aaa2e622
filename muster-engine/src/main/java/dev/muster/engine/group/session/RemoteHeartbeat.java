package dev.muster.engine.group.session;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;

/**
 * A heartbeat of a remote member. An empty field means no change.
 *
 * @param member the member id; empty if the server must choose one
 * @param epoch the last epoch that the member received; or {@link #JOIN}, {@link #LEAVE} or {@link #COME_BACK}
 * @param pattern the pattern of topic names; an empty text removes it
 * @param assignor the {@link dev.muster.core.assign.Assignor#name} of an assignor
 * @param owned the partitions that the member processes at this moment
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
    /** The epoch of a static member that leaves and will come back. */
    public static final long COME_BACK = -2;

    /**
     * @param client the client id, for people
     * @param address the remote address, for people
     * @param connection the number of the connection; newer connections have higher numbers
     */
    public record Caller(String client, String address, long connection) {}
}
