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
 * Where this process serves the members of one group that speak the classic protocol: which joins and syncs wait, what
 * each was given, and when it was heard of last, on this process's clock. For all threads.
 *
 * <p>Nothing here decides anything. What waits is answered when the state of the group has the answer, and that state
 * is durable: the clients may outlive this machine.
 */
public final class ClassicSessions extends Sessions {
    /** By the modern rules: longest wait of a new member for the generation that takes it in. */
    private static final long ADMISSION_NANOS_MAX = 2_000_000_000L;
    /** And so long for what others are about to let go of: to hear of it later it would have to come back once more. */
    private static final long MORE_NANOS_MAX = 500_000_000L;

    private final Map<MemberId, Parked<JoinAnswer>> joins = new ConcurrentHashMap<>();
    private final Map<MemberId, Parked<SyncAnswer>> syncs = new ConcurrentHashMap<>();
    private final Map<MemberId, ClassicSession> talks = new ConcurrentHashMap<>();
    private final Map<MemberId, HeartbeatInterval> intervals = new ConcurrentHashMap<>();
    private volatile Duration joinMax = ClassicConfig.DEFAULT.joinMax();
    private volatile boolean closed;

    /**
     * A request that waits.
     *
     * @param since the version of a state that knows of it: older ones have the answers to older requests
     * @param at when it came
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

    /** A member gave a sign of life. */
    public void heard(MemberId member) {
        listening.heard(member);
    }

    /** A heartbeat came. How often they should come is between the client and itself: what is seen of it counts. */
    public void heard(MemberId member, long connection) {
        long now = runtime.nanoTime();
        HeartbeatInterval interval = intervals.compute(
                member, (_, before) -> before == null ? HeartbeatInterval.begin(now) : before.beat(now));
        listening.heard(member, connection, interval.pauseNanos());
    }

    // Talking

    /** A member joins, and says what it has, unless it said something over a newer connection. */
    public ClassicSession says(MemberId member, ClassicRequest.Join join) {
        ClassicSession now = ClassicSession.join(join, runtime.nanoTime());
        talks.merge(member, now, (before, _) -> before.connection() > now.connection() ? before : now);
        return now;
    }

    /** True if a member has said more since it said this. */
    public boolean isOld(MemberId member, ClassicSession said) {
        ClassicSession last = talks.get(member);
        return last != null && last.connection() > said.connection();
    }

    /** It was not let in. */
    public void forget(MemberId member, ClassicSession said) {
        talks.remove(member, said);
    }

    /**
     * True if a member of a group that lives by the modern rules is to join again: it should let go of something, or
     * there is something else for it. A member of which nothing is known reports its partitions that way.
     */
    public boolean shouldComeBack(Group group, ClassicCommand.Caller caller) {
        Optional<MemberAssignment> told = group.assignment(caller.member());
        if (told.isEmpty() || group.settling()) {
            return false;
        }
        ClassicSession talk = talks.get(caller.member());
        return talk == null || talk.isOld(group.members().get(caller.member()), told.get());
    }

    // Waiting

    /** @param connection it came over: should its side end that, before any heartbeat came, it is mostly dead */
    public CompletableFuture<JoinAnswer> parkJoin(MemberId member, Optional<String> instance, long connection) {
        HeartbeatInterval known = intervals.get(member);
        listening.heard(member, connection, known == null ? HeartbeatInterval.USUAL_NANOS : known.pauseNanos());
        return park(joins, new ClassicCommand.Caller(member, instance, 0, self));
    }

    public CompletableFuture<SyncAnswer> parkSync(ClassicCommand.Caller caller) {
        heard(caller.member());
        return park(syncs, caller);
    }

    private <A> CompletableFuture<A> park(Map<MemberId, Parked<A>> waiting, ClassicCommand.Caller caller) {
        Parked<A> parked =
                new Parked<>(caller, replica.known().version(), runtime.nanoTime(), new CompletableFuture<>());
        Parked<A> before = waiting.put(caller.member(), parked);
        if (before != null) {
            dismiss(before, "the same was asked again; only the last one is answered");
        }
        if (closed) {
            close();
        }
        look();
        return parked.answer();
    }

    @SuppressWarnings("unchecked") // a refusal is an answer to either
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
                listening.answered(member);
                if (answer instanceof ClassicReply.JoinedModern) {
                    talks.computeIfPresent(member, (_, talk) -> talk.admits());
                }
                join.answer().complete(answer);
            }
        }));
        syncs.forEach((member, sync) -> syncAnswer(sync, seen).ifPresent(answer -> {
            if (syncs.remove(member, sync)) {
                listening.answered(member);
                if (answer instanceof ClassicReply.AssignedModern(var _, var partitions)) {
                    talks.computeIfPresent(member, (_, talk) -> talk.gave(partitions));
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

    /** Others are about to let go of something for it, and it has nothing to let go of itself. */
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
            ClassicSession talk = talks.get(sync.caller().member());
            Member member = seen.group().members().get(sync.caller().member());
            if (talk == null || !talk.owned().containsAll(member.toRelease())) {
                // It was asked for more since it joined, of which it has nothing in hand: joining again it says so.
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

    /** The server stops: waiting clients ask another server. */
    public void dismissAll() {
        joins.values().forEach(join -> join.answer().complete(stopped()));
        syncs.values().forEach(sync -> sync.answer().complete(stopped()));
        joins.clear();
        syncs.clear();
    }

    private static ClassicReply.Unavailable stopped() {
        return new ClassicReply.Unavailable("the group is served here no more; ask again");
    }

    // SessionDeadline

    /**
     * The members served here, and when each is to be taken for gone. One whose request waits here is heard by that,
     * but one that was never answered may have given up long ago and come again under another id: it has a longer time.
     */
    @Override
    List<SessionDeadline> silences(Group whole, long now) {
        ClassicGroup group = whole.classic();
        Set<MemberId> all = new HashSet<>(group.members().keySet());
        all.addAll(whole.members().keySet());
        listening.forgetOthers(all, now);
        // A member that spoke since may be in a newer state than this.
        talks.entrySet()
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
                long since = listening.since(id, now);
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
        return waits || !listening.isStill(silence)
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
