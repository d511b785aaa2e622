package dev.muster.simulation;

import dev.muster.core.MemberId;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicReply;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * A client of the classic protocol that behaves like Kafka's own. It joins, assigns if it leads, syncs and sends
 * heartbeats. It joins again when the server asks, when it leads and its topic has other partitions, and, if it is
 * cooperative, after a release. An eager client releases all partitions before it joins again. After a lost connection
 * it repeats its request with the same id; it drops the id only when the server does not know it.
 */
final class ClassicClient extends WireClient {
    static final Duration REBALANCE = Duration.ofSeconds(3);
    private static final long NO_GENERATION = -1;
    private static final long PAUSE_NANOS = 400 * MILLISECOND;
    /** The timeout of joins and syncs, which wait for all other members. */
    private static final long BARRIER_TIMEOUT_NANOS = REBALANCE.toNanos() + 2_000 * MILLISECOND;

    private final String name;
    private final TopicName topic;
    private final boolean cooperative;
    private final boolean commitsBeforeItLetsGo;
    private final long effortMax;
    private Phase phase = Phase.OUT;
    private String id = "";
    private long generation = NO_GENERATION;
    private boolean leads;
    /** True if this client must join again, because a rebalance began. */
    private boolean called;
    /** True if it is ready to join. */
    private boolean prepared;

    private SortedSet<TopicPartition> given = Collections.emptySortedSet();
    private long givenAt;
    private Optional<TopicId> topicId = Optional.empty();
    private int partitions;
    /**
     * The number of partitions in its last assignment as a leader; negative if another leader assigned. Kafka's own
     * client would use the present number, and miss partitions that were added while its instance was away.
     */
    private int assignedFor;

    private Optional<LettingGo> lettingGo = Optional.empty();
    private boolean asksForShape;
    private boolean beating;
    private boolean leaving;
    /** The number of the present attempt to join: answers to older attempts are ignored. */
    private long attempt;

    private long nextJoin;
    private long nextBeat;
    private long nextShape;
    private long awayUntil;

    private enum Phase {
        OUT,
        JOINING,
        SYNCING,
        IN
    }

    /** A release in progress, which takes some time. */
    private static final class LettingGo {
        private final SortedSet<TopicPartition> what;
        private final long until;
        private final Runnable then;
        private boolean commits;

        LettingGo(SortedSet<TopicPartition> what, long until, Runnable then) {
            this.what = what;
            this.until = until;
            this.then = then;
        }
    }

    ClassicClient(WireSide side, String name, Optional<String> instance, TopicName topic, boolean cooperative) {
        super(side, instance, new TreeSet<>(Collections.singleton(topic)));
        this.name = name;
        this.topic = topic;
        this.cooperative = cooperative;
        this.commitsBeforeItLetsGo = chance.nextInt(3) > 0;
        this.effortMax = chance.nextInt(3) == 0 ? 900 * MILLISECOND : 60 * MILLISECOND;
    }

    @Override
    String memberId() {
        return id;
    }

    @Override
    long epoch() {
        return generation;
    }

    @Override
    Optional<MemberId> asker() {
        return Optional.empty();
    }

    @Override
    boolean isSettled() {
        return phase == Phase.IN && !called && lettingGo.isEmpty() && works().equals(held(given));
    }

    @Override
    SortedSet<Held> takes() {
        return phase == Phase.IN ? held(given) : Collections.emptySortedSet();
    }

    @Override
    boolean polls() {
        return lettingGo.isEmpty() && sim.now() >= awayUntil;
    }

    @Override
    void leave() {
        leaving = true;
    }

    /** A dynamic member leaves, a static one falls silent. Both return later. */
    @Override
    void stopsPolling(long nanos) {
        if (generation >= 0 && isConnected()) {
            sim.note(this + " does not poll");
            awayUntil = sim.now() + nanos;
            if (instance.isEmpty()) {
                sayGoodbye();
                forgetItself();
            }
        }
    }

    private void sayGoodbye() {
        if (!id.isEmpty() && instance.isEmpty()) {
            ask(new WireRequest.Leave(new MemberId(id)), any -> {});
        }
    }

    // Steps

