package dev.muster.simulation;

import dev.muster.core.MusterException;
import dev.muster.core.SyncLevel;
import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.Subscription;
import dev.muster.store.AppendOutcomeUnknownException;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.StoreIoException;
import dev.muster.store.SyncFailedException;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicExistsException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.batch.BatchDecoder;
import dev.muster.store.group.GroupDeletedException;
import dev.muster.store.read.LogReader;
import dev.muster.testkit.sim.Faults;
import dev.muster.testkit.sim.SimFault;
import dev.muster.testkit.sim.SimProcess;
import dev.muster.testkit.sim.Simulation;
import dev.muster.testkit.unpleasant.Trouble;
import dev.muster.testkit.unpleasant.UnpleasantStore;
import dev.muster.testkit.unpleasant.Writers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/** A run of one group on one simulated machine, drawn from a seed: first with faults, then without. */
final class GroupRun {
    static final Path DIRECTORY = Path.of("/data");
    static final GroupName GROUP = new GroupName("billing");
    static final List<String> ALL_THAT_HAPPENS = List.of(
            "member starts",
            "static member starts",
            "member with a pattern starts",
            "leave",
            "kill",
            "partitions added",
            "topic made anew",
            "late topic made",
            "late topic deleted",
            "all leave",
            "group deleted",
            "offset reset",
            "offset reset while members read",
            "offset forgotten");
    private static final int PARTITIONS_MAX = 7;
    private static final int CHANGE_TRIES = 30;
    private static final int WIRE_ROUNDS_MAX = 60;
    private static final long MILLISECOND = 1_000_000;
    private static final long SECOND = 1_000 * MILLISECOND;

    private final Simulation sim;
    private final SplittableRandom chance;
    private final Planted planted;
    /** The trouble of the stores; empty if they are pleasant. */
    private final Optional<Trouble> trouble;

    private final Writers writers = new Writers();
    private final Referee referee;
    private final List<Slot> slots = new ArrayList<>();
    private final Map<String, Integer> happened = new TreeMap<>();
    private boolean producing = true;
    private boolean calm;
    /** The topic that all members read; it is missing only for moments. */
    private final KnownTopic orders;
    /** A topic that is created and deleted repeatedly, read by members with a pattern. */
    private final KnownTopic late;

    private final int snapshotEvery;
    private final Cast cast;
    /** The wire clients and servers; empty in runs without them. */
    private final Optional<WireSide> wire;

    private SimProcess changing;

    /** A slot for a process: when one ends, another starts. */
    private final class Slot {
        private final int number;
        private final boolean fixed;
        private final Subscription subscription;
        private HostActor host;

        Slot(int number) {
            this.number = number;
            this.fixed = chance.nextInt(4) == 0;
            this.subscription = chance.nextInt(3) == 0
                    ? new Subscription(new TreeSet<>(), Optional.of("orders.*"))
                    : new Subscription(new TreeSet<>(Set.of(orders.name())), Optional.empty());
        }

        void start() {
            if (host == null || host.process().hasEnded()) {
                host = new HostActor(GroupRun.this, sim.start("p" + number), number);
                int members = cast.members(chance);
                host.begin(members, fixed, subscription);
                if (members == 0) {
                    return;
                }
                happens(fixed ? "static member starts" : "member starts");
                if (subscription.pattern().isPresent()) {
                    happens("member with a pattern starts");
                }
            }
        }
    }

    GroupRun(long seed, Planted planted) {
        this(seed, planted, false);
    }

    /** @param unpleasant true if the stores of all processes keep their contract and no more */
    GroupRun(long seed, Planted planted, boolean unpleasant) {
        this.sim = new Simulation(seed);
        this.chance = sim.chance();
        this.planted = planted;
        this.trouble = unpleasant
                ? Optional.of(new Trouble(seed, failsOneIn(seed), sim::now, Runnable::run))
                : Optional.empty();
        trouble.ifPresent(them -> them.calm(true));
        this.referee = new Referee(sim, GROUP);
        trouble.ifPresent(_ -> referee.toleratesStale(Referee.SESSION.plus(Referee.HEARTBEAT)));
        this.orders = new KnownTopic("orders", 1 + chance.nextInt(5));
        this.late = new KnownTopic("orders-late", 1 + chance.nextInt(2));
        this.snapshotEvery = pick(5, 30, 1_000);
        sim.faults(draw());
        sim.afterStep(referee::look);
        sim.onBeat(this::beats);
        this.cast = planted.cast().orElseGet(() -> Cast.of(seed));
        this.wire = cast.isOfTheWire() ? Optional.of(new WireSide(this, cast)) : Optional.empty();
    }

