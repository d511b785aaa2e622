package dev.muster.simulation;

import dev.muster.core.MemberId;
import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ClassicReply;
import dev.muster.core.group.classic.ConsumerMetadata;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.Opaque;
import dev.muster.core.group.model.Protocol;
import dev.muster.engine.admin.ServedGroups;
import dev.muster.engine.group.remote.ClassicProtocol;
import dev.muster.engine.group.remote.ConsumerProtocol;
import dev.muster.engine.group.remote.RemoteAnswer;
import dev.muster.engine.group.session.ClassicConfig;
import dev.muster.engine.group.session.ClassicRequest;
import dev.muster.engine.group.session.RemoteConfig;
import dev.muster.engine.group.session.RemoteHeartbeat;
import dev.muster.store.LogStore;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionLog;
import dev.muster.store.StoreClosedException;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.batch.BatchDecoder;
import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;
import dev.muster.testkit.sim.SimProcess;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that serves wire clients: the real engine behind a simple server. The server has a thread for each
 * connection, answers in the order of requests, and names topics by their ids.
 */
final class ServerActor {
    static final Duration SESSION = Duration.ofSeconds(2);
    static final Duration GRACE = Duration.ofMillis(300);
    private static final String ROLE = "kafka-server";
    private static final long MILLISECOND = 1_000_000;
    private static final RemoteConfig CONFIG =
            new RemoteConfig(SESSION, Duration.ofMillis(400), Integer.MAX_VALUE, Optional.of(GRACE));
    private static final ClassicConfig CLASSIC = new ClassicConfig(
            SESSION,
            SESSION,
            Integer.MAX_VALUE,
            Duration.ofMillis(50),
            Duration.ofMillis(300),
            Duration.ofSeconds(5),
            Optional.of(GRACE));

    private final HostActor host;
    private final SimProcess process;
    private final GroupRun run;
    private final WireJudge judge;
    private final Map<Network.Connection, Line> lines = new LinkedHashMap<>();
    private LogStore store;
    private ClassicProtocol classic;
    private ServedGroups served;
    private ConsumerProtocol remote;
    private Door door;
    private boolean serving;

    /** The unanswered requests of a connection. */
    private final class Line {
        private final Network.Connection connection;
        private final Deque<WireRequest> requests = new ArrayDeque<>();
        private final Map<WireRequest.Lane, Deque<CompletableFuture<WireAnswer>>> answers =
                new EnumMap<>(WireRequest.Lane.class);
        private Thread thread;
        private boolean ended;

        Line(Network.Connection connection) {
            this.connection = connection;
            for (WireRequest.Lane lane : WireRequest.Lane.values()) {
                answers.put(lane, new ArrayDeque<>());
            }
        }

        void work() {
            while (!host.isLeaving()) {
                WireRequest request = requests.poll();
                if (request != null) {
                    WireRequest.Lane lane = request.lane();
                    CompletableFuture<WireAnswer> answer = begin(connection, request);
                    answers.get(lane).add(answer);
                    answer.whenComplete((_, _) -> answer(lane));
                } else if (ended) {
                    hungUp();
                    return;
                } else {
                    process.pause(1_000 * MILLISECOND);
                }
            }
        }

        /** Sends answers in the order of the requests. */
        private void answer(WireRequest.Lane lane) {
            Deque<CompletableFuture<WireAnswer>> begun = answers.get(lane);
            while (!process.hasEnded() && !begun.isEmpty() && begun.getFirst().isDone()) {
                connection.answer(lane, begun.removeFirst().join());
            }
        }

        private void hungUp() {
            lines.remove(connection);
            judge.theyHungUp(connection.number);
            door.theyHungUp(connection.number);
        }
    }

    /** The calls of a server into the engine. */
    private final class Engine implements Door {
        @Override
        public CompletableFuture<RemoteAnswer> beat(RemoteHeartbeat beat) {
            return remote.beat(GroupRun.GROUP.value(), beat);
        }

