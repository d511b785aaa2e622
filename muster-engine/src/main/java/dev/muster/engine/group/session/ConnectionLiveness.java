package dev.muster.engine.group.session;

import dev.muster.core.MemberId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.engine.runtime.Deadline;
import dev.muster.engine.runtime.GroupRuntime;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;

/**
 * When the members that a process serves were heard of last, on its own clock, and over which connection. For all
 * threads.
 *
 * <p>A dynamic member whose side ended that connection without a leave is mostly dead. It gets a grace from when its
 * next sign of life is due, instead of a whole session, and twice as much for each false alarm that it caused. A static
 * member keeps its whole session.
 */
public final class ConnectionLiveness {
    /** The connection of a request that did not name one. */
    static final long NO_CONNECTION = -1;

    /** More do not make the grace any longer. */
    private static final int ALARMS_MAX = 6;

    private final GroupRuntime runtime;
    private final Map<MemberId, Sign> signs = new ConcurrentHashMap<>();
    private volatile Optional<Duration> grace = Optional.empty();

    /**
     * The last sign of life.
     *
     * @param pauseNanos how long such a member is silent as a rule
     * @param hungUp when its side ended the connection; empty: it has not
     */
    private record Sign(long at, long connection, long pauseNanos, Optional<Long> hungUp) {}

    /** A member's silence between two signs of life, in nanoseconds. */
    record Pause(long asked, long took) {}

    ConnectionLiveness(GroupRuntime runtime) {
        this.runtime = runtime;
    }

    /**
     * @param time beyond the usual pause of a member; empty: a member that hangs up has a whole session like all others
     */
    public void grace(Optional<Duration> time) {
        grace = time;
    }

    /** Something that is a sign of life, but does not come by itself. */
    public void heard(MemberId member) {
        long now = runtime.nanoTime();
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
    public void heard(MemberId member, long connection, long pauseNanos) {
        long now = runtime.nanoTime();
        signs.compute(member, (_, last) -> {
            if (last != null && last.connection() > connection) {
                return last;
            }
            // What came over a connection that ended meanwhile was said before that.
            boolean same = last != null && last.connection() == connection;
            return new Sign(now, connection, pauseNanos, same ? last.hungUp() : Optional.empty());
        });
    }

    /** How long a member has been silent when it was asked to be; empty: it was not asked, or has not waited. */
    Optional<Pause> pause(MemberId member) {
        Sign sign = signs.get(member);
        if (sign == null || sign.pauseNanos() == 0) {
            return Optional.empty();
        }
        long took = runtime.nanoTime() - sign.at();
        boolean itsTurn = took >= sign.pauseNanos() - sign.pauseNanos() / 8;
        return itsTurn ? Optional.of(new Pause(sign.pauseNanos(), took)) : Optional.empty();
    }

    /** We spoke, which takes time that is not the member's; it says nothing about whether the member hears it. */
    void answered(MemberId member) {
        long now = runtime.nanoTime();
        signs.computeIfPresent(member, (_, last) -> new Sign(now, last.connection(), last.pauseNanos(), last.hungUp()));
    }

    /** True if a member was heard of over a newer connection than this. */
    public boolean isOlder(MemberId member, long connection) {
        Sign sign = signs.get(member);
        return sign != null && sign.connection() > connection;
    }

    /** True if a member was heard of last over a connection that its side has ended. */
    public boolean isHungUp(MemberId member) {
        Sign sign = signs.get(member);
        return sign != null && sign.hungUp().isPresent();
    }

    /** The far side ended a connection. @return True if a member was heard of over it last */
    public boolean hungUp(long connection) {
        boolean any = false;
        for (MemberId member : signs.keySet()) {
            Sign now = signs.computeIfPresent(
                    member,
                    (_, sign) -> sign.connection() != connection
                                    || sign.hungUp().isPresent()
                            ? sign
                            : new Sign(
                                    sign.at(), sign.connection(), sign.pauseNanos(), Optional.of(runtime.nanoTime())));
            any |= now != null && now.connection() == connection;
        }
        return any;
    }

    /**
     * This process was away and heard no member, see {@link Deadline#excused}. That may also be why a member hung up.
     */
    void excuse(long away, long now) {
        signs.replaceAll((_, sign) -> new Sign(
                Deadline.excused(sign.at(), away, now), sign.connection(), sign.pauseNanos(), Optional.empty()));
    }

    /** A member that was heard of since {@code now} may be in a newer state than the one with these members. */
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

    /**
     * The end of a member's session, whatever became of its connection. A static member may restart within its session,
     * so a lost connection says nothing about it. As in Kafka, the session counts from its last sign of life.
     */
    SessionDeadline wholeSession(MemberId member, Duration session, long now) {
        long last = since(member, now);
        return new SessionDeadline(member, LeaveCause.SESSION_EXPIRED, last, last + Deadline.nanos(session));
    }

    /**
     * When a member is to be taken for gone unless it is heard of, and why.
     *
     * @param falseAlarms how often it was taken for gone and was not; asked only where that matters
     */
    SessionDeadline silence(MemberId member, Duration sessionTime, IntSupplier falseAlarms, long now) {
        Sign sign = signs.computeIfAbsent(member, _ -> new Sign(now, NO_CONNECTION, 0, Optional.empty()));
        long session = sign.at() + Deadline.nanos(sessionTime);
        SessionDeadline whole = new SessionDeadline(member, LeaveCause.SESSION_EXPIRED, sign.at(), session);
        if (sign.hungUp().isEmpty() || grace.isEmpty()) {
            return whole;
        }
        // A live member notices that its connection is gone with its next request at the latest.
        long due = sign.at() + sign.pauseNanos();
        long from = due - sign.hungUp().get() > 0 ? due : sign.hungUp().get();
        long extra = Deadline.nanos(grace.get());
        long patience = 1L << Math.min(falseAlarms.getAsInt(), ALARMS_MAX);
        long deadline = from + extra + (sign.pauseNanos() + extra) * (patience - 1);
        return Deadline.reached(session, deadline)
                ? whole
                : new SessionDeadline(member, LeaveCause.CONNECTION_LOST, sign.at(), deadline);
    }

    /** True if nothing was heard since; then the member is about to be expelled. */
    boolean isStill(SessionDeadline silence) {
        Sign sign = signs.get(silence.member());
        return sign == null
                || sign.at() == silence.since()
                        && (silence.cause() != LeaveCause.CONNECTION_LOST
                                || sign.hungUp().isPresent());
    }
}
