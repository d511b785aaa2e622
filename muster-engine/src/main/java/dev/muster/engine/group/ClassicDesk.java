package dev.muster.engine.group;

import dev.muster.core.group.Command;
import dev.muster.core.group.Group;
import dev.muster.core.group.GroupName;
import dev.muster.core.group.HostId;
import dev.muster.core.group.LeaveCause;
import dev.muster.core.group.MemberId;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ClassicReply;
import dev.muster.core.group.classic.ClassicReply.JoinAnswer;
import dev.muster.core.group.classic.ClassicReply.SyncAnswer;
import dev.muster.store.StoreClosedException;
import dev.muster.store.group.GroupDeletedException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Where this process serves the members of one group that live by the classic rules: whose joins and syncs wait, and
 * when each was heard of last, on our own clock. For all threads.
 *
 * <p>Nothing here decides anything. What waits is answered when the state of the group has the answer, and that state
 * is durable: the clients may outlive this machine.
 */
final class ClassicDesk implements Desk {
    private static final System.Logger LOG = System.getLogger(ClassicDesk.class.getName());
    private final GroupReplica replica;
    private final HostId self;
    private final Surroundings world;
    private final Map<MemberId, Parked<JoinAnswer>> joins = new ConcurrentHashMap<>();
    private final Map<MemberId, Parked<SyncAnswer>> syncs = new ConcurrentHashMap<>();
    private final Listening listening;
    private final Map<MemberId, Rhythm> rhythms = new ConcurrentHashMap<>();
    private final AtomicBoolean answering = new AtomicBoolean();
    private volatile Duration joinMax = ClassicConfig.DEFAULT.joinMax();
    private volatile boolean closed;

    /**
     * A request that waits.
     *
     * @param since the version of a state that knows of it: older ones have the answers to older requests
     */
    private record Parked<A>(ClassicCommand.Caller caller, long since, CompletableFuture<A> answer) {}

    ClassicDesk(GroupReplica replica, HostId self, Surroundings world) {
        this.replica = replica;
        this.self = self;
        this.world = world;
        this.listening = new Listening(world);
    }

    Listening listening() {
        return listening;
    }

    GroupName group() {
        return replica.name();
    }

    void joinMax(Duration time) {
        joinMax = time;
    }

    @Override
    public boolean active() {
        if (!joins.isEmpty() || !syncs.isEmpty()) {
            return true;
        }
        Seen known = replica.known();
        ClassicGroup group = known == null ? ClassicGroup.NONE : known.group().classic();
        return group.inUse() || !group.ids().isEmpty();
    }

    /** A member gave a sign of life. */
    void heard(MemberId member) {
        listening.heard(member);
    }

    /** A heartbeat came. How often they should come is between the client and itself: what is seen of it counts. */
    void heard(MemberId member, long connection) {
        long now = world.nanoTime();
        Rhythm rhythm = rhythms.compute(member, (_, before) -> before == null ? Rhythm.begin(now) : before.beat(now));
        listening.heard(member, connection, rhythm.pauseNanos());
    }

    // Waiting

    CompletableFuture<JoinAnswer> parkJoin(MemberId member, Optional<String> instance) {
        return park(joins, new ClassicCommand.Caller(member, instance, 0, self));
    }

    CompletableFuture<SyncAnswer> parkSync(ClassicCommand.Caller caller) {
        return park(syncs, caller);
    }