        @Override
        public CompletableFuture<RemoteAnswer> commit(
                MemberId member, long epoch, SortedMap<TopicPartition, CommittedOffset> offsets) {
            return remote.commit(GroupRun.GROUP.value(), member, epoch, offsets);
        }

        @Override
        public CompletableFuture<ClassicReply.JoinAnswer> join(ClassicRequest.Join join) {
            return classic.join(GroupRun.GROUP.value(), join);
        }

        @Override
        public CompletableFuture<ClassicReply.SyncAnswer> sync(ClassicRequest.Sync sync) {
            return classic.sync(GroupRun.GROUP.value(), sync);
        }

        @Override
        public CompletableFuture<ClassicReply.Acknowledgement> pulse(ClassicRequest.Identity who, long connection) {
            return classic.heartbeat(GroupRun.GROUP.value(), who, connection);
        }

        @Override
        public CompletableFuture<ClassicReply.Acknowledgement> commit(
                ClassicRequest.Identity who, SortedMap<TopicPartition, CommittedOffset> offsets) {
            return classic.commit(GroupRun.GROUP.value(), who, offsets);
        }

        @Override
        public void theyHungUp(long connection) {
            classic.hungUp(connection);
            remote.hungUp(connection);
        }
    }

    ServerActor(GroupRun run, SimProcess process, int slot, WireJudge judge) {
        this.run = run;
        this.process = process;
        this.judge = judge;
        this.host = new HostActor(run, process, slot);
    }

    HostActor host() {
        return host;
    }

    SimProcess process() {
        return process;
    }

    /** True if clients can connect. */
    boolean isServing() {
        return serving && !process.hasEnded();
    }

    // Life

    void begin() {
        process.spawn("main", () -> {
            try {
                start();
            } catch (MusterException e) {
                run.trouble(process, e);
                process.end();
            }
        });
    }

    private void start() {
        store = host.open();
        Optional<LogStore.Claim> claim = store.claim(ROLE);
        if (claim.isEmpty()) {
            process.simulation().note(process + " finds another server");
            host.service().close();
            store.close();
            process.end();
            return;
        }
        host.openGroup();
        classic = new ClassicProtocol(host.service(), CLASSIC);
        served = new ServedGroups(host.service());
        remote = new ConsumerProtocol(host.service(), CONFIG);
        door = run.planted().door(process, host.service(), new Engine());
        classic.adoptOrphans();
        host.lookAfterGroups();
        judge.serves(this);
        serving = true;
        process.simulation().note(process + " serves");
        while (!host.isLeaving()) {
            process.sleep(50 * MILLISECOND);
        }
        serving = false;
        lines.keySet().forEach(Network.Connection::endByServer);
        claim.get().close();
        host.goes();
    }

    // Connections

    void accepts(Network.Connection connection) {
        Line line = new Line(connection);
        lines.put(connection, line);
        line.thread = process.thread("connection", line::work);
        line.thread.start();
    }

    void receives(Network.Connection connection, WireRequest request) {
        Line line = lines.get(connection);
        if (line != null) {
            line.requests.add(request);
            LockSupport.unpark(line.thread);
        }
    }

    void seesEnd(Network.Connection connection) {
        Line line = lines.get(connection);
        if (line != null && !process.hasEnded()) {
            line.ended = true;
            LockSupport.unpark(line.thread);
        }
    }

    /** Closes a connection from the server's side. */
    void hangUp(Network.Connection connection) {
        if (lines.remove(connection) != null) {
            connection.endByServer();
            process.spawn("hang-up", () -> door.weHungUp(connection.number));
        }
    }

    // Requests

    private CompletableFuture<WireAnswer> begin(Network.Connection connection, WireRequest request) {
        try {
            CompletableFuture<WireAnswer> answer = switch (request) {
                case WireRequest.Beat beat -> beat(connection, beat);
                case WireRequest.Commit commit -> commit(commit);
                case WireRequest.Places places -> places(places);
                case WireRequest.Join join -> join(connection, join);
                case WireRequest.Sync sync -> sync(sync);
                case WireRequest.Pulse pulse -> pulse(connection, pulse);
                case WireRequest.Leave leave -> leave(leave);
                case WireRequest.Fetch fetch -> CompletableFuture.completedFuture(fetch(fetch));
                case WireRequest.Shape shape -> CompletableFuture.completedFuture(shape(shape));
            };
            return answer.exceptionally(this::failed);
        } catch (MusterException e) {
            return CompletableFuture.completedFuture(failed(e));
        }
    }

