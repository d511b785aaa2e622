package dev.muster.engine.group;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicReply;
import dev.muster.core.group.classic.ClassicReply.Acknowledgement;
import dev.muster.core.group.classic.ClassicReply.JoinAnswer;
import dev.muster.core.group.classic.ClassicReply.SyncAnswer;
import dev.muster.core.group.classic.ConsumerMetadata;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.Opaque;
import dev.muster.core.group.model.Protocol;
import dev.muster.engine.group.remote.ClassicProtocol;
import dev.muster.engine.group.session.ClassicRequest;
import dev.muster.engine.group.session.ClassicRequest.Identity;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * A consumer like Kafka's classic clients: it joins, assigns if it leads, syncs, sends heartbeats, and joins again when
 * the server asks. It has one request in flight, see {@link #step}. An eager consumer releases all partitions before it
 * joins again; a cooperative one releases those that it was not assigned again.
 */
public final class WireConsumer {
    public static final Duration SESSION = Duration.ofSeconds(10);
    private static final int PARTITIONS = 4;
    private static final TopicName ORDERS = new TopicName("orders");

    private final String group;
    public final String name;
    final Optional<String> instance;
    public Duration heartbeat = Duration.ofSeconds(3);

    private ClassicProtocol server;
    private CompletableFuture<JoinAnswer> joining;
    private CompletableFuture<SyncAnswer> syncing;
    private CompletableFuture<Acknowledgement> beating;
    private long lastBeat;
    public long connection = 1;

    public String id = "";
    public long generation = -1;
    /** Its assignment; null while it is not in a stable generation. */
    public String assignment;

    /** The partitions that it processes at this moment. */
    final SortedSet<TopicPartition> works = new TreeSet<>();

    /** The time that a release needs. */
    Duration effort = Duration.ZERO;

    /** The partitions that it processes after the release in progress; null if no release is in progress. */
    private SortedSet<TopicPartition> taking;

    private long busyUntil;
    boolean cooperative;
    boolean fenced;
    /** The number of generations that it learned of. */
    public int generations;

    WireConsumer cooperative() {
        cooperative = true;
        return this;
    }

    private String protocol() {
        return cooperative ? "cooperative" : "range";
    }

    public WireConsumer(ClassicProtocol server, String group, String name, Optional<String> instance) {
        this.server = server;
        this.group = group;
        this.name = name;
        this.instance = instance;
    }

    public Identity identity() {
        return new Identity(id, instance, generation);
    }

    /** Replaces the connection. Requests over the old one are never answered. */
    public void connect(ClassicProtocol other) {
        server = other;
        connection++;
        boolean waited = joining != null || syncing != null;
        joining = null;
        syncing = null;
        beating = null;
        if (waited) {
            assignment = null;
        }
    }

    public long connection() {
        return connection;
    }

    boolean isServedBy(ClassicProtocol some) {
        return server == some;
    }

    /** Restarts the process, without any state. */
    public void restart() {
        connect(server);
        id = "";
        generation = -1;
        assignment = null;
        taking = null;
        works.clear();
    }

    public boolean stable() {
        return assignment != null && taking == null;
    }

    public void step(long now) {
        if (fenced) {
            return;
        }
        if (taking != null) {
            if (busyUntil - now <= 0) {
                works.clear();
                works.addAll(taking);
                taking = null;
                // A consumer that released partitions joins again, so that another can have them; an eager one joins
                // anyway.
                assignment = null;
            }
        } else if (joining != null) {
            if (joining.isDone()) {
                JoinAnswer answer = joining.join();
                joining = null;
                joined(answer, now);
            }
        } else if (syncing != null) {
            if (syncing.isDone()) {
                SyncAnswer answer = syncing.join();
                syncing = null;
                synced(answer, now);
            }
        } else if (beating != null) {
            if (beating.isDone()) {
                Acknowledgement answer = beating.join();
                beating = null;
                beaten(answer);
            }
        } else if (assignment == null) {
            if (!cooperative && !works.isEmpty()) {
                letGo(Collections.emptySortedSet(), now);
            } else {
                joining = server.join(group, join(connection));
            }
        } else if (now - lastBeat >= heartbeat.toNanos()) {
            lastBeat = now;
            beating = server.heartbeat(group, identity(), connection);
        }
    }

    /** A join over the previous connection that arrives now. */
    public CompletableFuture<JoinAnswer> lateJoin() {
        return server.join(group, join(connection - 1));
    }

    private ClassicRequest.Join join(long over) {
        return new ClassicRequest.Join(
                id,
                instance,
                name,
                "/127.0.0.1",
                SESSION,
                Duration.ofSeconds(20),
                "consumer",
                List.of(new Protocol(protocol(), Opaque.of(metadata().getBytes(StandardCharsets.UTF_8)))),
                Optional.of(new ConsumerMetadata(new TreeSet<>(List.of(ORDERS)), works)),
                true,
                true,
                "",
                over);
    }

    private String metadata() {
        return cooperative ? name + works : name;
    }

    private void joined(JoinAnswer answer, long now) {
        switch (answer) {
            case ClassicReply.Joined joined -> {
                id = joined.member().value();
                generation = joined.generation();
                generations++;
                lastBeat = now;
                boolean assigns = joined.leader().value().equals(id) && !joined.skipAssignment();
                syncing = server.sync(group, assigns ? assignment(joined) : sync(Map.of(), Map.of()));
            }
            case ClassicReply.JoinedModern admitted -> {
                id = admitted.member().value();
                generation = admitted.generation();
                generations++;
                lastBeat = now;
                syncing = server.sync(group, sync(Map.of(), Map.of()));
            }
            case ClassicReply.MemberIdRequired required ->
                id = required.member().value();
            case ClassicReply.Refusal refusal -> refused(refusal);
        }
    }

    private ClassicRequest.Sync sync(Map<MemberId, Opaque> bytes, Map<MemberId, SortedSet<TopicPartition>> partitions) {
        return new ClassicRequest.Sync(
                identity(),
                new ClassicCommand.SyncContent(
                        Optional.of("consumer"), Optional.of(protocol()), bytes, partitions, true));
    }

    private ClassicRequest.Sync assignment(ClassicReply.Joined joined) {
        Map<MemberId, Opaque> bytes = new HashMap<>();
        Map<MemberId, SortedSet<TopicPartition>> partitions = new HashMap<>();
        int count = joined.members().size();
        for (int i = 0; i < count; i++) {
            MemberId member = joined.members().get(i).member();
            SortedSet<TopicPartition> those = new TreeSet<>();
            for (int partition = i; partition < PARTITIONS; partition += count) {
                those.add(new TopicPartition(ORDERS, partition));
            }
            those.removeIf(partition -> isOfAnother(partition, member, joined));
            partitions.put(member, those);
            bytes.put(member, Opaque.of((joined.generation() + ":" + those).getBytes(StandardCharsets.UTF_8)));
        }
        return sync(bytes, partitions);
    }

    /** True if another cooperative member still has the partition: it must release it and join again first. */
    private static boolean isOfAnother(TopicPartition partition, MemberId member, ClassicReply.Joined joined) {
        return joined.members().stream()
                .filter(fellow -> !fellow.member().equals(member))
                .anyMatch(fellow -> read(new String(fellow.metadata().toBytes(), StandardCharsets.UTF_8))
                        .contains(partition));
    }

    private void synced(SyncAnswer answer, long now) {
        switch (answer) {
            case ClassicReply.Assigned assigned -> {
                assignment = new String(assigned.assignment().toBytes(), StandardCharsets.UTF_8);
                lastBeat = now;
                takes(read(assignment), now);
            }
            case ClassicReply.AssignedModern given -> {
                assignment = given.partitions().toString();
                lastBeat = now;
                takes(given.partitions(), now);
            }
            case ClassicReply.Refusal refusal -> refused(refusal);
        }
    }

    private void takes(SortedSet<TopicPartition> given, long now) {
        if (given.containsAll(works)) {
            works.addAll(given);
        } else {
            letGo(given, now);
        }
    }

    private void letGo(SortedSet<TopicPartition> keeps, long now) {
        taking = keeps;
        busyUntil = now + effort.toNanos();
    }

    /** Decodes the result of {@link #assignment(ClassicReply.Joined)}. */
    private static SortedSet<TopicPartition> read(String assignment) {
        SortedSet<TopicPartition> partitions = new TreeSet<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            TopicPartition one = new TopicPartition(ORDERS, partition);
            if (assignment.contains(one.toString())) {
                partitions.add(one);
            }
        }
        return partitions;
    }

    private void beaten(Acknowledgement answer) {
        if (answer instanceof ClassicReply.Refusal refusal) {
            refused(refusal);
        }
    }

    private void refused(ClassicReply.Refusal refusal) {
        assignment = null;
        switch (refusal) {
            case ClassicReply.UnknownMember _, ClassicReply.IllegalGeneration _ -> {
                id = "";
                generation = -1;
                taking = null;
                works.clear();
            }
            case ClassicReply.FencedInstance _ -> fenced = true;
            case ClassicReply.RebalanceInProgress _, ClassicReply.Unavailable _ -> {
                // Joins again with its id.
            }
            default -> throw new AssertionError(name + " is refused: " + refusal);
        }
    }

    public CompletableFuture<Acknowledgement> commit(int partition, long offset) {
        SortedMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        offsets.put(new TopicPartition(ORDERS, partition), new CommittedOffset(offset, 3, "by " + name));
        return server.commit(group, identity(), offsets);
    }

    public CompletableFuture<List<Acknowledgement>> leave() {
        return server.leave(group, List.of(new ClassicCommand.Leaver(identity().id(), instance, "bye")));
    }
}
