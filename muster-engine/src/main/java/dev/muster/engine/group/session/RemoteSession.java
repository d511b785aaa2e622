package dev.muster.engine.group.session;

import dev.muster.core.TopicId;
import dev.muster.core.TopicPartition;
import java.util.Collections;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The exchange with a remote member, as far as it shows which partitions the member may be processing.
 *
 * @param lastAnswer the partitions in our last answer
 * @param topics the ids of the topics in the last answer
 * @param connection the connection of that answer
 * @param offered all partitions that this process sent in answers since the member's last report. The member may still
 *     take any of them, even one that a later answer revoked, because a client finishes a reconciliation that it began
 * @param reported the partitions in the member's last report; empty if this process got no report
 * @param doubted the time of a report over a new connection: the member may then still be applying an answer that this
 *     process does not know; empty if there is no doubt
 * @param owned the partitions that the member owned at the time {@code doubted}; they include all that it may still be
 *     applying
 * @param at the time of the last message
 */
record RemoteSession(
        SortedSet<TopicPartition> lastAnswer,
        Set<TopicId> topics,
        long connection,
        SortedSet<TopicPartition> offered,
        Optional<SortedSet<TopicPartition>> reported,
        OptionalLong doubted,
        SortedSet<TopicPartition> owned,
        long at) {
    /** The time after which a member has finished an unknown reconciliation and reported it, or never will. */
    private static final long DOUBT_NANOS = 10_000_000_000L;

    private static final SortedSet<TopicPartition> NOTHING = Collections.emptySortedSet();

    /** The session of a member without known history. */
    static RemoteSession begin(long now) {
        return begin(Optional.empty(), now);
    }

    /** The session of a member that joins without partitions. */
    static RemoteSession join(long now) {
        return begin(Optional.of(NOTHING), now);
    }

    private static RemoteSession begin(Optional<SortedSet<TopicPartition>> reported, long now) {
        return new RemoteSession(
                NOTHING,
                Set.of(),
                ConnectionLiveness.NO_CONNECTION,
                NOTHING,
                reported,
                OptionalLong.empty(),
                NOTHING,
                now);
    }

    /**
     * The session after a report of the member.
     *
     * @param ownedNow the partitions that the member owns in the group's state
     */
    RemoteSession afterReport(
            SortedSet<TopicPartition> works, long over, SortedSet<TopicPartition> ownedNow, long now) {
        return connection == over
                ? new RemoteSession(
                        lastAnswer,
                        topics,
                        connection,
                        lastAnswer,
                        Optional.of(works),
                        OptionalLong.empty(),
                        NOTHING,
                        now)
                : new RemoteSession(
                        lastAnswer,
                        topics,
                        connection,
                        offered,
                        Optional.of(works),
                        OptionalLong.of(now),
                        ownedNow,
                        now);
    }

    /** The session after our answer. */
    RemoteSession afterAnswer(SortedSet<TopicPartition> partitions, Set<TopicId> itsTopics, long over, long now) {
        SortedSet<TopicPartition> more = new TreeSet<>(offered);
        more.addAll(partitions);
        return new RemoteSession(partitions, itsTopics, over, more, reported, doubted, owned, now);
    }

    /** True if the member may not know this assignment yet. */
    boolean isNews(SortedSet<TopicPartition> partitions, Set<TopicId> itsTopics, long over) {
        return connection != over || !lastAnswer.equals(partitions) || !topics.equals(itsTopics);
    }

    /**
     * The partitions among these that the member has certainly released, by this heartbeat. For each of them the member
     * does not process it and cannot be about to take it. And either the member received its revocation, or it reported
     * the partition before.
     */
    SortedSet<TopicPartition> released(SortedSet<TopicPartition> wantedBack, RemoteHeartbeat beat, long now) {
        SortedSet<TopicPartition> gone = new TreeSet<>();
        // The last answer was received if the member uses the same connection; otherwise it may have been lost.
        boolean received = connection == beat.caller().connection();
        boolean explicit = received && beat.owned().isPresent();
        Optional<SortedSet<TopicPartition>> works = beat.owned().or(() -> reported);
        boolean inDoubt = doubted.isPresent() && now - doubted.getAsLong() < DOUBT_NANOS;
        if (works.isEmpty()) {
            return gone;
        }
        SortedSet<TopicPartition> onTheWay = onTheWay(explicit, inDoubt);
        for (TopicPartition partition : wantedBack) {
            boolean had = reported.filter(those -> those.contains(partition)).isPresent();
            if (!works.get().contains(partition) && !onTheWay.contains(partition) && (received || had)) {
                gone.add(partition);
            }
        }
        return gone;
    }

    /** The partitions that the member may be about to take. */
    private SortedSet<TopicPartition> onTheWay(boolean explicit, boolean inDoubt) {
        if (inDoubt && !explicit) {
            SortedSet<TopicPartition> all = new TreeSet<>(offered);
            all.addAll(owned);
            return all;
        }
        return explicit || doubted.isPresent() ? lastAnswer : offered;
    }
}
