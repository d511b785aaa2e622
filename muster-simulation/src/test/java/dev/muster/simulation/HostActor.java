package dev.muster.simulation;

import dev.muster.core.CompressionKind;
import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.core.assign.Assignor;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Decision;
import dev.muster.core.group.model.Subscription;
import dev.muster.disk.Disk;
import dev.muster.engine.group.service.GroupService;
import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.BatchBuilder;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.file.host.ProcessIdentity;
import dev.muster.store.runtime.StoreRuntime;
import dev.muster.testkit.sim.SimProcess;
import dev.muster.testkit.sim.Simulation;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** A process that opens the directory, has members in the group, and produces records. */
final class HostActor {
    private static final long MILLISECOND = 1_000_000;
    private static final long NAP_NANOS = 500_000;

    private final GroupRun run;
    private final Simulation sim;
    private final SimProcess process;
    private final int slot;
    private final ProcessIdentity identity;
    private final List<MemberActor> members = new ArrayList<>();
    private final List<long[]> silences = new ArrayList<>();
    private LogStore store;
    private GroupService service;
    private Thread stepper;
    private boolean woken;
    private boolean leaving;
    private boolean closed;
    private int threads;
    private long lastBeat;

    HostActor(GroupRun run, SimProcess process, int slot) {
        this.run = run;
        this.sim = process.simulation();
        this.process = process;
        this.slot = slot;
        long pid = 100L + slot;
        this.identity = run.planted()
                .identity(
                        new ProcessIdentity(
                                sim.bootId(),
                                pid,
                                sim.now(),
                                new UUID(sim.chance().nextLong(), sim.chance().nextLong())),
                        slot);
        run.referee().host(this, identity.hostId().value());
        this.lastBeat = sim.now();
    }

    SimProcess process() {
        return process;
    }

    List<MemberActor> members() {
        return members;
    }

    GroupRun run() {
        return run;
    }

    GroupService service() {
        return service;
    }

    boolean isLeaving() {
        return leaving;
    }

    /** True if the process is dead, or has closed the directory. */
    boolean isGone() {
        return process.hasEnded() || closed;
    }

    // Signs of life

    void beats() {
        if (sim.now() - lastBeat > Referee.HEARTBEAT.toNanos() * 3 / 2) {
            silences.add(new long[] {lastBeat, sim.now()});
        }
        lastBeat = sim.now();
    }

    long lastBeat() {
        return lastBeat;
    }

    /** True if it gave no sign of life for this time, within the given period. */
    boolean wasSilent(long nanos, long within) {
        return sim.now() - lastBeat >= nanos
                || silences.stream()
                        .anyMatch(silence -> silence[1] - silence[0] >= nanos && sim.now() - silence[1] <= within);
    }

    // Steps

    void begin(int memberCount, boolean fixed, Subscription subscription) {
        process.spawn("main", () -> {
            open();
            openGroup();
            threads = memberCount + 1;
            for (int i = 0; i < memberCount; i++) {
                Optional<String> instance = fixed ? Optional.of("fixed-" + slot + "-" + i) : Optional.empty();
                MemberActor member = new MemberActor(this, "m" + slot + "-" + i, instance, subscription);
                members.add(member);
                process.spawn("member-" + i, () -> {
                    member.run();
                    done();
                });
            }
            process.spawn("producer", () -> {
                produce();
                done();
            });
            lookAfterGroups();
        });
    }

    /** Does the background work for its groups. */
    void lookAfterGroups() {
        stepper = process.thread("groups", this::step);
        stepper.start();
    }

    /** Stops all members, which leave the group, and closes the store. */
    void leave() {
        leaving = true;
    }

    private void done() {
        threads--;
        if (threads == 0) {
            goes();
        }
    }

    /** Ends the process in good order. */
    void goes() {
        closed = true;
        service.close();
        store.close();
        process.end();
    }