    private void beats(SimProcess process) {
        slots.stream()
                .filter(slot -> slot.host != null && slot.host.process() == process)
                .forEach(slot -> slot.host.beats());
        wire.ifPresent(side -> side.beats(process));
    }

    private Faults draw() {
        long[] between = {1_000, 5_000, 20_000, 100_000};
        Faults faults = new Faults(chance.split(), between[chance.nextInt(between.length)]);
        faults.with(SimFault.PREEMPT, 40);
        faults.with(SimFault.STOP, pick(0, 1, 4));
        faults.with(SimFault.KILL, pick(0, 0, 1, 2));
        faults.with(SimFault.KILL_IN_WRITE, pick(0, 0, 1));
        faults.with(SimFault.SLOW_CALL, pick(0, 2));
        faults.with(SimFault.CLOCK_JUMP, pick(0, 1));
        faults.with(SimFault.POWER_CUT, pick(0, 0, 0, 1));
        faults.with(SimFault.FAILED_SYNC, pick(0, 0, 0, 0, 1));
        planted.faults(faults);
        return faults;
    }

    private int pick(int... among) {
        return among[chance.nextInt(among.length)];
    }

    /** Small segments, so that journals get several. */
    long journalSegmentBytes() {
        return 16_384;
    }

    /** Few lines, so that snapshots are written. */
    int snapshotEvery() {
        return snapshotEvery;
    }

    /** A random topic to send records to. */
    KnownTopic anyTopic() {
        return chance.nextInt(3) == 0 ? late : orders;
    }

    /** The topic that all read. */
    TopicName topic() {
        return orders.name();
    }

    void happens(String what) {
        happened.merge(what, 1, Integer::sum);
    }

    Simulation simulation() {
        return sim;
    }

    Referee referee() {
        return referee;
    }

    private static int failsOneIn(long seed) {
        return new int[] {0, 200, 50}[(int) Math.floorMod(seed, 3L)];
    }

    /** The trouble of the stores; empty if they are pleasant. */
    Optional<Trouble> troubles() {
        return trouble;
    }

    /** The store as a process sees it. */
    LogStore seen(SimProcess process, LogStore store) {
        LogStore unpleasant = trouble.<LogStore>map(
                        them -> new UnpleasantStore(store, them, writers, process.toString()))
                .orElse(store);
        return planted.store(process, unpleasant);
    }

    Planted planted() {
        return planted;
    }

    boolean isCalm() {
        return calm;
    }

    boolean producing() {
        return producing;
    }

    Map<String, Integer> happened() {
        return happened;
    }

    Cast cast() {
        return cast;
    }

    /** Handles a failed call. Some failures are expected after faults of the machine. */
    void trouble(SimProcess process, MusterException e) {
        sim.note(process + " meets " + e);
        boolean expected = e instanceof TopicDeletedException
                || e instanceof TopicNotFoundException
                || e instanceof GroupDeletedException
                || e instanceof TopicExistsException && calm
                || trouble.isPresent() && (e.retryable() || e instanceof AppendOutcomeUnknownException)
                || e.getMessage().contains("the number can only be raised")
                || (e instanceof SyncFailedException || e instanceof StoreIoException)
                        && sim.faults().fired().containsKey(SimFault.FAILED_SYNC);
        if (!expected && !process.hasEnded()) {
            sim.fail(new Broken(Invariant.NO_SURPRISE, process + " meets " + e, e));
        }
    }

    /** @throws Broken when an invariant does not hold */
    void run() {
        try {
            setUp();
            chaos();
            calm();
        } catch (Broken e) {
            throw e;
        } catch (AssertionError e) {
            if (e.getCause() != null && e.getMessage().startsWith("thread ")) {
                throw new Broken(Invariant.NO_SURPRISE, e.getMessage() + ": " + e.getCause(), e.getCause());
            }
            throw e;
        } finally {
            sim.end();
        }
    }

