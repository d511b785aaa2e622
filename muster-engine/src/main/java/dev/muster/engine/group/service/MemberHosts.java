package dev.muster.engine.group.service;

import dev.muster.core.MemberId;
import dev.muster.core.group.Group;
import dev.muster.core.group.model.HostId;
import dev.muster.engine.runtime.Deadline;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The processes that run or serve a group's members, ranked in an order that all of them derive from the state. Every
 * process does the same work for the group. So each waits a little longer than the process of the rank before it, and
 * usually finds the work done. For the thread of the service alone.
 */
final class MemberHosts {
    /** The additional wait per rank. */
    private static final long RANK_STEP_NANOS = 5_000_000;

    private static final int RANK_MAX = 40;
    /** The number of checks of other processes within the shortest session. */
    private static final int LOOKS_PER_SESSION = 60;

    /** The part of the shortest session beyond which a late process may have missed signs of life. */
    private static final int LATE_PART = 6;

    private static final long LOOK_NANOS_MIN = 5_000_000;
    private static final long LOOK_NANOS_MAX = 500_000_000;

    private final HostId self;
    private SortedSet<HostId> hosts = new TreeSet<>();
    private List<Place> places = List.of();
    private long sessionMin = Long.MAX_VALUE;

    /** A member that is not away, of any protocol, and the process that runs or serves it. */
    record Place(MemberId member, HostId host, long sessionNanos) {}

    MemberHosts(HostId self) {
        this.self = self;
    }

    void update(Group group) {
        places = places(group);
        hosts = new TreeSet<>();
        sessionMin = Long.MAX_VALUE;
        for (Place place : places) {
            hosts.add(place.host());
            sessionMin = Math.min(sessionMin, place.sessionNanos());
        }
    }

    private static List<Place> places(Group group) {
        List<Place> places = new ArrayList<>();
        group.members().forEach((id, member) -> {
            if (member.away().isEmpty()) {
                long session = Deadline.nanos(member.spec().timing().session());
                places.add(new Place(id, member.spec().host(), session));
            }
        });
        group.classic().members().forEach((id, member) -> {
            if (member.away().isEmpty()) {
                long session = Deadline.nanos(member.spec().session());
                places.add(new Place(id, member.spec().host(), session));
            }
        });
        return places;
    }

    void clear() {
        hosts = new TreeSet<>();
        places = List.of();
    }

    SortedSet<HostId> all() {
        return hosts;
    }

    List<Place> places() {
        return places;
    }

    boolean isSelf(HostId host) {
        return host.equals(self);
    }

    /** The processes with members, besides this one. */
    Set<HostId> others() {
        Set<HostId> others = new HashSet<>(hosts);
        others.remove(self);
        return others;
    }

    /** The wait of this process, by its rank. */
    long wait(HostId about) {
        return rank(about) * RANK_STEP_NANOS;
    }

    /**
     * The rank of this process, from 0.
     *
     * @param about a process that does not count, because it may be dead; null if all count
     */
    long rank(HostId about) {
        int rank = 0;
        for (HostId host : hosts) {
            if (host.equals(self)) {
                break;
            }
            rank += host.equals(about) ? 0 : 1;
        }
        return Math.min(rank, RANK_MAX);
    }

    /** The interval at which this group needs other processes checked. */
    long lookInterval() {
        return Math.clamp(sessionMin / LOOKS_PER_SESSION, LOOK_NANOS_MIN, LOOK_NANOS_MAX);
    }

    /** The delay of a check beyond which this process may have been paused itself, so that it cannot judge others. */
    long latenessMax() {
        return Math.max(lookInterval(), sessionMin / LATE_PART);
    }
}
