package dev.muster.engine.group.session;

import dev.muster.core.MemberId;
import dev.muster.core.group.Group;
import dev.muster.core.group.MemberAssignment;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ClassicReply;
import dev.muster.core.group.classic.ClassicReply.JoinAnswer;
import dev.muster.core.group.classic.ClassicReply.SyncAnswer;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Member;
import dev.muster.engine.group.replica.GroupReplica;
import dev.muster.engine.group.replica.VersionedGroup;
import dev.muster.engine.runtime.Deadline;
import dev.muster.engine.runtime.GroupRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The classic members of one group that this process serves: their parked joins and syncs, their assignments, and their
 * last signs of life by this process's clock. Safe for many threads.
 *
 * <p>The class decides nothing. A parked request is answered when the group's state has the answer, and that state is
 * durable, because the clients may outlive this machine.
 */
public final class ClassicSessions extends Sessions {
    /** In a modern group: the longest wait of a new member for the generation that includes it. */
    private static final long ADMISSION_NANOS_MAX = 2_000_000_000L;
    /**
     * In a modern group: the longest wait of a join for partitions that other members are releasing. A later assignment
     * would need one more join.
     */
    private static final long MORE_NANOS_MAX = 500_000_000L;

    private final Map<MemberId, Parked<JoinAnswer>> joins = new ConcurrentHashMap<>();
    private final Map<MemberId, Parked<SyncAnswer>> syncs = new ConcurrentHashMap<>();
    private final Map<MemberId, ClassicSession> exchanges = new ConcurrentHashMap<>();
    private final Map<MemberId, HeartbeatInterval> intervals = new ConcurrentHashMap<>();
    private volatile Duration joinMax = ClassicConfig.DEFAULT.joinMax();
    private volatile boolean closed;

    /**
     * A parked request.
     *
     * @param since the version of the first state that includes the request; older states have answers to older
     *     requests
     * @param at the time of arrival
     */
    private record Parked<A>(ClassicCommand.Caller caller, long since, long at, CompletableFuture<A> answer) {}

    ClassicSessions(GroupReplica replica, HostId self, GroupRuntime runtime) {
        super(replica, self, runtime);
    }

    public GroupName group() {
        return replica.name();
    }

    public void joinMax(Duration time) {
        joinMax = time;
    }

    @Override
    boolean active() {
        if (!joins.isEmpty() || !syncs.isEmpty()) {
            return true;
        }
        VersionedGroup known = replica.known();
        return known != null
                && (known.group().classic().inUse()
                        || !known.group().classic().pendingIds().isEmpty()
                        || known.group().members().values().stream().anyMatch(this::isServedHere));
    }

    private boolean isServedHere(Member member) {
        return member.spec().classic() && member.spec().host().equals(self);
    }

    /** Notes a sign of life of a member. */
    public void noteSign(MemberId member) {
        liveness.noteSign(member);
    }

    /** Notes a heartbeat. Clients do not send their heartbeat interval, so it is measured. */
    public void noteSign(MemberId member, long connection) {
        long now = runtime.nanoTime();
        HeartbeatInterval interval = intervals.compute(
                member, (_, before) -> before == null ? HeartbeatInterval.begin(now) : before.beat(now));
        liveness.noteSign(member, connection, interval.pauseNanos());
    }

    // Exchanges with members

    /** Notes a join and the partitions in it, unless a newer connection had a join of this member. */
    public ClassicSession noteJoin(MemberId member, ClassicRequest.Join join) {
        ClassicSession now = ClassicSession.join(join, runtime.nanoTime());
        exchanges.merge(member, now, (before, _) -> before.connection() > now.connection() ? before : now);
        return now;
    }

    /** True if the member sent a newer join than this one. */
    public boolean isOld(MemberId member, ClassicSession said) {
        ClassicSession last = exchanges.get(member);
        return last != null && last.connection() > said.connection();
    }

    /** Drops the session of a join that was refused. */
    public void forget(MemberId member, ClassicSession said) {
        exchanges.remove(member, said);
    }