    private WireAnswer failed(Throwable e) {
        Throwable cause = e instanceof CompletionException ? e.getCause() : e;
        if (cause instanceof StoreClosedException && host.isLeaving()) {
            process.simulation().note(process + " leaves in the middle of a request");
        } else if (cause instanceof MusterException trouble) {
            run.trouble(process, trouble);
        } else if (!process.hasEnded()) {
            process.simulation().fail(new Broken(Invariant.NO_SURPRISE, process + " meets " + cause, cause));
        }
        return new WireAnswer.Failed();
    }

    private CompletableFuture<WireAnswer> beat(Network.Connection connection, WireRequest.Beat asked) {
        RemoteHeartbeat beat = new RemoteHeartbeat(
                Optional.of(asked.member()),
                asked.epoch(),
                asked.instance(),
                asked.topics(),
                Optional.empty(),
                Optional.empty(),
                asked.revoke(),
                asked.owned().map(this::known),
                new RemoteHeartbeat.Caller(asked.member().value(), "/10.0.0.1", connection.number));
        WireJudge.Hearing hearing = judge.hears(asked.member(), connection.number);
        return door.beat(beat).thenApply(answer -> switch (answer) {
            case RemoteAnswer.In in -> {
                judge.tells(hearing, in);
                yield new WireAnswer.Told(
                        in.epoch(), in.pause(), in.partitions().map(this::held));
            }
            case RemoteAnswer.Out _ -> {
                if (asked.epoch() == RemoteHeartbeat.LEAVE) {
                    judge.letsGo(hearing);
                }
                yield new WireAnswer.Out();
            }
            case RemoteAnswer.Refused(var why, var text) -> {
                process.simulation().note(asked.member() + " is refused: " + text);
                yield new WireAnswer.Refused(why);
            }
            case RemoteAnswer.Done _ -> throw new IllegalStateException("not an answer to a heartbeat");
        });
    }

    /** The partitions of existing topics; those of deleted topics are released anyway. */
    private SortedSet<TopicPartition> known(SortedSet<Held> owned) {
        SortedSet<TopicPartition> known = new TreeSet<>();
        owned.stream().filter(held -> topic(held).isPresent()).forEach(held -> known.add(held.partition()));
        return known;
    }

    private SortedSet<Held> held(SortedSet<TopicPartition> partitions) {
        SortedSet<Held> held = new TreeSet<>();
        partitions.forEach(partition ->
                store.find(partition.topic()).ifPresent(topic -> held.add(new Held(topic.id(), partition))));
        return held;
    }

    private Optional<Topic> topic(Held held) {
        return store.find(held.partition().topic())
                .filter(topic -> topic.id().equals(held.topic()))
                .filter(topic -> held.partition().partition() < topic.partitions());
    }

    private CompletableFuture<WireAnswer> commit(WireRequest.Commit asked) {
        SortedMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        asked.offsets()
                .forEach((held, offset) ->
                        topic(held).ifPresent(_ -> offsets.put(held.partition(), new CommittedOffset(offset))));
        if (offsets.isEmpty()) {
            return CompletableFuture.completedFuture(new WireAnswer.Refused(RemoteAnswer.Why.UNAVAILABLE));
        }
        long since = process.simulation().now();
        if (!remote.isMember(GroupRun.GROUP.value(), asked.member().value())) {
            WireJudge.Hearing hearing = judge.hears(asked.member());
            return door.commit(
                            new ClassicRequest.Identity(asked.member().value(), asked.instance(), asked.epoch()),
                            offsets)
                    .thenApply(answer -> switch (answer) {
                        case ClassicReply.Done _ -> {
                            judge.checkGeneration(hearing, asked.epoch());
                            yield committed(asked, since, offsets);
                        }
                        case ClassicReply.Refusal refusal -> no(asked.member(), refusal);
                    });
        }
        return door.commit(asked.member(), asked.epoch(), offsets)
                .thenApply(answer -> answer instanceof RemoteAnswer.Refused(var why, var _)
                        ? new WireAnswer.Refused(why)
                        : committed(asked, since, offsets));
    }