    // With faults

    private void setUp() {
        HostActor admin = new HostActor(this, sim.start("admin"), 99);
        admin.process().spawn("create", () -> {
            LogStore store = admin.open();
            orders.is(
                    store.create(orders.name(), orders.partitions(), settings()).id());
            store.close();
            admin.process().end();
        });
        sim.run(sim.now() + 100 * MILLISECOND);
        int hosts = wire.isPresent() ? 1 + chance.nextInt(2) : 2 + chance.nextInt(3);
        for (int i = 0; i < hosts; i++) {
            slots.add(new Slot(i));
        }
        sim.afterPowerCut(this::powerIsBack);
    }

    private static TopicSettings settings() {
        return TopicSettings.DEFAULT.withSync(SyncLevel.COMMIT).with("retention.ms", "-1");
    }

    private void powerIsBack() {
        referee.afterPowerCut();
        slots.forEach(slot -> sim.after(chance.nextLong(SECOND), slot::start));
    }

    private void chaos() {
        sim.faults().on(true);
        trouble.ifPresent(them -> them.calm(false));
        slots.forEach(slot -> sim.after(chance.nextLong(chance.nextBoolean() ? SECOND : 5 * MILLISECOND), slot::start));
        wire.ifPresent(WireSide::begin);
        actLater();
        watchLater();
        if (cast == Cast.TURNING) {
            turnLater();
        }
        sim.run(sim.now() + 3 * SECOND + chance.nextLong(6 * SECOND));
    }

    private void actLater() {
        sim.after(50 * MILLISECOND + chance.nextLong(SECOND), () -> {
            if (!calm) {
                if (wire.isPresent() && chance.nextInt(3) > 0) {
                    wire.get().act();
                } else {
                    act();
                }
                actLater();
            }
        });
    }

    /** Members that cannot be classic join and leave. */
    private void turnLater() {
        sim.after(200 * MILLISECOND + chance.nextLong(SECOND), () -> {
            if (!calm) {
                Slot slot = slots.get(chance.nextInt(slots.size()));
                if (slot.host != null && !slot.host.process().hasEnded()) {
                    slot.host.leave();
                } else {
                    slot.start();
                }
                turnLater();
            }
        });
    }

    private void watchLater() {
        sim.after(200 * MILLISECOND, () -> {
            referee.checkNobodyIsHeldUp();
            watchLater();
        });
    }

    private void act() {
        Slot slot = slots.get(chance.nextInt(slots.size()));
        boolean runs = slot.host != null && !slot.host.process().hasEnded();
        if (!runs) {
            slot.start();
            return;
        }
        switch (chance.nextInt(12)) {
            case 0, 1 -> {
                happens("leave");
                slot.host.leave();
            }
            case 2 -> {
                happens("kill");
                slot.host.process().end();
            }
            case 3 -> slot.host.process().stop(300 * MILLISECOND + chance.nextLong(4 * SECOND));
            case 4 -> sim.jumpWallClock(chance.nextLong(-3_600_000, 3_600_000));
            case 5 ->
                admin("partitions added", (host, store) -> {
                    if (orders.partitions() < PARTITIONS_MAX) {
                        store.addPartitions(orders.name(), orders.onePartitionMore());
                    }
                });
            case 6 -> {
                if (chance.nextInt(3) == 0) {
                    remake(orders);
                }
            }
            case 7 -> comeOrGo(late);
            case 8 -> allLeave();
            case 9 -> rewind();
            default -> {}
        }
    }

    private void remake(KnownTopic topic) {
        if (!topic.isBusy()) {
            topic.busyWith(admin("topic made anew", (host, store) -> {
                topic.is(null);
                store.delete(topic.name());
                topic.is(store.create(topic.name(), topic.partitions(), settings())
                        .id());
            }));
        }
    }

    private void comeOrGo(KnownTopic topic) {
        if (topic.isBusy()) {
            return;
        }
        topic.busyWith(admin("late topic", (host, store) -> {
            topic.is(null);
            if (store.find(topic.name()).isPresent()) {
                happens("late topic deleted");
                store.delete(topic.name());
            } else {
                happens("late topic made");
                topic.is(store.create(topic.name(), topic.partitions(), settings())
                        .id());
            }
        }));
    }

