package dev.muster.engine.group;

import dev.muster.core.group.LeaveCause;
import dev.muster.core.group.MemberId;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * When the members that a process serves were heard of last, on its own clock, and over which connection. For all
 * threads.
 *
 * <p>A member whose side ended that connection, and who did not say that it leaves, is mostly dead: it gets a grace
 * from when its next sign of life is due, instead of a whole session. One that comes back after all was taken for dead
 * wrongly, and gets twice the grace from then on.
 */
final class Listening {
    private static final System.Logger LOG = System.getLogger(Listening.class.getName());

    /** The connection of whoever did not tell. */
    static final long NO_CONNECTION = -1;

    private static final int PATIENCE_MAX = 64;
    private static final int REMEMBERED_MAX = 10_000;

    private final Surroundings world;
    private final Map<MemberId, Sign> signs = new ConcurrentHashMap<>();
    /** By how much the grace of a member is longer than usual; also of those who are out for want of a connection. */
    private final Map<MemberId, Integer> patience = new ConcurrentHashMap<>();

    private final Set<MemberId> lost = ConcurrentHashMap.newKeySet();
    private volatile Optional<Duration> grace = Optional.empty();

    /**
     * The last sign of life.
     *
     * @param pauseNanos how long such a member is silent as a rule
     * @param hungUp when its side ended the connection; empty: it has not
     */
    private record Sign(long at, long connection, long pauseNanos, Optional<Long> hungUp) {}

    Listening(Surroundings world) {
        this.world = world;
    }

    /** @param time beyond the usual pause of a member; empty: who hangs up has a whole session like everybody */
    void grace(Optional<Duration> time) {
        grace = time;
    }

    /** Something that is a sign of life, but does not come by itself. */
    void heard(MemberId member) {
        long now = world.nanoTime();
        signs.compute(
                member,
                (_, last) -> last == null
                        ? new Sign(now, NO_CONNECTION, 0, Optional.empty())
                        : new Sign(now, last.connection(), last.pauseNanos(), Optional.empty()));
    }

    /**
     * A sign of life as it comes again and again, over this connection. One that was on the way for long says nothing
     * of today, and its connection may be about to end.
     */
    void heard(MemberId member, long connection, long pauseNanos) {
        Sign now = new Sign(world.nanoTime(), connection, pauseNanos, Optional.empty());
        signs.merge(member, now, (last, _) -> last.connection() > connection ? last : now);
    }

    /** Whether a member was heard of over a newer connection than this. */
    boolean isOlder(MemberId member, long connection) {
        Sign sign = signs.get(member);
        return sign != null && sign.connection() > connection;
    }

    /** Whether a member was heard of last over a connection that its side has ended. */
    boolean isHungUp(MemberId member) {
        Sign sign = signs.get(member);
        return sign != null && sign.hungUp().isPresent();
    }

    /** The far side ended a connection. @return whether somebody was heard of over it last */
    boolean hungUp(long connection) {
        boolean any = false;
        for (MemberId member : signs.keySet()) {
            Sign now = signs.computeIfPresent(
                    member,
                    (_, sign) -> sign.connection() != connection
                                    || sign.hungUp().isPresent()
                            ? sign
                            : new Sign(sign.at(), sign.connection(), sign.pauseNanos(), Optional.of(world.nanoTime())));
            any |= now != null && now.connection() == connection;
        }
        return any;
    }

    void startAfresh(long now) {
        signs.replaceAll((_, sign) -> new Sign(now, sign.connection(), sign.pauseNanos(), Optional.empty()));
    }

    /** Who was heard of since {@code now} may be in a newer state than the one with these members. */
    void forgetOthers(Set<MemberId> members, long now) {
        signs.entrySet()
                .removeIf(
                        one -> !members.contains(one.getKey()) && one.getValue().at() - now < 0);
    }

    /** When a member was heard of last; one that never was is heard of now. */
    long since(MemberId member, long now) {
        return signs.computeIfAbsent(member, _ -> new Sign(now, NO_CONNECTION, 0, Optional.empty()))
                .at();
    }

    /** When a member is to be taken for gone unless it is heard of, and why. */
    Silence silence(MemberId member, long sessionNanos, long now) {
        Sign sign = signs.computeIfAbsent(member, _ -> new Sign(now, NO_CONNECTION, 0, Optional.empty()));
        long session = sign.at() + sessionNanos;
        Silence whole = new Silence(member, LeaveCause.SESSION_EXPIRED, sign.at(), session);
        if (sign.hungUp().isEmpty() || grace.isEmpty()) {
            return whole;
        }
        // Who lives finds out that its connection is gone when it has something to say, at the latest then.
        long due = sign.at() + sign.pauseNanos();
        long from = due - sign.hungUp().get() > 0 ? due : sign.hungUp().get();
        long extra = Deadline.nanos(grace.get());
        long deadline = from + extra + (sign.pauseNanos() + extra) * (patience.getOrDefault(member, 1) - 1);
        return Deadline.reached(session, deadline)
                ? whole
                : new Silence(member, LeaveCause.CONNECTION_LOST, sign.at(), deadline);
    }

    /** Whether nothing was heard since; then the member is about to be expelled. */
    boolean isStill(Silence silence) {
        Sign sign = signs.get(silence.member());
        boolean still = sign == null
                || sign.at() == silence.since()
                        && (silence.cause() != LeaveCause.CONNECTION_LOST
                                || sign.hungUp().isPresent());
        if (still && silence.cause() == LeaveCause.CONNECTION_LOST && lost.size() < REMEMBERED_MAX) {
            lost.add(silence.member());
        }
        return still;
    }

    /** Somebody who is not in the group speaks as if he were. */
    void cameBack(MemberId member) {
        if (lost.remove(member) && patience.size() < REMEMBERED_MAX) {
            int times = patience.merge(member, 2, (old, _) -> Math.min(old * 2, PATIENCE_MAX));
            LOG.log(
                    Level.WARNING,
                    "member {0} lost its connection, was taken for gone and came back: it gets {1} times the grace now",
                    member,
                    times);
        }
    }
}