    private WireAnswer committed(
            WireRequest.Commit asked, long since, SortedMap<TopicPartition, CommittedOffset> offsets) {
        offsets.forEach((partition, offset) ->
                judge.commits(asked, since, partition.topic() + ":" + partition.partition(), offset.offset()));
        return new WireAnswer.Committed();
    }

    // By the classic protocol

    private WireAnswer no(MemberId member, ClassicReply.Refusal refusal) {
        process.simulation().note(member + " is refused: " + refusal.text());
        return new WireAnswer.No(refusal);
    }

    private CompletableFuture<WireAnswer> join(Network.Connection connection, WireRequest.Join asked) {
        ClassicRequest.Join join = new ClassicRequest.Join(
                asked.member(),
                asked.instance(),
                asked.client(),
                "/10.0.0.1",
                SESSION,
                ClassicClient.REBALANCE,
                ClassicGroup.CONSUMER,
                List.of(new Protocol(asked.protocol(), asked.words().bytes())),
                Optional.of(new ConsumerMetadata(asked.topics(), asked.words().owned())),
                true,
                true,
                "",
                connection.number);
        WireJudge.Waiting waiting = judge.waits(asked.member(), connection, process);
        return door.join(join).thenApply(answer -> switch (answer) {
            case ClassicReply.Joined joined -> {
                SortedMap<String, MemberMetadata> fellows = new TreeMap<>();
                if (!joined.skipAssignment()) {
                    joined.members()
                            .forEach(fellow -> fellows.put(fellow.member().value(), words(fellow, joined)));
                }
                boolean leads = joined.leader().equals(joined.member());
                judge.admits(waiting, joined.member(), joined.generation(), !fellows.isEmpty());
                yield new WireAnswer.Joined(joined.member().value(), joined.generation(), leads, fellows);
            }
            case ClassicReply.JoinedModern(var member, var generation, var _) -> {
                judge.admits(waiting, member, generation, false);
                yield new WireAnswer.Joined(member.value(), generation, false, new TreeMap<>());
            }
            case ClassicReply.Refusal refusal -> {
                judge.isAnswered(waiting);
                process.simulation().note(asked.client() + " is refused: " + refusal.text());
                yield new WireAnswer.No(refusal);
            }
        });
    }

    private static MemberMetadata words(ClassicReply.MemberMetadata fellow, ClassicReply.Joined joined) {
        MemberMetadata said = MemberMetadata.of(fellow.metadata());
        return fellow.resumed() && !said.owned().isEmpty()
                ? new MemberMetadata(joined.generation() - 1, said.owned())
                : said;
    }

    private CompletableFuture<WireAnswer> sync(WireRequest.Sync asked) {
        Map<MemberId, Opaque> bytes = new HashMap<>();
        Map<MemberId, SortedSet<TopicPartition>> assignment = new HashMap<>();
        asked.assignment().forEach((member, partitions) -> {
            assignment.put(new MemberId(member), partitions);
            bytes.put(new MemberId(member), MemberMetadata.assignment(partitions));
        });
        ClassicRequest.Sync sync = new ClassicRequest.Sync(
                new ClassicRequest.Identity(asked.member().value(), asked.instance(), asked.generation()),
                new ClassicCommand.SyncContent(
                        Optional.of(ClassicGroup.CONSUMER), Optional.of(asked.protocol()), bytes, assignment, true));
        WireJudge.Hearing hearing = judge.hears(asked.member());
        return door.sync(sync).thenApply(answer -> switch (answer) {
            case ClassicReply.Assigned assigned -> {
                SortedSet<TopicPartition> partitions = MemberMetadata.assignment(assigned.assignment());
                judge.assigns(hearing, partitions);
                yield new WireAnswer.Assigned(partitions);
            }
            case ClassicReply.AssignedModern(var _, var partitions) -> {
                judge.gives(hearing, asked.generation(), partitions);
                yield new WireAnswer.Assigned(partitions);
            }
            case ClassicReply.Refusal refusal -> no(asked.member(), refusal);
        });
    }