    private <A> CompletableFuture<A> park(Map<MemberId, Parked<A>> waiting, ClassicCommand.Caller caller) {
        Parked<A> parked = new Parked<>(caller, replica.known().version(), new CompletableFuture<>());
        heard(caller.member());
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
    public void look() {
        Seen seen = replica.known();
        if (seen == null || !anyAnswer(seen)) {
            return;
        }
        if (replica.isDurable(seen)) {
            answer(seen);
        } else if (answering.compareAndSet(false, true)) {
            world.inBackground(this::answerWhenDurable);
        }
    }

    private boolean anyAnswer(Seen seen) {
        return joins.values().stream().anyMatch(join -> joinAnswer(join, seen).isPresent())
                || syncs.values().stream()
                        .anyMatch(sync -> syncAnswer(sync, seen).isPresent());
    }

    private void answerWhenDurable() {
        // Whoever comes from now on begins again.
        answering.set(false);
        Seen seen = replica.known();
        try {
            replica.awaitDurable(seen);
            answer(seen);
        } catch (GroupDeletedException | StoreClosedException e) {
            LOG.log(Level.DEBUG, "group {0} is gone", replica.name());
            close();
        } catch (RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "generation {0} of group {1} is not durable, so nobody is told of it: {2}",
                    seen.group().generation(),
                    replica.name(),
                    e.getMessage());
        }
    }

    private void answer(Seen seen) {
        joins.forEach((member, join) -> joinAnswer(join, seen).ifPresent(answer -> {
            if (joins.remove(member, join)) {
                heard(member);
                join.answer().complete(answer);
            }
        }));
        syncs.forEach((member, sync) -> syncAnswer(sync, seen).ifPresent(answer -> {
            if (syncs.remove(member, sync)) {
                heard(member);
                sync.answer().complete(answer);
            }
        }));
    }

    private static Optional<JoinAnswer> joinAnswer(Parked<JoinAnswer> join, Seen seen) {
        if (seen.version() < join.since()) {
            return Optional.empty();
        }
        return seen.group()
                .classic()
                .joinAnswer(
                        join.caller().member(),
                        join.caller().instance(),
                        seen.group().generation());
    }

    private static Optional<SyncAnswer> syncAnswer(Parked<SyncAnswer> sync, Seen seen) {
        return seen.version() < sync.since()
                ? Optional.empty()
                : seen.group().classic().syncAnswer(sync.caller(), seen.group().generation());
    }

    @Override
    public void close() {
        closed = true;
        dismissAll();
    }

    /** The server stops: whoever waits asks elsewhere. */
    void dismissAll() {
        joins.values().forEach(join -> join.answer().complete(stopped()));
        syncs.values().forEach(sync -> sync.answer().complete(stopped()));
        joins.clear();
        syncs.clear();
    }

    private static ClassicReply.Unavailable stopped() {
        return new ClassicReply.Unavailable("the group is served here no more; ask again");
    }

    // Silence

    @Override
    public void startAfresh(long now) {
        listening.startAfresh(now);
    }

    /**
     * Those we serve and when each is to be taken for gone. One whose request waits here is heard by that, but one that
     * was never answered may have given up long ago and come again under another id: it has a longer time.
     */
    @Override
    public List<Silence> silences(Group whole, long now) {
        ClassicGroup group = whole.classic();
        listening.forgetOthers(group.members().keySet(), now);
        rhythms.keySet().retainAll(group.members().keySet());
        List<Silence> silences = new ArrayList<>();
        group.members().forEach((id, member) -> {
            if (!member.spec().host().equals(self) || member.away().isPresent()) {
                return;
            }
            if (member.fresh() && joins.containsKey(id)) {
                long since = listening.since(id, now);
                silences.add(new Silence(id, LeaveCause.JOIN_TIMED_OUT, since, since + Deadline.nanos(joinMax)));
            } else if (!joins.containsKey(id) && !syncs.containsKey(id)) {
                silences.add(listening.silence(id, Deadline.nanos(member.spec().session()), now));
            }
        });
        return silences;
    }

    @Override
    public Command expire(Silence silence) {
        boolean waits = silence.cause() != LeaveCause.JOIN_TIMED_OUT
                && (joins.containsKey(silence.member()) || syncs.containsKey(silence.member()));
        return waits || !listening.isStill(silence)
                ? null
                : new Command.Classic(
                        new ClassicCommand.SessionExpired(silence.member(), self, silence.cause()), new TreeMap<>());
    }
}
