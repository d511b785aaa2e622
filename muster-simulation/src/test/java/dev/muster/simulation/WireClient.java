package dev.muster.simulation;

import dev.muster.core.MemberId;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.testkit.sim.Simulation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * A consumer over a connection, on another machine: it outlives servers and their power cuts. This class has the common
 * part of all kinds: one connection at a time, requests that are answered in order or time out, and records that are
 * fetched, processed and committed. The subclass of the protocol gets the partitions.
 *
 * <p>For the thread of the simulation, between two stretches of the processes.
 */
abstract sealed class WireClient permits ModernClient, ClassicClient {
    static final long MILLISECOND = 1_000_000;
    /** The timeout of requests, much shorter than a session, as with real clients. */
    static final long REQUEST_TIMEOUT_NANOS = 900 * MILLISECOND;

    private static final int RECORDS_MAX = 10;

    final Simulation sim;
    final WireSide side;
    final WireJudge judge;
    final SplittableRandom chance;
    final Optional<String> instance;
    final SortedSet<TopicName> topics;

    /** The partitions in process, from the first possible record to the release. */
    private final SortedMap<Held, Work> works = new TreeMap<>();

    private final Map<WireRequest.Lane, Deque<Asked>> asked = new EnumMap<>(WireRequest.Lane.class);
    private final Deque<Unheard> unheard = new ArrayDeque<>();
    private Network.Connection connection;
    private long connectAt;
    private long frozenUntil;
    private boolean ended;
    private boolean fetching;
    private Held inHand;
    private boolean pollsLate;
    private long takes;

    /** A partition in process. */
    private static final class Work {
        private final long take;
        private final long since;
        private long position = -1;
        private long committed = -1;
        private boolean asking;

        Work(long take, long since) {
            this.take = take;
            this.since = since;
        }

        boolean isOpen() {
            return position > committed && committed >= 0;
        }
    }

    /** @param heard consumer of the answer; gets empty if the connection was lost first */
    private record Asked(long at, long timeout, Consumer<Optional<WireAnswer>> heard) {}

    /** An answer that arrived while the client was frozen. */
    private record Unheard(WireRequest.Lane lane, WireAnswer answer) {}

    WireClient(WireSide side, Optional<String> instance, SortedSet<TopicName> topics) {
        this.side = side;
        this.sim = side.simulation();
        this.judge = side.judge();
        this.chance = sim.chance().split();
        this.instance = instance;
        this.topics = topics;
        for (WireRequest.Lane lane : WireRequest.Lane.values()) {
            asked.put(lane, new ArrayDeque<>());
        }
    }

    /** The member id. */
    abstract String memberId();

    /** Does the protocol's work that is due; called often. */
    abstract void act(long now);

    /** Handles a lost connection, or a server that refuses to answer. */
    abstract void lostConnection();

    /** The epoch or generation of its commits. */
    abstract long epoch();

    /** The member id for offset fetches; empty if the protocol does not send it. */
    abstract Optional<MemberId> asker();

    /**
     * Handles a refused commit: the client may have an outdated epoch, or may be expelled.
     *
     * @param epoch the epoch of the commit
     */
    abstract void refusedCommit(WireAnswer why, long epoch);

    /** True if the application polls. */
    boolean polls() {
        return true;
    }

    /** True if, as far as it knows, it is in the group and has applied its assignment. */
    abstract boolean isSettled();

    /** The partitions that it processes or is about to take. */
    abstract SortedSet<Held> takes();

    /** The application does not poll for this time. */
    abstract void stopsPolling(long nanos);

    /** Leaves the group after the records in hand. */
    abstract void leave();

    // Life

    final void begin() {
        sim.note(this + " starts");
        tickLater();
    }

    private void tickLater() {
        sim.after(2 * MILLISECOND + chance.nextLong(20 * MILLISECOND), () -> {
            if (!ended) {
                tick();
                tickLater();
            }
        });
    }

    private void tick() {
        long now = sim.now();
        if (now < frozenUntil) {
            return;
        }
        while (!unheard.isEmpty() && !ended) {
            Unheard next = unheard.poll();
            hear(next.lane(), next.answer());
        }
        if (connection == null) {
            if (now >= connectAt) {
                connect();
            }
            return;
        }
        if (asked.values().stream().anyMatch(lane -> isOverdue(lane, now))) {
            sim.note(this + " gives up on " + connection.number);
            connection.endByClient();
            lost();
            return;
        }
        if (pollsLate) {
            pollsLate = false;
            stopsPolling(chance.nextLong(300 * MILLISECOND));
        }
        act(now);
        if (!ended && connection != null) {
            work();
        }
    }

