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
 * What was said between us and a remote member, as far as it tells what the member may be working.
 *
 * @param told what it may work, by our last answer
 * @param topics those of what was told, as they were then
 * @param connection that answer went over
 * @param offered everything that it was told since it last said what it works: clients finish what they began, so it
 *     may be about to take any of it, also what a later answer took back
 * @param reported what it last said it works; empty: it has not said so to us
 * @param doubted since when it may be finishing something that we know nothing of: clients that lost their connection
 *     say what they work at that moment, in the middle of something or not; empty: it is not so
 * @param owned what it owned at that time: whatever it may be finishing is among that, and came to be known to it
 *     before
 * @param at of the last word
 */
record RemoteSession(
        SortedSet<TopicPartition> told,
        Set<TopicId> topics,
        long connection,
        SortedSet<TopicPartition> offered,
        Optional<SortedSet<TopicPartition>> reported,
        OptionalLong doubted,
        SortedSet<TopicPartition> owned,
        long at) {
    /** A member that was finishing its work has reported that by then, or will not. */
    private static final long DOUBT_NANOS = 10_000_000_000L;

    private static final SortedSet<TopicPartition> NOTHING = Collections.emptySortedSet();

    /** With a member of which nothing is known. */
    static RemoteSession begin(long now) {
        return begin(Optional.empty(), now);
    }

    /** With one that comes, and has nothing in hand. */
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
     * The member says what it works.
     *
     * @param ownedNow what the group has it own
     */
    RemoteSession said(SortedSet<TopicPartition> works, long over, SortedSet<TopicPartition> ownedNow, long now) {
        return connection == over
                ? new RemoteSession(
                        told, topics, connection, told, Optional.of(works), OptionalLong.empty(), NOTHING, now)
                : new RemoteSession(
                        told, topics, connection, offered, Optional.of(works), OptionalLong.of(now), ownedNow, now);
    }

    /** We say what it may work. */
    RemoteSession told(SortedSet<TopicPartition> partitions, Set<TopicId> itsTopics, long over, long now) {
        SortedSet<TopicPartition> more = new TreeSet<>(offered);
        more.addAll(partitions);
        return new RemoteSession(partitions, itsTopics, over, more, reported, doubted, owned, now);
    }

    /** True if the member may not know this yet. */
    boolean isNews(SortedSet<TopicPartition> partitions, Set<TopicId> itsTopics, long over) {
        return connection != over || !told.equals(partitions) || !topics.equals(itsTopics);
    }

    /**
     * What of these partitions the member has let go of, for certain, as it speaks again. It does not work one; it
     * cannot be about to take it; and it knows that it should not have it, or had it before.
     */
    SortedSet<TopicPartition> letGo(SortedSet<TopicPartition> wantedBack, RemoteHeartbeat beat, long now) {
        SortedSet<TopicPartition> gone = new TreeSet<>();
        // An answer was heard if the member goes on over the same connection; otherwise it may have been lost.
        boolean heard = connection == beat.caller().connection();
        boolean explicit = heard && beat.owned().isPresent();
        Optional<SortedSet<TopicPartition>> works = beat.owned().or(() -> reported);
        boolean inDoubt = doubted.isPresent() && now - doubted.getAsLong() < DOUBT_NANOS;
        if (works.isEmpty()) {
            return gone;
        }
        SortedSet<TopicPartition> onTheWay = onTheWay(explicit, inDoubt);
        for (TopicPartition partition : wantedBack) {
            boolean had = reported.filter(those -> those.contains(partition)).isPresent();
            if (!works.get().contains(partition) && !onTheWay.contains(partition) && (heard || had)) {
                gone.add(partition);
            }
        }
        return gone;
    }

    /** What the member may be about to take. */
    private SortedSet<TopicPartition> onTheWay(boolean explicit, boolean inDoubt) {
        if (inDoubt && !explicit) {
            SortedSet<TopicPartition> all = new TreeSet<>(offered);
            all.addAll(owned);
            return all;
        }
        return explicit || doubted.isPresent() ? told : offered;
    }
}
