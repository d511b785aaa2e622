package dev.muster.testkit.sim;

import dev.muster.core.MusterException;
import dev.muster.core.SyncLevel;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.core.group.GroupName;
import dev.muster.store.LogStore;
import dev.muster.store.StoreIoException;
import dev.muster.store.SyncFailedException;
import dev.muster.store.Topic;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicExistsException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.group.GroupDeletedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** The life of one group on one simulated machine, all of it drawn from a seed: first with faults, then without. */
final class GroupRun {
    static final Path DIRECTORY = Path.of("/data");
    static final TopicName TOPIC = new TopicName("orders");
    static final GroupName GROUP = new GroupName("billing");
    static final List<String> ALL_THAT_HAPPENS =
            List.of("member starts", "static member starts", "leave", "kill", "partitions added", "topic made anew");
    private static final long MILLISECOND = 1_000_000;
    private static final long SECOND = 1_000 * MILLISECOND;

    private final Simulation sim;
    private final SplittableRandom chance;
    private final Planted planted;
    private final Referee referee;
    private final List<Slot> slots = new ArrayList<>();
    private final Map<String, Integer> happened = new TreeMap<>();
    private boolean producing = true;
    private boolean calm;
    private int partitions;
    /** The one that must be there; null when that is not known. */
    private TopicId topic;

    private SimProcess remaking;

    /** A place for a process: when one ends another comes. */
    private final class Slot {
        private final int number;
        private final int members;
        private final boolean fixed;
        private HostActor host;

        Slot(int number) {
            this.number = number;
            this.members = 1 + (chance.nextInt(3) == 0 ? 1 : 0);
            this.fixed = chance.nextInt(4) == 0;
        }

        void start() {
            if (host == null || host.process().hasEnded()) {
                host = new HostActor(GroupRun.this, sim.start("p" + number), number);
                host.begin(members, fixed);
                happened.merge(fixed ? "static member starts" : "member starts", 1, Integer::sum);
            }
        }
    }

    GroupRun(long seed, Planted planted) {
        this.sim = new Simulation(seed);
        this.chance = sim.chance();
        this.planted = planted;
        this.referee = new Referee(sim, GROUP);
        sim.faults(draw());
        sim.afterStep(referee::look);
        sim.onBeat(process -> slots.stream()
                .filter(slot -> slot.host != null && slot.host.process() == process)
                .forEach(slot -> slot.host.beats()));
    }

    private Faults draw() {
        long[] between = {1_000, 5_000, 20_000, 100_000};
        Faults faults = new Faults(chance.split(), between[chance.nextInt(between.length)]);
        faults.with(Fault.PREEMPT, 40);
        faults.with(Fault.STOP, pick(0, 1, 4));
        faults.with(Fault.KILL, pick(0, 0, 1, 2));
        faults.with(Fault.KILL_IN_WRITE, pick(0, 0, 1));
        faults.with(Fault.SLOW_CALL, pick(0, 2));
        faults.with(Fault.CLOCK_JUMP, pick(0, 1));
        faults.with(Fault.POWER_CUT, pick(0, 0, 0, 1));
        faults.with(Fault.FAILED_SYNC, pick(0, 0, 0, 0, 1));
        planted.faults(faults);
        return faults;
    }

    private int pick(int... among) {
        return among[chance.nextInt(among.length)];
    }

    /** Small ones, so that journals are rolled. */
    long journalSegmentBytes() {
        return 16_384;
    }

    Simulation simulation() {
        return sim;
    }