    private static boolean isOverdue(Deque<Asked> lane, long now) {
        return !lane.isEmpty() && now - lane.getFirst().at() > lane.getFirst().timeout();
    }

    private void connect() {
        Optional<ServerActor> server = side.anyServer();
        if (server.isEmpty()) {
            connectAt = sim.now() + chance.nextLong(100 * MILLISECOND);
        } else {
            connection = side.network().connect(this, server.get());
            sim.note(this + " connects to " + server.get() + " over " + connection.number);
        }
    }

    private void lost() {
        connection = null;
        connectAt = sim.now() + chance.nextLong(100 * MILLISECOND);
        unheard.clear();
        List<Asked> unanswered = new ArrayList<>();
        asked.values().forEach(lane -> {
            unanswered.addAll(lane);
            lane.clear();
        });
        unanswered.forEach(one -> one.heard().accept(Optional.empty()));
        if (!ended) {
            lostConnection();
        }
    }

    /** Freezes the client, as SIGSTOP does: its kernel keeps the connection. */
    final void freeze(long nanos) {
        sim.note(this + " is frozen for " + nanos / MILLISECOND + " ms");
        frozenUntil = sim.now() + nanos;
    }

    final void thaw() {
        frozenUntil = 0;
    }

    /** Kills the client, as SIGKILL does: its kernel closes the connection. */
    final void kill() {
        end();
        if (connection != null) {
            connection.endByClient();
        }
    }

    /** Ends the client with its machine: the connection is not closed. */
    final void vanish() {
        end();
        if (connection != null) {
            connection.swallow();
        }
    }

    final void end() {
        sim.note(this + " ends");
        ended = true;
        works.clear();
    }

    final boolean hasEnded() {
        return ended;
    }

    final Optional<Network.Connection> connection() {
        return Optional.ofNullable(connection);
    }

    // The wire

    final boolean isConnected() {
        return connection != null;
    }

    final void ask(WireRequest request, Consumer<Optional<WireAnswer>> heard) {
        ask(request, REQUEST_TIMEOUT_NANOS, heard);
    }

    /** @param timeout the timeout, longer for requests that wait for other members */
    final void ask(WireRequest request, long timeout, Consumer<Optional<WireAnswer>> heard) {
        asked.get(request.lane()).add(new Asked(sim.now(), timeout, heard));
        connection.send(request);
    }

    /** For the network. */
    final void receives(Network.Connection over, WireRequest.Lane lane, WireAnswer answer) {
        if (ended || over != connection) {
            return;
        }
        if (sim.now() < frozenUntil) {
            unheard.add(new Unheard(lane, answer));
        } else {
            hear(lane, answer);
        }
    }

    private void hear(WireRequest.Lane lane, WireAnswer answer) {
        asked.get(lane).removeFirst().heard().accept(Optional.of(answer));
    }

    /** For the network. */
    final void seesEnd(Network.Connection over) {
        if (!ended && over == connection) {
            if (sim.now() < frozenUntil) {
                sim.at(frozenUntil, () -> seesEnd(over));
            } else {
                sim.note(this + " lost connection " + over.number);
                lost();
            }
        }
    }

    // Partitions

    final SortedSet<Held> works() {
        return Collections.unmodifiableSortedSet(new TreeSet<>(works.keySet()));
    }

    /** The time at which it got a partition; empty if it does not process it. */
    final Optional<Long> worksSince(String partition) {
        return works.entrySet().stream()
                .filter(one -> one.getKey().name().equals(partition))
                .map(one -> one.getValue().since)
                .findFirst();
    }

    /** The offset of its last acknowledged commit of a partition; empty if it does not process it. */
    final Optional<Long> committed(String partition) {
        return works.entrySet().stream()
                .filter(one -> one.getKey().name().equals(partition))
                .map(one -> one.getValue().committed)
                .findFirst();
    }

    /** The partition, with the id of its topic, of the records in hand. */
    final Optional<String> inHand() {
        return ended ? Optional.empty() : Optional.ofNullable(inHand).map(Held::place);
    }

    final boolean isBusy() {
        return inHand != null;
    }

    /** @param told the time of the assignment: later changes are not known during the take */
    final void take(SortedSet<Held> partitions, long told) {
        partitions.forEach(held -> works.computeIfAbsent(held, any -> new Work(++takes, told)));
    }