    /** Stops all members, so that an administrator can change the group; others may join meanwhile. */
    private void allLeave() {
        if (changing != null && !changing.hasEnded()) {
            return;
        }
        slots.stream().filter(slot -> slot.host != null).forEach(slot -> slot.host.leave());
        wire.ifPresent(WireSide::allLeave);
        int what = chance.nextInt(4);
        changing = admin("all leave", (host, store) -> {
            GroupErrands group = new GroupErrands(host, store);
            for (int i = 0; i < CHANGE_TRIES && !change(group, what); i++) {
                host.process().sleep(chance.nextLong(100 * MILLISECOND));
            }
        });
    }

    /** Sets an offset while members read. */
    private void rewind() {
        admin("live reset", (host, store) -> {
            if (new GroupErrands(host, store).reset(orders, true)) {
                happens("offset reset while members read");
            }
        });
    }

    private boolean change(GroupErrands group, int what) {
        String done = what == 0 ? "offset reset" : what == 1 ? "offset forgotten" : "group deleted";
        boolean changed = what == 0 ? group.reset(orders, false) : what == 1 ? group.forget(orders) : group.delete();
        if (changed) {
            sim.note(done);
            happens(done);
        }
        return changed;
    }

    private interface Errand {
        void run(HostActor host, LogStore store);
    }

    private SimProcess admin(String what, Errand errand) {
        happens(what);
        sim.note(what);
        HostActor admin = new HostActor(this, sim.start("admin"), 99);
        admin.process().spawn("admin", () -> {
            LogStore store = admin.open();
            try {
                errand.run(admin, store);
            } catch (MusterException e) {
                trouble(admin.process(), e);
            }
            admin.service().close();
            store.close();
            admin.process().end();
        });
        return admin.process();
    }

    // Without faults

    private void calm() {
        calm = true;
        sim.faults().on(false);
        trouble.ifPresent(them -> them.calm(true));
        sim.processes().forEach(SimProcess::goOn);
        sim.disk().failSyncs(0);
        makeTopicsRight();
        // A leaving process needs a moment.
        for (int i = 0; i < 50 && slots.stream().anyMatch(slot -> slot.host.isLeaving() && !slot.host.isGone()); i++) {
            sim.run(sim.now() + 100 * MILLISECOND);
        }
        slots.forEach(Slot::start);
        wire.ifPresent(WireSide::calm);
        sim.run(sim.now() + Referee.SESSION.plus(Referee.REVOKE).plusSeconds(1).toNanos());
        wire.ifPresent(this::awaitWire);
        wire.ifPresent(this::checkGhosts);
        checkAllOwned();
        long generation = referee.books().generation;
        producing = false;
        sim.run(sim.now() + 2 * SECOND + 500 * MILLISECOND);
        checkAllDone();
        if (referee.books().generation != generation) {
            referee.broken(
                    Invariant.CALM_AFTERWARDS,
                    "a rebalance, " + generation + " to " + referee.books().generation
                            + ", although nobody came or went");
        }
    }

    /** Waits for the wire clients. A report during a reconciliation is uncertain for a while, so this takes longer. */
    private void awaitWire(WireSide side) {
        for (int i = 0; i < WIRE_ROUNDS_MAX && !isSettled(side); i++) {
            sim.run(sim.now() + 250 * MILLISECOND);
        }
    }

    private void checkGhosts(WireSide side) {
        Set<String> ghosts = new TreeSet<>(referee.books().hosts.keySet());
        ghosts.removeAll(living(side));
        if (!ghosts.isEmpty()) {
            referee.broken(Invariant.NO_GHOSTS, ghosts + " are members, and nobody is there who could be one of them");
        }
    }

    private Set<String> living(WireSide side) {
        Set<String> living = new TreeSet<>();
        side.clients().forEach(client -> living.add(client.memberId()));
        slots.stream()
                .flatMap(slot -> slot.host.members().stream())
                .forEach(member -> living.add(String.valueOf(member.memberId())));
        return living;
    }

    private boolean isSettled(WireSide side) {
        return referee.books().hosts.keySet().equals(living(side))
                && side.clients().stream().allMatch(WireClient::isSettled)
                && referee.books().owners.entrySet().stream()
                        .allMatch(owner -> side.works(owner.getValue(), owner.getKey()));
    }

