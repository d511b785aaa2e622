package dev.muster.engine.group.remote;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicReply;
import dev.muster.core.group.classic.ClassicReply.Acknowledgement;
import dev.muster.core.group.classic.ClassicReply.JoinAnswer;
import dev.muster.core.group.classic.ClassicReply.SyncAnswer;
import dev.muster.core.group.classic.ClassicSpec;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Decision;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.Member;
import dev.muster.engine.group.replica.GroupReplica;
import dev.muster.engine.group.service.GroupAccess;
import dev.muster.engine.group.service.GroupService;
import dev.muster.engine.group.service.GroupWatch;
import dev.muster.engine.group.session.ClassicConfig;
import dev.muster.engine.group.session.ClassicRequest;
import dev.muster.engine.group.session.ClassicRequest.Identity;
import dev.muster.engine.group.session.ClassicSession;
import dev.muster.engine.group.session.ClassicSessions;
import dev.muster.engine.group.topics.TopicCache;
import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.group.GroupDeletedException;
import java.lang.System.Logger.Level;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Serves clients of Kafka's classic protocol in classic and modern groups, with one method per request of a network
 * door. Safe for many threads.
 *
 * <p>A refusal is an answer. A future fails only if the store failed. An answered change is durable; a join or a sync
 * may wait for long. A client whose connection ends keeps its place and its request until its session expires.
 */
