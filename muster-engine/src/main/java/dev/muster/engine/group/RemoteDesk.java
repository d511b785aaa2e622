package dev.muster.engine.group;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.Command;
import dev.muster.core.group.Group;
import dev.muster.core.group.HostId;
import dev.muster.core.group.Member;
import dev.muster.core.group.MemberId;
import dev.muster.store.StoreClosedException;
import dev.muster.store.group.GroupDeletedException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Where this process serves the remote members of one group that live by the modern rules. */
final class RemoteDesk implements Desk {
    private static final System.Logger LOG = System.getLogger(RemoteDesk.class.getName());
    /** Whoever comes waits at most so long for the generation that takes it in. */
    private static final long ARRIVAL_NANOS_MAX = 2_000_000_000;

    private final GroupReplica replica;
    private final HostId self;
    private final Surroundings world;
    private final Listening listening;
    private final Map<MemberId, Arrival> arrivals = new ConcurrentHashMap<>();
    private final Map<MemberId, Talk> talks = new ConcurrentHashMap<>();
    private final AtomicBoolean answering = new AtomicBoolean();

    /**
     * A member that came and waits for its first generation.
     *
     * @param since the version of a state that knows it
     * @param generation before it came
     */
    private record Arrival(long since, long generation, long deadline, CompletableFuture<Seen> taken) {}

    /**
     * What was said between us and a member.
     *
     * @param told in the last answer
     * @param connection that answer went over
     * @param reported what it last said it works; empty: it has not said so to us
     */
    private record Talk(
            SortedSet<TopicPartition> told, long connection, Optional<SortedSet<TopicPartition>> reported) {}

    RemoteDesk(GroupReplica replica, HostId self, Surroundings world) {
        this.replica = replica;
        this.self = self;
        this.world = world;
        this.listening = new Listening(world);
    }

    Listening listening() {
        return listening;
    }

    @Override
    public boolean active() {
        Seen known = replica.known();
        return !arrivals.isEmpty()
                || known != null && known.group().members().values().stream().anyMatch(this::isServedHere);
    }

    private boolean isServedHere(Member member) {
        return member.spec().remote() && member.spec().host().equals(self);
    }

    // Arriving

    /** @return a durable state in which the member was taken into a generation, or that is no reason to wait on */
    CompletableFuture<Seen> arrived(MemberId member, long generationBefore) {
        Arrival arrival = new Arrival(
                replica.known().version(),
                generationBefore,
                world.nanoTime() + ARRIVAL_NANOS_MAX,
                new CompletableFuture<>());
        Arrival before = arrivals.put(member, arrival);
        if (before != null) {
            before.taken().complete(replica.known());
        }
        look();
        return arrival.taken();
    }

    private boolean isTaken(MemberId member, Arrival arrival, Seen seen) {
        Group group = seen.group();
        return seen.version() >= arrival.since()
                && (!group.settling()
                        || group.generation() > arrival.generation()
                        || !group.members().containsKey(member)
                        || Deadline.reached(arrival.deadline(), world.nanoTime()));
    }

    @Override
    public void look() {
        Seen seen = replica.known();
        if (seen == null
                || arrivals.entrySet().stream().noneMatch(one -> isTaken(one.getKey(), one.getValue(), seen))) {
            return;
        }
        if (replica.isDurable(seen)) {
            answer(seen);
        } else if (answering.compareAndSet(false, true)) {
            world.inBackground(this::answerWhenDurable);
        }
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
            LOG.log(Level.WARNING, "group {0} cannot be synced: {1}", replica.name(), e.getMessage());
        }
    }

    private void answer(Seen seen) {
        arrivals.forEach((member, arrival) -> {
            if (isTaken(member, arrival, seen) && arrivals.remove(member, arrival)) {
                arrival.taken().complete(seen);
            }
        });
    }

    // Talking

    /**
     * What of its partitions a member has let go of, as far as can be told from what it says now. It has if it worked
     * one and says that it does not; or if it does not work one that our last answer, which it has heard, did not give
     * it: so it cannot be about to take it.
     */
    SortedSet<TopicPartition> letGo(Member member, RemoteBeat beat) {
        SortedSet<TopicPartition> gone = new TreeSet<>();
        Talk talk = talks.get(member.spec().id());
        Optional<SortedSet<TopicPartition>> works =
                beat.owned().or(() -> Optional.ofNullable(talk).flatMap(Talk::reported));
        if (works.isEmpty()) {
            return gone;
        }
        boolean hasHeard = talk != null && talk.connection() == beat.caller().connection();
        for (TopicPartition partition : member.toRelease()) {
            boolean worked = talk != null
                    && talk.reported()
                            .filter(those -> those.contains(partition))
                            .isPresent();
            boolean notGiven = hasHeard && !talk.told().contains(partition);
            if (!works.get().contains(partition) && (worked || notGiven)) {
                gone.add(partition);
            }
        }
        return gone;
    }

    /** Notes what a member said. */
    void said(MemberId member, RemoteBeat beat) {
        beat.owned()
                .ifPresent(owned -> talks.compute(
                        member,
                        (_, talk) -> talk == null
                                ? new Talk(new TreeSet<>(), Listening.NO_CONNECTION, Optional.of(owned))
                                : new Talk(talk.told(), talk.connection(), Optional.of(owned))));
    }

    /** Notes what a member is told. @return whether it was told something else before */
    boolean tells(MemberId member, SortedSet<TopicPartition> partitions, long connection) {
        boolean[] news = new boolean[1];
        talks.compute(member, (_, talk) -> {
            news[0] = talk == null
                    || talk.connection() != connection
                    || !talk.told().equals(partitions);
            return new Talk(partitions, connection, talk == null ? Optional.empty() : talk.reported());
        });
        return news[0];
    }

    @Override
    public void close() {
        arrivals.values().forEach(arrival -> arrival.taken().complete(replica.known()));
        arrivals.clear();
    }

    // Silence

    @Override
    public void startAfresh(long now) {
        listening.startAfresh(now);
    }

    @Override
    public List<Silence> silences(Group group, long now) {
        listening.retain(group.members().keySet());
        talks.keySet().retainAll(group.members().keySet());
        List<Silence> silences = new ArrayList<>();
        group.members().forEach((id, member) -> {
            if (isServedHere(member) && member.away().isEmpty()) {
                silences.add(listening.silence(
                        id, Deadline.nanos(member.spec().timing().session()), now));
            }
        });
        return silences;
    }

    @Override
    public Command expire(Silence silence) {
        return listening.isStill(silence) ? new Command.SessionExpired(silence.member(), self, silence.cause()) : null;
    }
}