    /**
     * True if a member of a modern group must join again: it must release partitions, or its assignment changed. A
     * member without a session must join again to report its partitions.
     */
    public boolean shouldComeBack(Group group, ClassicCommand.Caller caller) {
        Optional<MemberAssignment> assignment = group.assignment(caller.member());
        if (assignment.isEmpty() || group.settling()) {
            return false;
        }
        ClassicSession exchange = exchanges.get(caller.member());
        return exchange == null || exchange.isOld(group.members().get(caller.member()), assignment.get());
    }

    // Parked requests

    /**
     * @param connection the connection of the join. If the client closes it before the first heartbeat, the client is
     *     probably dead
     */
    public CompletableFuture<JoinAnswer> parkJoin(MemberId member, Optional<String> instance, long connection) {
        HeartbeatInterval known = intervals.get(member);
        liveness.noteSign(member, connection, known == null ? HeartbeatInterval.USUAL_NANOS : known.pauseNanos());
        return park(joins, new ClassicCommand.Caller(member, instance, 0, self));
    }

    public CompletableFuture<SyncAnswer> parkSync(ClassicCommand.Caller caller) {
        noteSign(caller.member());
        return park(syncs, caller);
    }

    private <A> CompletableFuture<A> park(Map<MemberId, Parked<A>> waiting, ClassicCommand.Caller caller) {
        Parked<A> parked =
                new Parked<>(caller, replica.known().version(), runtime.nanoTime(), new CompletableFuture<>());
        Parked<A> before = waiting.put(caller.member(), parked);
        if (before != null) {
            dismiss(before, "a newer request of the same kind arrived; only the last one is answered");
        }
        if (closed) {
            close();
        }
        look();
        return parked.answer();
    }

    @SuppressWarnings("unchecked") // a refusal can answer both kinds
    private static <A> void dismiss(Parked<A> parked, String text) {
        ((CompletableFuture<ClassicReply.Refusal>) (CompletableFuture<?>) parked.answer())
                .complete(new ClassicReply.RebalanceInProgress(text));
    }

    @Override
    public boolean hasAnswer(VersionedGroup seen) {
        return joins.values().stream().anyMatch(join -> joinAnswer(join, seen).isPresent())
                || syncs.values().stream()
                        .anyMatch(sync -> syncAnswer(sync, seen).isPresent());
    }

    @Override
    public void answer(VersionedGroup seen) {
        joins.forEach((member, join) -> joinAnswer(join, seen).ifPresent(answer -> {
            if (joins.remove(member, join)) {
                liveness.answered(member);
                if (answer instanceof ClassicReply.JoinedModern) {
                    exchanges.computeIfPresent(member, (_, exchange) -> exchange.admits());
                }
                join.answer().complete(answer);
            }
        }));
        syncs.forEach((member, sync) -> syncAnswer(sync, seen).ifPresent(answer -> {
            if (syncs.remove(member, sync)) {
                liveness.answered(member);
                if (answer instanceof ClassicReply.AssignedModern(var _, var partitions)) {
                    exchanges.computeIfPresent(member, (_, exchange) -> exchange.gave(partitions));
                }
                sync.answer().complete(answer);
            }
        }));
    }

    private Optional<JoinAnswer> joinAnswer(Parked<JoinAnswer> join, VersionedGroup seen) {
        if (seen.version() < join.since()) {
            return Optional.empty();
        }
        Group group = seen.group();
        MemberId id = join.caller().member();
        Optional<JoinAnswer> answer = group.joinAnswer(id, join.caller().instance());
        if (group.members().isEmpty()) {
            return answer;
        }
        long waited = runtime.nanoTime() - join.at();
        if (answer.isEmpty()) {
            return waited < ADMISSION_NANOS_MAX ? answer : Optional.of(notYet());
        }
        boolean more = answer.get() instanceof ClassicReply.JoinedModern
                && isMoreToCome(group.members().get(id))
                && waited < MORE_NANOS_MAX;
        return more ? Optional.empty() : answer;
    }