    final void letGo(SortedSet<Held> partitions) {
        works.keySet().removeAll(partitions);
    }

    final void letGoOfAll() {
        works.clear();
    }

    /**
     * Handles a topic that was created again: a client that knows topics by name continues at the start of the new one.
     */
    final void madeAnew(TopicName topic, TopicId now) {
        for (Held old : works()) {
            if (old.partition().topic().equals(topic) && !old.topic().equals(now)) {
                works.put(new Held(now, old.partition()), new Work(++takes, works.remove(old).since));
            }
        }
    }

    // Records

    private void work() {
        askWhereToBegin();
        if (fetching || inHand != null || works.isEmpty() || !polls()) {
            return;
        }
        List<Map.Entry<Held, Work>> able = works.entrySet().stream()
                .filter(one -> one.getValue().position >= 0)
                .toList();
        if (!able.isEmpty()) {
            Map.Entry<Held, Work> one = able.get(chance.nextInt(able.size()));
            fetch(one.getKey(), one.getValue());
        }
    }

    private void askWhereToBegin() {
        SortedSet<Held> fresh = new TreeSet<>();
        works.forEach((held, work) -> {
            if (work.position < 0 && !work.asking) {
                work.asking = true;
                fresh.add(held);
            }
        });
        if (fresh.isEmpty()) {
            return;
        }
        Map<Held, Long> takesThen = new TreeMap<>();
        fresh.forEach(held -> takesThen.put(held, works.get(held).take));
        ask(new WireRequest.Places(asker(), epoch(), fresh), answer -> {
            for (Held held : fresh) {
                Work work = works.get(held);
                if (work == null || work.take != takesThen.get(held)) {
                    continue;
                }
                work.asking = false;
                if (answer.isPresent() && answer.get() instanceof WireAnswer.Places(var offsets)) {
                    work.position = offsets.getOrDefault(held, 0L);
                    work.committed = work.position;
                }
            }
        });
    }

    private void fetch(Held held, Work work) {
        fetching = true;
        ask(new WireRequest.Fetch(held, work.position), answer -> {
            fetching = false;
            if (works.get(held) == work
                    && polls()
                    && answer.isPresent()
                    && answer.get() instanceof WireAnswer.Records(var records)) {
                if (records.isEmpty()) {
                    commit(any -> {});
                } else {
                    process(held, work, records.subList(0, Math.min(RECORDS_MAX, records.size())));
                }
            }
        });
    }

    private void process(Held held, Work work, List<WireAnswer.Fetched> records) {
        judge.handsOut(this, held);
        inHand = held;
        long effort = chance.nextLong(chance.nextInt(8) == 0 ? 600 * MILLISECOND : 10 * MILLISECOND);
        sim.after(effort, () -> processed(held, work, records));
    }

    private void processed(Held held, Work work, List<WireAnswer.Fetched> records) {
        if (ended) {
            return;
        }
        if (sim.now() < frozenUntil) {
            sim.at(frozenUntil, () -> processed(held, work, records));
            return;
        }
        records.forEach(one -> judge.processed(one.number(), one.offset()));
        inHand = null;
        if (works.get(held) == work) {
            work.position = records.getLast().offset() + 1;
        }
        if (chance.nextInt(4) > 0) {
            commit(any -> {});
        }
    }

    /**
     * Commits processed records.
     *
     * @param done consumer of true if nothing is left to commit
     */
    final void commit(Consumer<Boolean> done) {
        SortedMap<Held, Long> offsets = new TreeMap<>();
        Map<Held, Work> then = new TreeMap<>();
        works.forEach((held, work) -> {
            if (work.isOpen()) {
                offsets.put(held, work.position);
                then.put(held, work);
            }
        });
        if (offsets.isEmpty() || connection == null) {
            done.accept(offsets.isEmpty());
            return;
        }
        long epoch = epoch();
        ask(new WireRequest.Commit(new MemberId(memberId()), instance, epoch, offsets), answer -> {
            if (answer.isPresent() && answer.get() instanceof WireAnswer.Committed) {
                then.forEach((held, work) -> work.committed = Math.max(work.committed, offsets.get(held)));
                done.accept(true);
                return;
            }
            done.accept(false);
            if (answer.isEmpty() && chance.nextInt(3) == 0) {
                // The application waited for the commit and did not poll meanwhile.
                pollsLate = true;
            }
            answer.filter(why -> why instanceof WireAnswer.Refused || why instanceof WireAnswer.No)
                    .ifPresent(why -> refusedCommit(why, epoch));
        });
    }
}