    private void makeTopicsRight() {
        HostActor admin = new HostActor(this, sim.start("admin"), 99);
        admin.process().spawn("admin", () -> {
            LogStore store = admin.open();
            makeRight(store, orders, true);
            makeRight(store, late, false);
            store.close();
            admin.process().end();
        });
        sim.run(sim.now() + 100 * MILLISECOND);
    }

    private void makeRight(LogStore store, KnownTopic known, boolean needed) {
        TopicId there = store.find(known.name()).map(Topic::id).orElse(null);
        if (known.id() != null && !known.id().equals(there)) {
            referee.broken(
                    Invariant.PROMISE_KEPT, "topic " + known.id() + " was made and not deleted, but there is " + there);
        }
        try {
            if (there != null) {
                // The process that added partitions may have died before announcing them; housekeeping would announce
                // them later.
                store.alter(known.name(), settings());
            } else if (needed) {
                store.create(known.name(), known.partitions(), settings());
            }
        } catch (MusterException e) {
            sim.note("somebody else is at it: " + e.getMessage());
        }
    }

    private boolean isRead(Topic topic) {
        return wire.filter(side -> side.reads(topic.name())).isPresent()
                || slots.stream()
                        .anyMatch(slot -> !slot.host.members().isEmpty() && slot.subscription.includes(topic.name()));
    }

    private void checkAllOwned() {
        inspect((store, topic) -> {
            for (int i = 0; i < topic.partitions(); i++) {
                String partition = topic.name() + ":" + i;
                String owner = referee.books().owners.get(partition);
                boolean works = slots.stream()
                        .flatMap(slot -> slot.host.members().stream())
                        .anyMatch(member -> owner != null
                                && owner.equals(member.memberId())
                                && member.assigned().stream()
                                        .anyMatch(tp -> (tp.topic() + ":" + tp.partition()).equals(partition)));
                works |= wire.filter(side -> side.isOfTheWire(owner) && side.works(owner, partition))
                        .isPresent();
                // By the classic rules the group does not know the readers of a topic that was created again.
                works |= owner == null
                        && wire.filter(side -> referee.books().isClassic() && side.workers(partition) == 1)
                                .isPresent();
                if (works != isRead(topic)) {
                    referee.broken(
                            Invariant.CALM_AFTERWARDS,
                            partition + " is owned by " + owner + ", who " + (works ? "does" : "does not")
                                    + " work it, long after the last fault");
                }
            }
        });
    }

    private void checkAllDone() {
        inspect((store, topic) -> {
            if (!isRead(topic)) {
                return;
            }
            referee.checkAllProcessed(topic.id().toString());
            for (int i = 0; i < topic.partitions(); i++) {
                String partition = topic.name() + ":" + i;
                long end = store.log(topic.id(), i).endOffset();
                long committed = referee.books().offsets.getOrDefault(partition, 0L);
                boolean lowered = wire.filter(side -> side.wasLoweredByLateCommit(partition, end))
                        .isPresent();
                if (committed != end && !lowered && hasRecords(store.log(topic.id(), i), committed)) {
                    referee.broken(
                            Invariant.CALM_AFTERWARDS,
                            partition + " is committed at " + committed + " of " + end
                                    + ", although nothing was produced for a while");
                }
            }
        });
    }

    /** True if there is a record to read. The last offsets of a log may be unused. */
    private static boolean hasRecords(PartitionLog log, long from) {
        try (LogReader reader = log.reader(Math.max(from, log.startOffset()))) {
            BatchDecoder records = BatchDecoder.over(reader.read(1 << 20).bytes());
            while (records.next()) {
                if (records.offset() >= from) {
                    return true;
                }
            }
            return false;
        }
    }

    private interface Inspection {
        void look(LogStore store, Topic topic);
    }

    private void inspect(Inspection inspection) {
        HostActor admin = new HostActor(this, sim.start("inspector"), 98);
        admin.process().spawn("inspect", () -> {
            LogStore store = admin.open();
            store.list().forEach(topic -> inspection.look(store, topic));
            store.close();
            admin.process().end();
        });
        sim.run(sim.now() + 100 * MILLISECOND);
    }
}
