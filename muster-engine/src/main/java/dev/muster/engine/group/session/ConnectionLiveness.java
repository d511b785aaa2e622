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
 * The last signs of life of the members that a process serves, by its own clock, with their connections. Safe for many
 * threads.
 *
 * <p>A dynamic member that closed its connection without leaving is probably dead. It is expelled after a grace instead
 * of a whole session. The grace begins when the next sign of life is due, and doubles with each false alarm of the
 * member. A static member keeps its whole session.
 */
public final class ConnectionLiveness {
    /** The connection of a request without a number. */
    static final long NO_CONNECTION = -1;

    /** The number of false alarms up to which the grace doubles. */
    private static final int ALARMS_MAX = 6;

    private final GroupRuntime runtime;
    private final Map<MemberId, Sign> signs = new ConcurrentHashMap<>();
    private volatile Optional<Duration> grace = Optional.empty();

    /**
     * The last sign of life.
     *
     * @param pauseNanos the usual time between two signs of life of this member
     * @param hungUp the time at which the member closed the connection; empty if the connection is open
     */
    private record Sign(long at, long connection, long pauseNanos, Optional<Long> hungUp) {}

    /** A member's silence between two signs of life: the requested and the real one, in nanoseconds. */
    record Pause(long asked, long took) {}

    ConnectionLiveness(GroupRuntime runtime) {
        this.runtime = runtime;
    }

    /** @param time the grace beyond the usual pause of a member; empty if every member has a whole session */
    public void grace(Optional<Duration> time) {
        grace = time;
    }

    /** Notes a sign of life that is not periodic. */
    public void noteSign(MemberId member) {
        long now = runtime.nanoTime();
        signs.compute(
                member,
                (_, last) -> last == null
                        ? new Sign(now, NO_CONNECTION, 0, Optional.empty())
                        : new Sign(now, last.connection(), last.pauseNanos(), Optional.empty()));
    }

    /**
     * Notes a periodic sign of life over this connection. Ignores one over an older connection: it was delayed, and its
     * connection may be about to end.
     */
    public void noteSign(MemberId member, long connection, long pauseNanos) {
        long now = runtime.nanoTime();
        signs.compute(member, (_, last) -> {
            if (last != null && last.connection() > connection) {
                return last;
            }
            // A request over a connection that ended meanwhile was sent before the end.
            boolean same = last != null && last.connection() == connection;
            return new Sign(now, connection, pauseNanos, same ? last.hungUp() : Optional.empty());
        });
    }

    /**
     * The silence of a member before its present sign of life; empty if no pause was requested, or if the member did
     * not wait for it.
     */
    Optional<Pause> pause(MemberId member) {
        Sign sign = signs.get(member);
        if (sign == null || sign.pauseNanos() == 0) {
            return Optional.empty();
        }
        long took = runtime.nanoTime() - sign.at();
        boolean itsTurn = took >= sign.pauseNanos() - sign.pauseNanos() / 8;
        return itsTurn ? Optional.of(new Pause(sign.pauseNanos(), took)) : Optional.empty();
    }

    /**
     * Notes an answer to the member. The member's silence counts from the answer on; the member may not have received
     * it.
     */
    void answered(MemberId member) {
        long now = runtime.nanoTime();
        signs.computeIfPresent(member, (_, last) -> new Sign(now, last.connection(), last.pauseNanos(), last.hungUp()));
    }

    /** True if a member gave a sign of life over a newer connection than this. */
    public boolean isOlder(MemberId member, long connection) {
        Sign sign = signs.get(member);
        return sign != null && sign.connection() > connection;
    }

    /** True if the connection of the member's last sign of life was closed by the member. */
    public boolean isHungUp(MemberId member) {
        Sign sign = signs.get(member);
        return sign != null && sign.hungUp().isPresent();
    }

    /**
     * Notes that a client closed its connection.
     *
     * @return True if a member gave its last sign of life over it
     */
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
     * Moves all deadlines after a pause of this process, see {@link Deadline#excused}. The pause may also be the reason
     * why a member closed its connection.
     */
    void excuse(long away, long now) {
        signs.replaceAll((_, sign) -> new Sign(
                Deadline.excused(sign.at(), away, now), sign.connection(), sign.pauseNanos(), Optional.empty()));
    }

    /** Drops all other members, except those with a sign of life since {@code now}: they may be in a newer state. */
    void forgetOthers(Set<MemberId> members, long now) {
        signs.entrySet()
                .removeIf(
                        one -> !members.contains(one.getKey()) && one.getValue().at() - now < 0);
    }

    /** The time of a member's last sign of life. For an unknown member it is set to {@code now}. */
    long since(MemberId member, long now) {
        return signs.computeIfAbsent(member, _ -> new Sign(now, NO_CONNECTION, 0, Optional.empty()))
                .at();
    }

    /**
     * The end of a member's session, without regard to its connection. A static member may restart within its session,
     * so a lost connection does not count. As in Kafka, the session counts from its last sign of life.
     */
    SessionDeadline wholeSession(MemberId member, Duration session, long now) {
        long last = since(member, now);
        return new SessionDeadline(member, LeaveCause.SESSION_EXPIRED, last, last + Deadline.nanos(session));
    }

    /**
     * The time at which a silent member is expelled, and the cause.
     *
     * @param falseAlarms supplier of the member's number of false alarms, called only if needed
     */
    SessionDeadline silence(MemberId member, Duration sessionTime, IntSupplier falseAlarms, long now) {
        Sign sign = signs.computeIfAbsent(member, _ -> new Sign(now, NO_CONNECTION, 0, Optional.empty()));
        long session = sign.at() + Deadline.nanos(sessionTime);
        SessionDeadline whole = new SessionDeadline(member, LeaveCause.SESSION_EXPIRED, sign.at(), session);
        if (sign.hungUp().isEmpty() || grace.isEmpty()) {
            return whole;
        }
        // A live member notices the lost connection with its next request at the latest.
        long due = sign.at() + sign.pauseNanos();
        long from = due - sign.hungUp().get() > 0 ? due : sign.hungUp().get();
        long extra = Deadline.nanos(grace.get());
        long patience = 1L << Math.min(falseAlarms.getAsInt(), ALARMS_MAX);
        long deadline = from + extra + (sign.pauseNanos() + extra) * (patience - 1);
        return Deadline.reached(session, deadline)
                ? whole
                : new SessionDeadline(member, LeaveCause.CONNECTION_LOST, sign.at(), deadline);
    }

    /** True if the member gave no sign of life since; then it is about to be expelled. */
    boolean isStill(SessionDeadline silence) {
        Sign sign = signs.get(silence.member());
        return sign == null
                || sign.at() == silence.since()
                        && (silence.cause() != LeaveCause.CONNECTION_LOST
                                || sign.hungUp().isPresent());
    }
}