public final class ClassicProtocol implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ClassicProtocol.class.getName());

    private final GroupService service;
    private final GroupAccess access;
    private final ClassicConfig config;
    private final GroupRuntime runtime;
    private final TopicCache topics;
    private final HostId self;
    private final Set<ClassicSessions> allSessions = ConcurrentHashMap.newKeySet();

    public ClassicProtocol(GroupService service, ClassicConfig config) {
        this.service = service;
        this.access = new GroupAccess(service);
        this.config = config;
        this.runtime = service.runtime();
        this.topics = new TopicCache(service.store());
        this.self = service.self();
    }

    /**
     * Adopts the members of dead servers, in all groups. Each has one session from now on to give a sign of life.
     * Called when a server starts, before it accepts clients.
     */
    public void adoptOrphans() {
        for (GroupName name : service.list()) {
            try {
                service.find(name).ifPresent(this::adoptOrphans);
            } catch (RuntimeException e) {
                // An unreadable group must not prevent the service of other groups.
                LOG.log(Level.WARNING, "group {0} cannot be taken over: {1}", name, e.getMessage());
            }
        }
    }

    private void adoptOrphans(GroupReplica replica) {
        Group group = replica.newest().group();
        Set<HostId> servers = new HashSet<>();
        group.classic()
                .members()
                .values()
                .forEach(member -> servers.add(member.spec().host()));
        boolean away = group.classic().hasAwayMember();
        for (Member member : group.members().values()) {
            if (member.spec().remote()) {
                servers.add(member.spec().host());
                away |= member.away().isPresent();
            }
        }
        servers.removeIf(host -> host.equals(self) || !service.isGone(host));
        if (!servers.isEmpty() || away) {
            sessions(replica);
            service.watch(replica).remoteSessions();
            replica.propose(new Command.Adopt(self, servers));
        }
    }

    // Membership

    public CompletableFuture<JoinAnswer> join(String group, ClassicRequest.Join request) {
        Optional<GroupName> name = GroupAccess.name(group);
        if (name.isEmpty()) {
            return answer(invalid(group));
        }
        if (request.session().compareTo(config.sessionMin()) < 0
                || request.session().compareTo(config.sessionMax()) > 0) {
            return answer(new ClassicReply.InvalidSession("a session of " + request.session() + " is not between "
                    + config.sessionMin() + " and " + config.sessionMax() + ", which this server allows"));
        }
        if (!request.member().isEmpty() && access.find(group).isEmpty()) {
            return answer(unknown());
        }
        return join(name.get(), request, true);
    }

    private CompletableFuture<JoinAnswer> join(GroupName name, ClassicRequest.Join request, boolean again) {
        GroupReplica replica = access.open(name);
        ClassicSessions sessions = sessions(replica);
        ClassicCommand.Join join = command(request);
        MemberId id = join.spec().id();
        Set<TopicName> names = join.spec().topics().orElse(Collections.emptySortedSet());
        ClassicSession said = sessions.noteJoin(id, request);
        // A join reports released partitions, and only the last report is valid.
        return replica.submit(state -> isMember(state, id) && sessions.isOld(id, said)
                        ? null
                        : new Command.Classic(join, topics.of(names)))
                .thenCompose(reply -> {
                    if (reply instanceof Reply.Done) {
                        return answer(new ClassicReply.RebalanceInProgress(
                                "a newer request of this member arrived over another connection; join again"));
                    }
                    return switch (classic(reply)) {
                        case ClassicReply.JoinParked parked ->
                            sessions.parkJoin(id, parked.instance(), request.connection());
                        case ClassicReply.Joined joined -> {
                            sessions.noteSign(id);
                            yield access.whenDurable(replica, replica.known(), (JoinAnswer) joined);
                        }
                        case ClassicReply.Unavailable _
                        when again -> {
                            // The group was deleted at this moment: the join begins a new one.
                            service.delete(replica);
                            yield join(name, request, false);
                        }
                        case ClassicReply.Refusal refusal -> {
                            sessions.forget(id, said);
                            yield answer(refusal);
                        }
                        default -> throw unexpected(classic(reply));
                    };
                });
    }

    /** True if the client is a member. A request of another client cannot be outdated. */
    private static boolean isMember(Group group, MemberId id) {
        return group.members().containsKey(id) || group.classic().member(id).isPresent();
    }

    private ClassicCommand.Join command(ClassicRequest.Join request) {
        Optional<MemberId> known =
                request.member().isEmpty() ? Optional.empty() : Optional.of(new MemberId(request.member()));
        ClassicSpec spec = new ClassicSpec(
                known.orElseGet(
                        () -> new MemberId(request.instance().orElse(request.client()) + "-" + runtime.freshName())),
                request.instance(),
                request.client(),
                request.address(),
                self,
                request.session(),
                request.rebalance(),
                request.protocolType(),
                request.protocols(),
                request.reading());
        return new ClassicCommand.Join(
                known,
                spec,
                request.idRequired(),
                request.maySkip(),
                request.reason(),
                new ClassicCommand.Limits(config.sizeMax(), config.settle(), config.settleMax()));
    }

    public CompletableFuture<SyncAnswer> sync(String group, ClassicRequest.Sync request) {
        Optional<GroupReplica> replica = access.find(group);
        if (replica.isEmpty()) {
            return answer(unknown());
        }
        Optional<ClassicCommand.Caller> caller = caller(request.who());
        if (caller.isEmpty()) {
            return answer(stranger(replica.get(), request.who()));
        }
        ClassicSessions sessions = sessions(replica.get());
        SortedSet<TopicName> names = new TreeSet<>();
        request.content().partitions().values().forEach(those -> those.forEach(one -> names.add(one.topic())));
        var sync = new ClassicCommand.Sync(caller.get(), request.content());
        return ask(replica.get(), sync, names).thenCompose(reply -> switch (reply) {
            case ClassicReply.SyncParked parked ->
                sessions.parkSync(caller.get().withInstance(parked.instance()));
            case ClassicReply.Assigned assigned -> {
                sessions.noteSign(caller.get().member());
                yield access.whenDurable(replica.get(), replica.get().known(), (SyncAnswer) assigned);
            }
            case ClassicReply.Refusal refusal -> answer(refusal);
            default -> throw unexpected(reply);
        });
    }

    /** @param connection the number of the connection */
    public CompletableFuture<Acknowledgement> heartbeat(String group, Identity who, long connection) {
        Optional<GroupReplica> replica = access.find(group);
        if (replica.isEmpty()) {
            return answer(unknown());
        }
        Optional<ClassicCommand.Caller> caller = caller(who);
        if (caller.isEmpty()) {
            return answer(stranger(replica.get(), who));
        }
        var heartbeat = new ClassicCommand.Heartbeat(caller.get());
        ClassicSessions sessions = sessions(replica.get());
        return quietly(replica.get(), heartbeat).thenApply(reply -> {
            if (reply instanceof ClassicReply.Done || reply instanceof ClassicReply.RebalanceInProgress) {
                sessions.noteSign(caller.get().member(), connection);
            }
            if (reply instanceof ClassicReply.Done
                    && sessions.shouldComeBack(replica.get().newest().group(), caller.get())) {
                return new ClassicReply.RebalanceInProgress(
                        "the member's partitions differ from its assignment; join again");
            }
            return acknowledgement(reply);
        });
    }

    /** Submits a command that usually changes nothing. Without a change nothing is written, and no sync is awaited. */
    private CompletableFuture<ClassicReply> quietly(GroupReplica replica, ClassicCommand command) {
        try {
            Decision decision =
                    replica.newest().group().decide(new Command.Classic(command, new TreeMap<>()), Map.of());
            return decision.events().isEmpty()
                    ? CompletableFuture.completedFuture(noting(replica, command, classic(decision.reply())))
                    : ask(replica, command, Set.of());
        } catch (GroupDeletedException e) {
            return answer(unknown());
        }
    }

    /** @return one answer per leaver, in their order */
    public CompletableFuture<List<Acknowledgement>> leave(String group, List<ClassicCommand.Leaver> leavers) {
        Optional<GroupReplica> replica = access.find(group);
        if (replica.isEmpty()) {
            return CompletableFuture.completedFuture(
                    leavers.stream().map(any -> (Acknowledgement) unknown()).toList());
        }
        return ask(replica.get(), new ClassicCommand.Leave(leavers), Set.of()).thenCompose(reply -> switch (reply) {
            case ClassicReply.Left(var answers) ->
                access.whenDurable(replica.get(), replica.get().known(), answers);
            case ClassicReply.Refusal refusal ->
                CompletableFuture.completedFuture(Collections.nCopies(leavers.size(), (Acknowledgement) refusal));
            default -> throw unexpected(reply);
        });
    }

    // Committing

    /**
     * Commits offsets. The commit is durable when the future completes.
     *
     * @param offsets offsets of existing partitions, as the caller has checked
     */
    public CompletableFuture<Acknowledgement> commit(
            String group, Identity who, SortedMap<TopicPartition, CommittedOffset> offsets) {
        Optional<GroupName> name = GroupAccess.name(group);
        if (name.isEmpty()) {
            return answer(invalid(group));
        }
        Optional<ClassicCommand.Caller> caller = caller(who);
        // Without members, the identity of a request without a generation does not matter.
        boolean simple = who.generation() < 0
                && (who.instance().isEmpty()
                        || access.find(group)
                                .filter(replica ->
                                        replica.newest().group().classic().inUse())
                                .isEmpty());
        if (caller.isEmpty() && !simple) {
            return answer(
                    access.find(group).map(replica -> stranger(replica, who)).orElseGet(ClassicProtocol::unknown));
        }
        if (who.generation() >= 0 && access.find(group).isEmpty()) {
            return answer(new ClassicReply.IllegalGeneration("there is no group \"" + group
                    + "\", so there is no generation " + who.generation() + "; join again"));
        }
        if (offsets.isEmpty() && access.find(group).isEmpty()) {
            // An empty commit must not create a group.
            return CompletableFuture.completedFuture(new ClassicReply.Done());
        }
        SortedSet<TopicName> names = new TreeSet<>();
        offsets.keySet().forEach(partition -> names.add(partition.topic()));
        GroupReplica replica = access.open(name.get());
        return ask(replica, new ClassicCommand.Commit(caller, offsets), names).thenApply(reply -> {
            if (reply instanceof ClassicReply.Done && caller.isPresent()) {
                sessions(replica).noteSign(caller.get().member());
            }
            return acknowledgement(reply);
        });
    }

    /** Notes that a client closed its connection. Its member has only a grace to come back. */
    public void hungUp(long connection) {
        allSessions.removeIf(sessions -> service.known(sessions.group())
                .filter(watch -> watch.classicSessions() == sessions)
                .isEmpty());
        for (ClassicSessions sessions : allSessions) {
            if (sessions.liveness().hungUp(connection)) {
                service.known(sessions.group()).ifPresent(GroupWatch::hungUp);
            }
        }
    }

    /** Refuses all parked requests, because the server stops. Members keep their place for a session. */
    @Override
    public void close() {
        allSessions.forEach(ClassicSessions::dismissAll);
    }

    // Pieces

    private ClassicSessions sessions(GroupReplica replica) {
        ClassicSessions sessions = service.watch(replica).classicSessions();
        sessions.joinMax(config.joinMax());
        sessions.liveness().grace(config.grace());
        allSessions.add(sessions);
        return sessions;
    }

    private Optional<ClassicCommand.Caller> caller(Identity who) {
        return who.id().map(id -> new ClassicCommand.Caller(id, who.instance(), who.generation(), self));
    }

    private static boolean hasInstance(Group group, String instance) {
        return group.classic().instance(instance).isPresent()
                || group.members().values().stream()
                        .anyMatch(member -> member.spec().instance().equals(Optional.of(instance)));
    }

    /** The refusal of a request without a member id, in a group whose members have ids. */
    private static ClassicReply.Refusal stranger(GroupReplica replica, Identity who) {
        boolean taken = who.instance()
                .filter(instance -> hasInstance(replica.newest().group(), instance))
                .isPresent();
        return taken
                ? new ClassicReply.FencedInstance("a member has instance id \""
                        + who.instance().orElse("") + "\", and this request has another member id")
                : unknown();
    }

    private CompletableFuture<ClassicReply> ask(GroupReplica replica, ClassicCommand command, Set<TopicName> names) {
        Function<Group, Command> question = any -> new Command.Classic(command, topics.of(names));
        return replica.submit(question).thenApply(reply -> noting(replica, command, classic(reply)));
    }

    /** Reports a client that is refused because it is no longer a member. */
    private static ClassicReply noting(GroupReplica replica, ClassicCommand command, ClassicReply reply) {
        if (reply instanceof ClassicReply.UnknownMember) {
            Optional<MemberId> speaker = switch (command) {
                case ClassicCommand.Join join -> join.member();
                case ClassicCommand.Sync sync -> Optional.of(sync.caller().member());
                case ClassicCommand.Heartbeat heartbeat ->
                    Optional.of(heartbeat.caller().member());
                case ClassicCommand.Commit commit -> commit.caller().map(ClassicCommand.Caller::member);
                // Any client may say that a member leaves.
                case ClassicCommand.Leave _,
                        ClassicCommand.Expire _,
                        ClassicCommand.SessionExpired _,
                        ClassicCommand.HostDied _,
                        ClassicCommand.Adopt _ -> Optional.empty();
            };
            speaker.ifPresent(member -> FalseAlarmReporter.spoke(replica, member));
        }
        return reply;
    }

    private static ClassicReply classic(Reply reply) {
        return switch (reply) {
            case Reply.Classic(var classic) -> classic;
            case Reply.GroupDeleted(var text) -> new ClassicReply.Unavailable(text);
            case Reply.Done _, Reply.Joined _, Reply.Refusal _ ->
                throw new IllegalStateException("not an answer of the classic rules: " + reply);
        };
    }

    private static Acknowledgement acknowledgement(ClassicReply reply) {
        if (reply instanceof Acknowledgement acknowledgement) {
            return acknowledgement;
        }
        throw unexpected(reply);
    }

    private static IllegalStateException unexpected(ClassicReply reply) {
        return new IllegalStateException("not an answer to this request: " + reply);
    }

    @SuppressWarnings("unchecked") // a refusal can answer every request
    private static <A extends ClassicReply> CompletableFuture<A> answer(ClassicReply.Refusal refusal) {
        return (CompletableFuture<A>) (CompletableFuture<?>) CompletableFuture.completedFuture(refusal);
    }

    private static ClassicReply.Refusal unknown() {
        return new ClassicReply.UnknownMember("there is no such member; join without an id");
    }

    private static ClassicReply.Refusal invalid(String group) {
        return new ClassicReply.InvalidGroup(GroupAccess.notAName(group));
    }
}