    private CompletableFuture<WireAnswer> pulse(Network.Connection connection, WireRequest.Pulse asked) {
        WireJudge.Hearing hearing = judge.hears(asked.member());
        var who = new ClassicRequest.Identity(asked.member().value(), asked.instance(), asked.generation());
        return door.pulse(who, connection.number).thenApply(answer -> switch (answer) {
            case ClassicReply.Done _ -> {
                judge.lives(hearing, connection.number);
                judge.letsGoOn(hearing);
                yield new WireAnswer.GoOn();
            }
            case ClassicReply.RebalanceInProgress called -> {
                judge.lives(hearing, connection.number);
                yield no(asked.member(), called);
            }
            case ClassicReply.Refusal refusal -> no(asked.member(), refusal);
        });
    }

    private CompletableFuture<WireAnswer> leave(WireRequest.Leave asked) {
        WireJudge.Hearing hearing = judge.hears(asked.member());
        var leaver = new ClassicCommand.Leaver(Optional.of(asked.member()), Optional.empty(), "");
        return classic.leave(GroupRun.GROUP.value(), List.of(leaver)).thenApply(answers -> switch (answers.getFirst()) {
            case ClassicReply.Done _ -> {
                judge.letsGo(hearing);
                yield new WireAnswer.Out();
            }
            case ClassicReply.Refusal refusal -> no(asked.member(), refusal);
        });
    }

    // Records

    private CompletableFuture<WireAnswer> places(WireRequest.Places asked) {
        Optional<RemoteAnswer.Refused> refusal = asked.member()
                .flatMap(member -> remote.mayFetch(GroupRun.GROUP.value(), member.value(), asked.epoch()));
        if (refusal.isPresent()) {
            return CompletableFuture.completedFuture(
                    new WireAnswer.Refused(refusal.get().why()));
        }
        return served.offsets(GroupRun.GROUP.value()).thenApply(all -> {
            SortedMap<Held, Long> found = new TreeMap<>();
            for (Held held : asked.partitions()) {
                if (topic(held).isPresent() && all.containsKey(held.partition())) {
                    found.put(held, all.get(held.partition()).offset().offset());
                }
            }
            return new WireAnswer.Places(found);
        });
    }

    private WireAnswer shape(WireRequest.Shape asked) {
        Optional<Topic> topic = store.find(asked.topic());
        return new WireAnswer.Shape(
                topic.map(Topic::id), topic.map(Topic::partitions).orElse(0));
    }

    private WireAnswer fetch(WireRequest.Fetch asked) {
        List<WireAnswer.Fetched> records = new ArrayList<>();
        try {
            PartitionLog log = store.log(
                    asked.partition().topic(), asked.partition().partition().partition());
            try (LogReader reader = log.reader(asked.offset())) {
                LogSlice slice = reader.read(256);
                while (records.isEmpty() && !slice.isEmpty()) {
                    BatchDecoder decoder = BatchDecoder.over(slice.bytes());
                    while (decoder.next()) {
                        if (decoder.offset() >= asked.offset()) {
                            records.add(new WireAnswer.Fetched(
                                    decoder.offset(),
                                    ByteBuffer.wrap(decoder.value()).getLong()));
                        }
                    }
                    if (records.isEmpty()) {
                        // The last offsets of the batch are unused: the next batch has the records.
                        slice = reader.read(256);
                    }
                }
                return new WireAnswer.Records(records);
            }
        } catch (OffsetOutOfRangeException | TopicNotFoundException | TopicDeletedException e) {
            return new WireAnswer.Failed();
        }
    }

    @Override
    public String toString() {
        return process.toString();
    }
}
