package dev.muster.engine.group.session;

import dev.muster.core.MemberId;
import dev.muster.core.TopicId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.Member;
import dev.muster.engine.group.replica.GroupReplica;
import dev.muster.engine.group.replica.VersionedGroup;
import dev.muster.engine.runtime.Deadline;
import dev.muster.engine.runtime.GroupRuntime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The remote members of one modern group that this process serves: waiting joins, heartbeat intervals and exchanges.
 */
public final class RemoteSessions extends Sessions {
    /** The longest wait of a new member for the generation that includes it. */
    private static final long ARRIVAL_NANOS_MAX = 2_000_000_000;

    /** Members with another heartbeat interval than the usual one. */
    private final Map<MemberId, HeartbeatPacing> paces = new ConcurrentHashMap<>();

    private final Map<MemberId, Arrival> arrivals = new ConcurrentHashMap<>();
    private final Map<MemberId, RemoteSession> exchanges = new ConcurrentHashMap<>();

    /**
     * A member that joined and waits for its first generation.
     *
     * @param since the version of a state that includes the member
     * @param generation the generation before the join
     */
    private record Arrival(
            long since, long generation, long deadline, CompletableFuture<Optional<VersionedGroup>> taken) {}

    RemoteSessions(GroupReplica replica, HostId self, GroupRuntime runtime) {
        super(replica, self, runtime);
    }

    @Override
    boolean active() {
        VersionedGroup known = replica.known();
        return !arrivals.isEmpty()
                || known != null && known.group().members().values().stream().anyMatch(this::isServedHere);
    }

    private boolean isServedHere(Member member) {
        return member.spec().remote()
                && !member.spec().classic()
                && member.spec().host().equals(self);
    }

    // Joining

    /**
     * @return the durable state that ends the wait of a new member, usually with a generation that includes it; empty
     *     if a newer join replaced this one or the sessions were closed
     */
    public CompletableFuture<Optional<VersionedGroup>> arrived(MemberId member, long generationBefore) {
        Arrival arrival = new Arrival(
                replica.known().version(),
                generationBefore,
                runtime.nanoTime() + ARRIVAL_NANOS_MAX,
                new CompletableFuture<>());
        Arrival before = arrivals.put(member, arrival);
        if (before != null) {
            before.taken().complete(Optional.empty());
        }
        look();
        return arrival.taken();
    }

    private boolean isTaken(MemberId member, Arrival arrival, VersionedGroup seen) {
        Group group = seen.group();
        return seen.version() >= arrival.since()
                && (!group.settling()
                        // A forming group may wait long for its next generation, and the present one assigns nothing.
                        || group.forming().isPresent()
                        // Kafka's own client spins while it waits for the answer to its join, so in a crowded group
                        // none waits.
                        || group.crowded()
                        || group.generation() > arrival.generation()
                        || !group.members().containsKey(member)
                        || Deadline.reached(arrival.deadline(), runtime.nanoTime()));
    }

    @Override
    public boolean hasAnswer(VersionedGroup seen) {
        return arrivals.entrySet().stream().anyMatch(one -> isTaken(one.getKey(), one.getValue(), seen));
    }

    @Override
    public void answer(VersionedGroup seen) {
        arrivals.forEach((member, arrival) -> {
            if (isTaken(member, arrival, seen) && arrivals.remove(member, arrival)) {
                arrival.taken().complete(Optional.of(seen));
            }
        });
    }

    // Exchanges with members

    /** Notes a heartbeat, punctual, late or early, and adapts the next interval. */
    public void noteHeartbeat(MemberId member) {
        liveness.pause(member)
                .ifPresent(pause -> paces.compute(member, (_, pace) -> {
                    HeartbeatPacing now = (pace == null ? HeartbeatPacing.USUAL : pace).after(pause);
                    return now.equals(HeartbeatPacing.USUAL) ? null : now;
                }));
    }

    public HeartbeatPacing pace(MemberId member) {
        return paces.getOrDefault(member, HeartbeatPacing.USUAL);
    }

    /** The partitions that a member has certainly released, by this heartbeat. */
    public SortedSet<TopicPartition> released(Member member, RemoteHeartbeat beat) {
        RemoteSession exchange = exchanges.get(member.spec().id());
        return exchange == null
                ? Collections.emptySortedSet()
                : exchange.released(member.toRelease(), beat, runtime.nanoTime());
    }

    /** Notes the join of a member without partitions. */
    public void noteJoin(MemberId member) {
        paces.remove(member);
        exchanges.put(member, RemoteSession.join(runtime.nanoTime()));
    }

    /** Notes a report of a member. */
    public void noteReport(Member member, RemoteHeartbeat beat) {
        long now = runtime.nanoTime();
        beat.owned()
                .ifPresent(works -> exchanges.compute(
                        member.spec().id(),
                        (_, exchange) -> (exchange == null ? RemoteSession.begin(now) : exchange)
                                .afterReport(works, beat.caller().connection(), member.owned(), now)));
    }

    /**
     * Notes an answer to a member.
     *
     * @return True if the member may not know this assignment yet
     */
    public boolean noteAnswer(
            MemberId member, SortedSet<TopicPartition> partitions, Set<TopicId> topics, long connection) {
        long now = runtime.nanoTime();
        boolean[] news = new boolean[1];
        exchanges.compute(member, (_, exchange) -> {
            RemoteSession before = exchange == null ? RemoteSession.begin(now) : exchange;
            news[0] = before.isNews(partitions, topics, connection);
            return before.afterAnswer(partitions, topics, connection, now);
        });
        return news[0];
    }

    @Override
    public void close() {
        arrivals.values().forEach(arrival -> arrival.taken().complete(Optional.empty()));
        arrivals.clear();
    }

    // Session deadlines

    @Override
    List<SessionDeadline> silences(Group group, long now) {
        Set<MemberId> members = group.members().keySet();
        liveness.forgetOthers(members, now);
        paces.keySet().retainAll(members);
        // A member with a later sign of life may be in a newer state than this one.
        exchanges
                .entrySet()
                .removeIf(
                        one -> !members.contains(one.getKey()) && one.getValue().at() - now < 0);
        List<SessionDeadline> silences = new ArrayList<>();
        group.members().forEach((id, member) -> {
            if (isServedHere(member) && member.away().isEmpty()) {
                silences.add(silence(
                        group,
                        id,
                        member.spec().instance(),
                        member.spec().origin(),
                        member.spec().timing().session(),
                        now));
            }
        });
        return silences;
    }

    @Override
    Command expire(SessionDeadline silence) {
        return liveness.isStill(silence) ? new Command.SessionExpired(silence.member(), self, silence.cause()) : null;
    }
}
