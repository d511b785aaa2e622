package dev.muster.simulation;

import dev.muster.core.MemberId;
import dev.muster.core.MusterException;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.Timing;
import dev.muster.engine.group.member.GroupHooks;
import dev.muster.engine.group.member.GroupReader;
import dev.muster.engine.group.member.GroupSink;
import dev.muster.engine.group.member.MemberOptions;
import dev.muster.engine.read.ReadErrorPolicy;
import dev.muster.store.DamagedLogException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.BatchDecoder;
import dev.muster.testkit.sim.SimProcess;
import dev.muster.testkit.sim.Simulation;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** A member that polls, processes and commits until its process leaves. */
final class MemberActor implements GroupHooks, GroupSink {
    private static final long MILLISECOND = 1_000_000;
    private static final int RECORDS_MAX = 10;

    private final HostActor host;
    private final SimProcess process;
    private final Simulation sim;
    private final String name;
    private final Optional<String> instance;
    private final Subscription subscription;
    private final boolean autoCommits;
    private final boolean acks;
    private final List<Taken> taken = new ArrayList<>();
    /** Offsets that are processed and not committed. */
    private final Map<TopicPartition, Long> open = new TreeMap<>();

    private final Set<String> inHand = new LinkedHashSet<>();
    private GroupReader reader;
    private long callSince;
    private String call = "";
    private boolean fenced;

    /** A record in hand. */
    private record Taken(TopicPartition partition, long offset, long number) {}

    MemberActor(HostActor host, String name, Optional<String> instance, Subscription subscription) {
        this.host = host;
        this.process = host.process();
        this.sim = process.simulation();
        this.name = name;
        this.instance = instance;
        this.subscription = subscription;
        this.autoCommits = sim.chance().nextInt(3) == 0;
        this.acks = autoCommits && sim.chance().nextBoolean();
    }

    HostActor host() {
        return host;
    }

    /** The member id; null if it is not in the group. */
    String memberId() {
        MemberId id = reader == null ? null : reader.member().id();
        return id == null ? null : id.value();
    }

    /** The partitions, with the ids of their topics, of the records in hand. */
    Set<String> inHand() {
        return inHand;
    }

    SortedSet<TopicPartition> assigned() {
        return reader == null ? new TreeSet<>() : reader.commits().partitions();
    }

    /** The time since which it waits for a call; 0 if it does not. */
    long callSince() {
        return callSince;
    }

    String call() {
        return call;
    }

    boolean isFenced() {
        return fenced;
    }

    private interface Call {
        void make();
    }

    private boolean during(String what, Call work) {
        call = what;
        callSince = sim.now();
        try {
            work.make();
            return true;
        } catch (Fenced e) {
            fenced = true;
            return false;
        } catch (MusterException e) {
            host.run().trouble(process, e);
            return false;
        } finally {
            callSince = 0;
        }
    }

    void run() {
        MemberOptions options = new MemberOptions(
                GroupRun.GROUP,
                instance,
                name,
                subscription,
                new Timing(Referee.SESSION, Referee.REVOKE),
                Referee.HEARTBEAT,
                Duration.ofSeconds(20),
                "sticky");
        GroupReader.Policy policy = new GroupReader.Policy(
                PartitionLog::startOffset,
                acks,
                autoCommits ? Optional.of(Duration.ofMillis(300)) : Optional.empty(),
                new FromStart());
        reader = new GroupReader(host.service(), options, policy, this);
        while (!host.isLeaving() && !fenced) {
            taken.clear();
            boolean polled = during("poll", () -> reader.poll(RECORDS_MAX, 0, this));
            if (memberId() != null) {
                host.run().referee().mayLook();
            }
            if (polled && !taken.isEmpty()) {
                work();
            } else {
                commitOpen();
                process.sleep(MILLISECOND + sim.chance().nextLong(60 * MILLISECOND));
            }
            if (sim.chance().nextInt(20) == 0) {
                during(
                        "look",
                        () -> host.run()
                                .referee()
                                .sees(host.service().open(GroupRun.GROUP).newest()));
            }
        }
        during("close", reader::close);
        reader = null;
    }

    private void work() {
        Map<String, String> places = new LinkedHashMap<>();
        taken.forEach(record -> places.put(
                record.partition.topic() + ":" + record.partition.partition(),
                host.run().referee().place(record.number)));
        host.run().referee().handsOut(this, places);
        inHand.addAll(places.values());
        process.sleep(
                sim.chance().nextInt(8) == 0
                        ? sim.chance().nextLong(700 * MILLISECOND)
                        : sim.chance().nextLong(10 * MILLISECOND));
        Map<TopicPartition, Long> next = new TreeMap<>();
        for (Taken record : taken) {
            host.run().referee().processed(record.number, record.offset);
            next.put(record.partition, record.offset + 1);
            if (acks) {
                reader.commits().acknowledge(record.partition, record.offset);
            }
        }
        open.putAll(next);
        if (sim.chance().nextInt(5) > 0) {
            commitOpen();
        }
        inHand.clear();
    }

    private void commitOpen() {
        if (!autoCommits && !open.isEmpty()) {
            during("commit", () -> commit(new TreeMap<>(open)));
        }
    }

    private void commit(Map<TopicPartition, Long> next) {
        String id = memberId();
        open.clear();
        if (reader.commits().commit(next) instanceof Reply.Done) {
            next.forEach((partition, offset) ->
                    host.run().referee().acknowledged(id, partition.topic() + ":" + partition.partition(), offset));
        }
    }

    // Callbacks of the reader

    @Override
    public void accept(TopicPartition from, BatchDecoder record) {
        taken.add(
                new Taken(from, record.offset(), ByteBuffer.wrap(record.value()).getLong()));
    }

    @Override
    public void withdraw() {
        taken.clear();
    }

    @Override
    public void assigned(long generation, SortedSet<TopicPartition> partitions) {
        host.run().referee().actsOn(memberId(), generation);
        open.keySet().removeAll(partitions);
        host.run().planted().assigned(process, reader, partitions);
    }

    @Override
    public SortedSet<TopicPartition> revoked(long generation, SortedSet<TopicPartition> partitions) {
        open.keySet().removeAll(partitions);
        return partitions;
    }

    @Override
    public void lost(long generation, SortedSet<TopicPartition> partitions) {
        open.keySet().removeAll(partitions); // the next owner begins at the commit
    }

    @Override
    public RuntimeException fenced(String why) {
        return new Fenced(why);
    }

    /** Another process joined with our instance id. */
    private static final class Fenced extends RuntimeException {
        private static final long serialVersionUID = 1;

        Fenced(String why) {
            super(why);
        }
    }

    private static final class FromStart implements ReadErrorPolicy {
        @Override
        public long outOfRange(PartitionLog log, OffsetOutOfRangeException problem) {
            return log.startOffset();
        }

        @Override
        public long damaged(PartitionLog log, DamagedLogException problem) {
            throw problem;
        }
    }

    @Override
    public String toString() {
        return name + " of " + process;
    }
}