    LogStore open() {
        Disk disk = run.planted().disk(process, process.disk());
        FileStoreOptions options = new FileStoreOptions(
                disk,
                identity,
                new StoreRuntime(new WallClock(), disk.machine()::nanoTime, disk.machine()::newId),
                false,
                true,
                true,
                run.planted().lockPatience(),
                Duration.ofSeconds(30),
                run.journalSegmentBytes());
        store = run.seen(process, FileStore.open(GroupRun.DIRECTORY, options));
        service = new GroupService(store, new World(), this::wake);
        return store;
    }

    /**
     * Opens the group before several threads could do so at once: they would wait for each other outside of the
     * simulation.
     */
    void openGroup() {
        while (true) {
            try {
                service.open(GroupRun.GROUP);
                return;
            } catch (MusterException e) {
                run.trouble(process, e);
                process.sleep(10 * MILLISECOND);
            }
        }
    }

    private void wake() {
        woken = true;
        if (stepper != null) {
            LockSupport.unpark(stepper);
        }
    }

    private void step() {
        while (!leaving || threads > 0) {
            woken = false;
            long next = stepOnce();
            if (woken) {
                process.pause(NAP_NANOS);
            }
            for (long left = next - process.nanoTime(); left > 0 && !woken; left = next - process.nanoTime()) {
                process.pause(left);
            }
        }
    }

    /** As the thread of the engine does, which tries again after a failure. */
    private long stepOnce() {
        long now = process.nanoTime();
        try {
            return service.step(now);
        } catch (MusterException e) {
            run.trouble(process, e);
            return now + 100 * MILLISECOND;
        }
    }

    // Producing

    private void produce() {
        while (!leaving) {
            process.sleep(30 * MILLISECOND + sim.chance().nextLong(500 * MILLISECOND));
            if (run.producing() && !leaving) {
                try {
                    produceSome();
                } catch (MusterException e) {
                    run.trouble(process, e);
                }
            }
        }
    }

    private void produceSome() {
        Topic topic = store.find(run.anyTopic().name()).orElse(null);
        if (topic == null) {
            return;
        }
        int partition = sim.chance().nextInt(topic.partitions());
        PartitionLog log = store.log(topic.id(), partition);
        int count = 1 + sim.chance().nextInt(3);
        BatchBuilder builder = new BatchBuilder(new byte[1024], CompressionKind.NONE);
        for (int i = 0; i < count; i++) {
            byte[] value = ByteBuffer.allocate(Long.BYTES)
                    .putLong(run.referee().sends(topic.id(), partition))
                    .array();
            if (!builder.tryAppend(sim.wallMillis(), null, value, List.of())) {
                throw new IllegalStateException("there is room");
            }
        }
        EncodedBatch batch = builder.finish(BatchHeader.NO_PRODUCER, (short) -1, -1);
        long offset = log.append(batch);
        log.awaitDurable(offset + count);
        run.referee().produced(topic.id(), partition, offset, count);
    }

    /** Time, names and threads of this process. */
    private final class World implements GroupRuntime {
        @Override
        public long nanoTime() {
            return run.planted().nanoTime(process);
        }

        @Override
        public long wallMillis() {
            return sim.wallMillis();
        }

        @Override
        public String freshName() {
            return process + "-" + process.freshName();
        }

        @Override
        public void inBackground(Runnable work) {
            process.spawn("work", work);
        }

        @Override
        public <T> T blocking(Supplier<T> call) {
            return call.get();
        }

        @Override
        public int snapshotEvery() {
            return run.snapshotEvery();
        }

        @Override
        public Decision decide(Group group, Command command, Map<String, Assignor> assignors) {
            return run.planted().decide(group, command, assignors);
        }
    }

    private final class WallClock extends Clock {
        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(sim.wallMillis());
        }

        @Override
        public long millis() {
            return sim.wallMillis();
        }
    }

    @Override
    public String toString() {
        return process.toString();
    }
}