    Referee referee() {
        return referee;
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

    /** What a call threw. Some of it is to be expected, after what was done to the machine. */
    void trouble(SimProcess process, MusterException e) {
        sim.note(process + " meets " + e);
        boolean expected = e instanceof TopicDeletedException
                || e instanceof TopicNotFoundException
                || e instanceof GroupDeletedException
                || e instanceof TopicExistsException && calm
                || e.getMessage().contains("the number can only be raised")
                || (e instanceof SyncFailedException || e instanceof StoreIoException)
                        && sim.faults().fired().containsKey(Fault.FAILED_SYNC);
        if (!expected && !process.hasEnded()) {
            sim.fail(new AssertionError("unexpected in " + process, e));
        }
    }

    void run() {
        try {
            setUp();
            chaos();
            calm();
        } finally {
            sim.end();
        }
    }

    // With faults

    private void setUp() {
        partitions = 1 + chance.nextInt(5);
        HostActor admin = new HostActor(this, sim.start("admin"), 99);
        admin.process().spawn("create", () -> {
            LogStore store = admin.open();
            topic = store.create(TOPIC, partitions, settings()).id();
            store.close();
            admin.process().end();
        });
        sim.run(sim.now() + 100 * MILLISECOND);
        int hosts = 2 + chance.nextInt(3);
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
        slots.forEach(slot -> sim.after(chance.nextLong(chance.nextBoolean() ? SECOND : 5 * MILLISECOND), slot::start));
        actLater();
        watchLater();
        sim.run(sim.now() + 3 * SECOND + chance.nextLong(6 * SECOND));
    }

    private void actLater() {
        sim.after(50 * MILLISECOND + chance.nextLong(SECOND), () -> {
            if (!calm) {
                act();
                actLater();
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
        switch (chance.nextInt(10)) {
            case 0, 1 -> {
                happened.merge("leave", 1, Integer::sum);
                slot.host.leave();
            }
            case 2 -> {
                happened.merge("kill", 1, Integer::sum);
                slot.host.process().end();
            }
            case 3 -> slot.host.process().stop(300 * MILLISECOND + chance.nextLong(4 * SECOND));
            case 4 -> sim.jumpWallClock(chance.nextLong(-3_600_000, 3_600_000));
            case 5 ->
                admin("partitions added", store -> {
                    if (partitions < 7) {
                        store.addPartitions(TOPIC, ++partitions);
                    }
                });
            case 6 -> {
                if (chance.nextInt(3) == 0) {
                    remake();
                }
            }
            default -> {}
        }
    }

    /** One at a time, so that it is known which topic there must be. */
    private void remake() {
        if (remaking != null && !remaking.hasEnded()) {
            return;
        }
        remaking = admin("topic made anew", store -> {
            topic = null;
            store.delete(TOPIC);
            topic = store.create(TOPIC, partitions, settings()).id();
        });
    }

    private interface Errand {
        void run(LogStore store);
    }

    private SimProcess admin(String what, Errand errand) {
        happened.merge(what, 1, Integer::sum);
        sim.note(what);
        HostActor admin = new HostActor(this, sim.start("admin"), 99);
        admin.process().spawn("admin", () -> {
            LogStore store = admin.open();
            try {
                errand.run(store);
            } catch (MusterException e) {
                trouble(admin.process(), e);
            }
            store.close();
            admin.process().end();
        });
        return admin.process();
    }

    // Without faults

    private void calm() {
        calm = true;
        sim.faults().on(false);
        sim.processes().forEach(SimProcess::goOn);
        makeTopicIfGone();
        // Who is leaving needs a moment.
        for (int i = 0; i < 50 && slots.stream().anyMatch(slot -> slot.host.isLeaving() && !slot.host.isGone()); i++) {
            sim.run(sim.now() + 100 * MILLISECOND);
        }
        slots.forEach(Slot::start);
        sim.run(sim.now() + Referee.SESSION.plus(Referee.REVOKE).plusSeconds(1).toNanos());
        checkAllOwned();
        long generation = referee.books().generation;
        producing = false;
        sim.run(sim.now() + 2 * SECOND + 500 * MILLISECOND);
        checkAllDone();
        if (referee.books().generation != generation) {
            referee.broken("a rebalance, " + generation + " to " + referee.books().generation
                    + ", although nobody came or went");
        }
    }

    private void makeTopicIfGone() {
        HostActor admin = new HostActor(this, sim.start("admin"), 99);
        admin.process().spawn("admin", () -> {
            LogStore store = admin.open();
            TopicId there = store.find(TOPIC).map(Topic::id).orElse(null);
            if (topic != null && !topic.equals(there)) {
                referee.broken("topic " + topic + " was made and not deleted, but there is " + there);
            }
            if (there == null) {
                try {
                    store.create(TOPIC, partitions, settings());
                } catch (TopicExistsException e) {
                    sim.note("somebody else made it meanwhile");
                }
            } else {
                // Whoever added partitions may have died before telling; the housekeeper would tell in some minutes.
                try {
                    store.alter(TOPIC, settings());
                } catch (MusterException e) {
                    sim.note("not told: " + e.getMessage());
                }
            }
            store.close();
            admin.process().end();
        });
        sim.run(sim.now() + 100 * MILLISECOND);
    }

    private void checkAllOwned() {
        inspect((store, topic) -> {
            for (int i = 0; i < topic.partitions(); i++) {
                String partition = TOPIC + ":" + i;
                String owner = referee.books().owners.get(partition);
                boolean works = slots.stream()
                        .flatMap(slot -> slot.host.members().stream())
                        .anyMatch(member -> owner != null
                                && owner.equals(member.memberId())
                                && member.assigned().stream()
                                        .anyMatch(tp -> (tp.topic() + ":" + tp.partition()).equals(partition)));
                if (!works) {
                    referee.broken(
                            partition + " is owned by " + owner + ", who does not work it, long after the last fault");
                }
            }
        });
    }

    private void checkAllDone() {
        inspect((store, topic) -> {
            referee.checkAllProcessed(topic.id().toString());
            for (int i = 0; i < topic.partitions(); i++) {
                long end = store.log(topic.id(), i).endOffset();
                long committed = referee.books().offsets.getOrDefault(TOPIC + ":" + i, 0L);
                if (committed != end) {
                    referee.broken(TOPIC + ":" + i + " is committed at " + committed + " of " + end
                            + ", although nothing was produced for a while");
                }
            }
        });
    }

    private interface Inspection {
        void look(LogStore store, Topic topic);
    }

    private void inspect(Inspection inspection) {
        HostActor admin = new HostActor(this, sim.start("inspector"), 98);
        admin.process().spawn("inspect", () -> {
            LogStore store = admin.open();
            inspection.look(store, store.find(TOPIC).orElseThrow());
            store.close();
            admin.process().end();
        });
        sim.run(sim.now() + 100 * MILLISECOND);
    }
}