    /** True if other members are about to release partitions for this member, and it has none to release itself. */
    private static boolean isMoreToCome(Member member) {
        return member.toRelease().isEmpty() && !member.owned().containsAll(member.target());
    }

    private static ClassicReply.Refusal notYet() {
        return new ClassicReply.RebalanceInProgress("no generation has taken the member in yet; join again");
    }

    private Optional<SyncAnswer> syncAnswer(Parked<SyncAnswer> sync, VersionedGroup seen) {
        if (seen.version() < sync.since()) {
            return Optional.empty();
        }
        Optional<SyncAnswer> answer = seen.group().syncAnswer(sync.caller());
        if (answer.isPresent() && answer.get() instanceof ClassicReply.AssignedModern) {
            ClassicSession exchange = exchanges.get(sync.caller().member());
            Member member = seen.group().members().get(sync.caller().member());
            if (exchange == null || !exchange.owned().containsAll(member.toRelease())) {
                // Since its join the member was asked to release partitions that it does not have. It reports that when
                // it joins
                // again.
                return Optional.of(notYet());
            }
        }
        return answer;
    }

    @Override
    public void close() {
        closed = true;
        dismissAll();
    }

    /** Refuses all parked requests, because the server stops: the clients ask another server. */
    public void dismissAll() {
        joins.values().forEach(join -> join.answer().complete(stopped()));
        syncs.values().forEach(sync -> sync.answer().complete(stopped()));
        joins.clear();
        syncs.clear();
    }

    private static ClassicReply.Unavailable stopped() {
        return new ClassicReply.Unavailable("this server no longer serves the group; ask again");
    }

    // Session deadlines

    /**
     * The members served here with their deadlines. A parked request counts as a sign of life. A member whose request
     * was never answered may have given up and joined again under another id, so it gets a longer deadline.
     */
    @Override
    List<SessionDeadline> silences(Group whole, long now) {
        ClassicGroup group = whole.classic();
        Set<MemberId> all = new HashSet<>(group.members().keySet());
        all.addAll(whole.members().keySet());
        liveness.forgetOthers(all, now);
        // A member with a later sign of life may be in a newer state than this one.
        exchanges
                .entrySet()
                .removeIf(one -> !all.contains(one.getKey()) && one.getValue().at() - now < 0);
        intervals.keySet().retainAll(all);
        List<SessionDeadline> silences = new ArrayList<>();
        whole.members().forEach((id, member) -> {
            if (isServedHere(member) && member.away().isEmpty() && !isWaiting(id)) {
                silences.add(silence(
                        whole,
                        id,
                        member.spec().instance(),
                        member.spec().origin(),
                        member.spec().timing().session(),
                        now));
            }
        });
        group.members().forEach((id, member) -> {
            if (!member.spec().host().equals(self) || member.away().isPresent()) {
                return;
            }
            if (member.fresh() && joins.containsKey(id)) {
                long since = liveness.since(id, now);
                silences.add(
                        new SessionDeadline(id, LeaveCause.JOIN_TIMED_OUT, since, since + Deadline.nanos(joinMax)));
            } else if (!isWaiting(id)) {
                silences.add(silence(
                        whole,
                        id,
                        member.spec().instance(),
                        member.spec().origin(),
                        member.spec().session(),
                        now));
            }
        });
        return silences;
    }

    @Override
    Command expire(SessionDeadline silence) {
        boolean waits = silence.cause() != LeaveCause.JOIN_TIMED_OUT && isWaiting(silence.member());
        return waits || !liveness.isStill(silence)
                ? null
                : new Command.SessionExpired(silence.member(), self, silence.cause());
    }

    private boolean isWaiting(MemberId member) {
        return joins.containsKey(member) || syncs.containsKey(member);
    }

    @Override
    long nextLook(long now, long otherwise) {
        long next = otherwise;
        for (Parked<JoinAnswer> join : joins.values()) {
            long patience = now - join.at() < MORE_NANOS_MAX ? MORE_NANOS_MAX : ADMISSION_NANOS_MAX;
            if (now - join.at() < patience) {
                next = Deadline.earlier(next, join.at() + patience);
            }
        }
        return next;
    }
}