    @Override
    void act(long now) {
        if (now < awayUntil) {
            return;
        }
        if (lettingGo.isPresent()) {
            goOnLettingGo(now);
        } else if (leaving) {
            leave(now);
            return;
        } else if (phase == Phase.OUT || phase == Phase.IN && called) {
            comeBack(now);
        }
        if (phase == Phase.IN && !beating && now >= nextBeat) {
            beat(now);
        }
        if (!asksForShape && now >= nextShape) {
            askForShape(any -> {});
        }
    }

    private void leave(long now) {
        if (isBusy()) {
            return;
        }
        if (works().isEmpty()) {
            sayGoodbye();
            kill();
        } else {
            letGo(has(), now, () -> {});
        }
    }

    private SortedSet<TopicPartition> has() {
        SortedSet<TopicPartition> has = new TreeSet<>();
        works().forEach(held -> has.add(held.partition()));
        return has;
    }

    private void letGo(SortedSet<TopicPartition> what, long now, Runnable then) {
        LettingGo one = new LettingGo(what, now + chance.nextLong(effortMax), then);
        lettingGo = Optional.of(one);
        if (commitsBeforeItLetsGo) {
            one.commits = true;
            commit(any -> one.commits = false);
        }
    }

    private void goOnLettingGo(long now) {
        LettingGo one = lettingGo.get();
        if (!one.commits && !isBusy() && now >= one.until) {
            sim.note(this + " lets go of " + one.what);
            lettingGo = Optional.empty();
            // Its topic may have been created again meanwhile.
            SortedSet<Held> gone = new TreeSet<>(works());
            gone.removeIf(held -> !one.what.contains(held.partition()));
            letGo(gone);
            one.then.run();
        }
    }

    // Joining

    private void comeBack(long now) {
        if (!prepared) {
            if (isBusy()) {
                return;
            }
            prepared = true;
            if (!cooperative && !works().isEmpty()) {
                letGo(has(), now, () -> {});
                return;
            }
        }
        if (now >= nextJoin) {
            join();
        }
    }

    private void join() {
        phase = Phase.JOINING;
        called = false;
        long now = ++attempt;
        sim.note(this + " joins with " + has());
        var request =
                new WireRequest.Join(id, instance, name, protocol(), topics, new MemberMetadata(generation, has()));
        ask(request, BARRIER_TIMEOUT_NANOS, answer -> {
            if (now == attempt) {
                joined(answer);
            }
        });
    }

    private String protocol() {
        return cooperative ? "cooperative" : "range";
    }

    private void joined(Optional<WireAnswer> answer) {
        phase = Phase.OUT;
        switch (answer.orElse(null)) {
            case null -> tryAgain();
            case WireAnswer.Failed _ -> tryAgain();
            case WireAnswer.No(var why) -> refused(why);
            case WireAnswer.Joined joined -> isIn(joined);
            default -> throw new IllegalStateException("not an answer to a join: " + answer);
        }
    }

    private void isIn(WireAnswer.Joined joined) {
        sim.note(this + " is in generation " + joined.generation() + " as " + joined.member()
                + (joined.leads() ? ", leads" : ""));
        is(joined.member());
        judge.hearsEpoch(this, generation, joined.generation());
        generation = joined.generation();
        leads = joined.leads();
        phase = Phase.SYNCING;
        if (!joined.assigns()) {
            assignedFor = -1;
            sync(Collections.emptySortedMap());
            return;
        }
        long then = attempt;
        askForShape(known -> {
            if (then != attempt) {
                return;
            }
            if (known) {
                assignedFor = partitions;
                sync(LeadersPlan.of(joined.fellows(), topic, partitions, cooperative));
            } else {
                phase = Phase.OUT;
                tryAgain();
            }
        });
    }

    private void is(String member) {
        id = member;
        judge.client(this);
    }

    private void sync(SortedMap<String, SortedSet<TopicPartition>> assignment) {
        long then = attempt;
        var request = new WireRequest.Sync(new MemberId(id), instance, generation, protocol(), assignment);
        ask(request, BARRIER_TIMEOUT_NANOS, answer -> {
            if (then == attempt) {
                synced(answer);
            }
        });
    }

    private void synced(Optional<WireAnswer> answer) {
        phase = Phase.OUT;
        switch (answer.orElse(null)) {
            case null -> tryAgain();
            case WireAnswer.Failed _ -> tryAgain();
            case WireAnswer.No(var why) -> refused(why);
            case WireAnswer.Assigned(var those) -> isGiven(those);
            default -> throw new IllegalStateException("not an answer to a sync: " + answer);
        }
    }

    private void isGiven(SortedSet<TopicPartition> those) {
        sim.note(this + " is given " + those + " in generation " + generation);
        phase = Phase.IN;
        prepared = false;
        given = those;
        givenAt = sim.now();
        nextBeat = sim.now() + PAUSE_NANOS;
        SortedSet<TopicPartition> gone = has();
        gone.removeAll(given);
        if (gone.isEmpty()) {
            take(held(given), givenAt);
        } else {
            // Only a cooperative client has partitions at this time; it reports its release.
            letGo(gone, sim.now(), () -> {
                take(held(given), givenAt);
                called = true;
            });
        }
    }

    private SortedSet<Held> held(SortedSet<TopicPartition> those) {
        SortedSet<Held> held = new TreeSet<>();
        topicId.ifPresent(known -> those.forEach(partition -> held.add(new Held(known, partition))));
        return held;
    }

    // Living

    private void beat(long now) {
        beating = true;
        nextBeat = now + PAUSE_NANOS;
        long named = generation;
        ask(new WireRequest.Pulse(new MemberId(id), instance, generation), answer -> {
            beating = false;
            if (answer.orElse(null) instanceof WireAnswer.No(var why) && named == generation) {
                refused(why);
            }
        });
    }

    /** @param done consumer of true if the shape is known now */
    private void askForShape(Consumer<Boolean> done) {
        asksForShape = true;
        nextShape = sim.now() + chance.nextLong(2 * PAUSE_NANOS);
        ask(new WireRequest.Shape(topic), answer -> {
            asksForShape = false;
            boolean known = answer.orElse(null) instanceof WireAnswer.Shape;
            if (answer.orElse(null) instanceof WireAnswer.Shape(var now, var count)) {
                learns(now, count);
            }
            done.accept(known);
        });
    }

    private void learns(Optional<TopicId> now, int count) {
        partitions = count;
        if (now.isPresent() && !now.equals(topicId)) {
            topicId = now;
            madeAnew(topic, now.get());
            if (phase == Phase.IN && lettingGo.isEmpty()) {
                take(held(given), givenAt);
            }
        }
        if (phase == Phase.IN && leads && count != assignedFor) {
            called = true;
        }
    }

    @Override
    void refusedCommit(WireAnswer why, long named) {
        if (why instanceof WireAnswer.No(var refusal) && named == generation) {
            refused(refusal);
        }
    }

    private void refused(ClassicReply.Refusal why) {
        switch (why) {
            // A client that joins anyway need not be called.
            case ClassicReply.RebalanceInProgress _ -> called = phase == Phase.IN;
            case ClassicReply.IllegalGeneration _ -> isOut();
            case ClassicReply.UnknownMember _ -> forgetItself();
            case ClassicReply.MemberIdRequired(var given, var _) -> is(given.value());
            case ClassicReply.FencedInstance _ -> kill();
            case ClassicReply.Unavailable _ -> tryAgain();
            case ClassicReply.InconsistentProtocol _,
                    ClassicReply.GroupFull _,
                    ClassicReply.InvalidSession _,
                    ClassicReply.InvalidGroup _ -> judge.surprise(this + " is refused: " + why);
        }
    }

    private void tryAgain() {
        nextJoin = sim.now() + chance.nextLong(100 * MILLISECOND);
    }

    /** Drops all partitions after an expulsion, and joins again. */
    private void isOut() {
        letGoOfAll();
        lettingGo = Optional.empty();
        given = Collections.emptySortedSet();
        generation = NO_GENERATION;
        leads = false;
        prepared = false;
        phase = Phase.OUT;
        attempt++;
    }

    private void forgetItself() {
        isOut();
        id = "";
    }

    @Override
    void lostConnection() {
        nextBeat = sim.now();
        nextShape = sim.now();
    }

    @Override
    public String toString() {
        return name;
    }
}
