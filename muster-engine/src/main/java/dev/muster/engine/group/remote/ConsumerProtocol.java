package dev.muster.engine.group.remote;

import dev.muster.core.MemberId;
import dev.muster.core.TopicId;
import dev.muster.core.TopicPartition;
import dev.muster.core.assign.StickyAssignor;
import dev.muster.core.group.Group;
import dev.muster.core.group.MemberAssignment;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.Timing;
import dev.muster.engine.group.remote.RemoteAnswer.Refused;
import dev.muster.engine.group.remote.RemoteAnswer.Why;
import dev.muster.engine.group.replica.GroupReplica;
import dev.muster.engine.group.replica.VersionedGroup;
import dev.muster.engine.group.service.GroupAccess;
import dev.muster.engine.group.service.GroupService;
import dev.muster.engine.group.service.GroupWatch;
import dev.muster.engine.group.session.ConnectionLiveness;
import dev.muster.engine.group.session.RemoteConfig;
import dev.muster.engine.group.session.RemoteHeartbeat;
import dev.muster.engine.group.session.RemoteSessions;
import dev.muster.engine.runtime.Deadline;
import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.group.GroupDeletedException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.PatternSyntaxException;

/**
 * Serves remote members of modern groups. They share groups with members that embed the library, but learn of changes
 * only in heartbeat responses. Safe for many threads.
 *
 * <p>A refusal is an answer. A future fails only if the store failed. An answered change is durable.
 */
public final class ConsumerProtocol {
    private static final Refused NO_MEMBER =
            new Refused(Why.UNKNOWN_MEMBER, "there is no such member; join with epoch 0");

    private final GroupService service;
    private final GroupAccess access;
    private final RemoteConfig config;
    private final GroupRuntime runtime;
    private final HostId self;
    private final Set<GroupName> served = ConcurrentHashMap.newKeySet();

    public ConsumerProtocol(GroupService service, RemoteConfig config) {
        this.service = service;
        this.access = new GroupAccess(service);
        this.config = config;
        this.runtime = service.runtime();
        this.self = service.self();
    }

    // Membership

    /** Handles a heartbeat, with which a member also joins, leaves, changes its subscription or releases partitions. */
    public CompletableFuture<RemoteAnswer> beat(String group, RemoteHeartbeat beat) {
        return unlessDeleted(() -> begin(group, beat));
    }

    private CompletableFuture<RemoteAnswer> begin(String group, RemoteHeartbeat beat) {
        Optional<GroupName> name = GroupAccess.name(group);
        if (name.isEmpty()) {
            return refused(Why.INVALID_GROUP, GroupAccess.notAName(group));
        }
        if (beat.assignor().isPresent()
                && !service.knowsAssignor(beat.assignor().get())) {
            return refused(
                    Why.UNKNOWN_ASSIGNOR,
                    "there is no assignor \"" + beat.assignor().get() + "\" here; ask for uniform or range");
        }
        if (isLate(name.get(), beat)) {
            return refused(
                    Why.UNAVAILABLE,
                    "a newer request of this member arrived over another connection; ask again over it");
        }
        if (beat.epoch() == RemoteHeartbeat.JOIN) {
            return join(name.get(), beat, true);
        }
        Optional<GroupReplica> replica = access.find(name.get());
        if (replica.isEmpty() || beat.member().isEmpty()) {
            return answer(NO_MEMBER);
        }
        return beat.epoch() < 0 ? leave(replica.get(), beat) : stay(replica.get(), beat);
    }

    /** True if the request is outdated: its partitions and subscription are from before a lost connection. */
    private boolean isLate(GroupName name, RemoteHeartbeat beat) {
        Optional<ConnectionLiveness> liveness =
                service.known(name).map(watch -> watch.remoteSessions().liveness());
        return beat.member()
                .filter(id -> liveness.filter(it -> it.isOlder(id, beat.caller().connection()))
                        .isPresent())
                .isPresent();
    }

    private CompletableFuture<RemoteAnswer> join(GroupName name, RemoteHeartbeat beat, boolean again) {
        if (beat.topics().isEmpty() && beat.pattern().isEmpty()) {
            return refused(Why.INVALID_REQUEST, "a member that joins must say which topics it wants to read");
        }
        Subscription subscription;
        try {
            subscription = new Subscription(
                    beat.topics().orElseGet(TreeSet::new), beat.pattern().filter(text -> !text.isEmpty()));
        } catch (PatternSyntaxException e) {
            return badPattern(e);
        }
        GroupReplica replica = access.open(name);
        Group before = replica.newest().group();
        MemberId id = beat.member().orElseGet(() -> new MemberId(runtime.freshName()));
        if (!before.members().containsKey(id) && before.members().size() >= config.sizeMax()) {
            return refused(Why.GROUP_FULL, "the group has " + config.sizeMax() + " members, which is all it may have");
        }
        MemberSpec spec = new MemberSpec(
                id,
                beat.instance(),
                beat.caller().client(),
                self,
                Optional.of(beat.caller().address()),
                subscription,
                new Timing(config.session(), beat.revoke().orElse(Timing.DEFAULT.revoke())),
                beat.assignor().orElse(StickyAssignor.NAME));
        RemoteSessions sessions = sessions(replica);
        return replica.submit(state -> new Command.Join(spec, service.topics().of(subscription, state)))
                .thenCompose(reply -> switch (reply) {
                    case Reply.Joined _ -> {
                        noteSign(sessions, id, beat, replica.known().group());
                        sessions.noteJoin(id);
                        yield sessions.arrived(id, before.generation())
                                .thenApply(seen -> seen.map(VersionedGroup::group)
                                        .filter(group -> group.generation() > 0)
                                        .map(group -> tell(sessions, group, id, beat, true))
                                        .orElseGet(() -> new Refused(
                                                Why.UNAVAILABLE,
                                                "no generation has taken the member in yet; ask again")));
                    }
                    case Reply.GroupDeleted _
                    when again -> {
                        // The group was deleted at this moment: the join begins a new one.
                        service.delete(replica);
                        yield join(name, beat, false);
                    }
                    case Reply.InstanceInUse inUse -> {
                        Optional<MemberId> gone = again ? holderHungUp(replica, beat) : Optional.empty();
                        yield gone.map(holder -> replica.submit(
                                                new Command.SessionExpired(holder, self, LeaveCause.CONNECTION_LOST))
                                        .thenCompose(_ -> join(name, beat, false)))
                                .orElseGet(() -> refused(inUse));
                    }
                    case Reply.Refusal refusal -> refused(refusal);
                    case Reply.Done _, Reply.Classic _ -> throw new IllegalStateException("not an answer to a join");
                });
    }

    /**
     * The member with the instance id, if its connection is closed: a restarted client need not wait for its session.
     */
    private Optional<MemberId> holderHungUp(GroupReplica replica, RemoteHeartbeat beat) {
        Group group = replica.newest().group();
        GroupWatch watch = service.watch(replica);
        Optional<MemberId> classic = beat.instance()
                .flatMap(group.classic()::instance)
                .map(member -> member.spec().id());
        return group.members().values().stream()
                .map(Member::spec)
                .filter(spec -> spec.instance().equals(beat.instance()))
                .map(MemberSpec::id)
                .findFirst()
                .or(() -> classic)
                .filter(id -> watch.remoteSessions().liveness().isHungUp(id)
                        || watch.classicSessions().liveness().isHungUp(id));
    }

    private CompletableFuture<RemoteAnswer> stay(GroupReplica replica, RemoteHeartbeat beat) {
        MemberId id = beat.member().orElseThrow();
        RemoteSessions sessions = sessions(replica);
        Group group = replica.newest().group();
        Optional<MemberAssignment> assignment = isClassic(group, id) ? Optional.empty() : group.assignment(id);
        if (assignment.isEmpty()) {
            FalseAlarmReporter.spoke(replica, id);
            return replica.submit(new Command.Release(id, Set.of())).thenApply(reply -> refusal(reply));
        }
        if (beat.epoch() > assignment.get().epoch()) {
            return refused(
                    Why.FENCED_EPOCH,
                    "member " + id + " sent epoch " + beat.epoch() + ", but its epoch is "
                            + assignment.get().epoch() + "; join again with epoch 0");
        }
        Member member = group.members().get(id);
        MemberSpec spec;
        try {
            spec = changed(member.spec(), beat);
        } catch (PatternSyntaxException e) {
            return badPattern(e);
        }
        sessions.noteHeartbeat(id);
        noteSign(sessions, id, beat, group);
        CompletableFuture<Reply> done = CompletableFuture.completedFuture(new Reply.Done());
        if (!spec.equals(member.spec()) || member.away().isPresent()) {
            // A member that was expelled meanwhile is not admitted here: it must drop its partitions, and join with
            // epoch 0.
            done = replica.submit(state -> state.members().containsKey(id)
                    ? new Command.Join(spec, service.topics().of(spec.subscription(), state))
                    : new Command.Release(id, Set.of()));
        }
        SortedSet<TopicPartition> released = sessions.released(member, beat);
        sessions.noteReport(member, beat);
        if (!released.isEmpty()) {
            done = done.thenCompose(reply ->
                    reply instanceof Reply.Refusal ? answer(reply) : replica.submit(new Command.Release(id, released)));
        }
        return done.thenCompose(reply -> reply instanceof Reply.Refusal refusal
                ? refused(refusal)
                : whenDurable(replica)
                        .thenApply(seen -> tell(
                                sessions, seen.group(), id, beat, beat.owned().isPresent())));
    }

    private MemberSpec changed(MemberSpec spec, RemoteHeartbeat beat) {
        Optional<String> pattern = beat.pattern().isPresent()
                ? beat.pattern().filter(text -> !text.isEmpty())
                : spec.subscription().pattern();
        boolean same =
                beat.topics().isEmpty() && pattern.equals(spec.subscription().pattern());
        Subscription subscription = same
                ? spec.subscription()
                : new Subscription(beat.topics().orElse(spec.subscription().topics()), pattern);
        Duration revoke = beat.revoke().orElse(spec.timing().revoke());
        return new MemberSpec(
                spec.id(),
                spec.instance(),
                spec.client(),
                self,
                spec.address(),
                subscription,
                new Timing(spec.timing().session(), revoke),
                beat.assignor().orElse(spec.assignor()));
    }

    private CompletableFuture<RemoteAnswer> leave(GroupReplica replica, RemoteHeartbeat beat) {
        MemberId id = beat.member().orElseThrow();
        boolean comesBack = beat.epoch() == RemoteHeartbeat.COME_BACK;
        if (isClassic(replica.newest().group(), id)) {
            return refused(Why.UNKNOWN_MEMBER, "member " + id + " uses the classic protocol");
        }
        if (comesBack && beat.instance().isEmpty()) {
            return refused(Why.INVALID_REQUEST, "only a member with an instance id can leave to come back");
        }
        return replica.submit(new Command.Leave(id, LeaveCause.LEFT, comesBack))
                .thenCompose(reply -> reply instanceof Reply.Refusal refusal
                        ? refused(refusal)
                        : whenDurable(replica).thenApply(_ -> new RemoteAnswer.Out(id, beat.epoch())));
    }

    private static boolean isClassic(Group group, MemberId id) {
        Member member = group.members().get(id);
        return member != null && member.spec().classic();
    }

    private void noteSign(RemoteSessions sessions, MemberId id, RemoteHeartbeat beat, Group group) {
        Duration pause = sessions.pace(id).of(group, config);
        sessions.liveness().noteSign(id, beat.caller().connection(), Deadline.nanos(pause));
    }

    private RemoteAnswer tell(RemoteSessions sessions, Group group, MemberId id, RemoteHeartbeat beat, boolean whole) {
        Optional<MemberAssignment> assignment = group.assignment(id);
        if (assignment.isEmpty()) {
            return NO_MEMBER;
        }
        SortedSet<TopicPartition> partitions = assignment.get().partitions();
        Set<TopicId> topics = new HashSet<>();
        partitions.forEach(
                partition -> topics.add(group.topics().get(partition.topic()).id()));
        Duration pause = sessions.pace(id).of(group, config);
        sessions.liveness().noteSign(id, beat.caller().connection(), Deadline.nanos(pause));
        boolean news = sessions.noteAnswer(id, partitions, topics, beat.caller().connection());
        return new RemoteAnswer.In(
                id, assignment.get().epoch(), pause, news || whole ? Optional.of(partitions) : Optional.empty());
    }

    /** Notes that a client closed its connection. Its member has only a grace to come back. */
    public void hungUp(long connection) {
        served.removeIf(name -> service.known(name).isEmpty());
        for (GroupName name : served) {
            service.known(name)
                    .filter(watch -> watch.remoteSessions().liveness().hungUp(connection))
                    .ifPresent(GroupWatch::hungUp);
        }
    }

    // Offsets

    /** True if this is a member of a modern group that uses the modern protocol. */
    public boolean isMember(String group, String member) {
        if (member.isEmpty()) {
            return false;
        }
        MemberId id = new MemberId(member);
        return state(group)
                .filter(state -> state.members().containsKey(id) && !isClassic(state, id))
                .isPresent();
    }

    /** Commits offsets. The commit is durable when the future completes. */
    public CompletableFuture<RemoteAnswer> commit(
            String group, MemberId member, long epoch, SortedMap<TopicPartition, CommittedOffset> offsets) {
        Optional<GroupReplica> replica = access.find(group);
        if (replica.isEmpty()) {
            return answer(NO_MEMBER);
        }
        return unlessDeleted(() -> replica.get()
                .submit(state -> new Command.Commit(member, epoch, stillCounting(state, member, offsets)))
                .thenApply(reply -> {
                    if (reply instanceof Reply.UnknownMember) {
                        FalseAlarmReporter.spoke(replica.get(), member);
                    }
                    return reply instanceof Reply.Refusal ? refusal(reply) : new RemoteAnswer.Done();
                }));
    }

    /**
     * Omits offsets that were set by hand meanwhile: the member is answered as if its commit had arrived before.
     * Clients would repeat a refused commit, and release the partitions only after it.
     */
    private static SortedMap<TopicPartition, CommittedOffset> stillCounting(
            Group group, MemberId member, SortedMap<TopicPartition, CommittedOffset> offsets) {
        Member known = group.members().get(member);
        if (known == null || known.recalled().isEmpty()) {
            return offsets;
        }
        SortedMap<TopicPartition, CommittedOffset> counting = new TreeMap<>(offsets);
        counting.keySet().removeAll(known.recalled());
        return counting;
    }

    /** The refusal if a member may not fetch offsets in the epoch of its request; else empty. */
    public Optional<Refused> mayFetch(String group, String member, long epoch) {
        Optional<Group> state = state(group);
        if (state.isEmpty() || state.get().members().isEmpty()) {
            return Optional.empty();
        }
        Optional<MemberAssignment> assignment = state.get().assignment(new MemberId(member));
        if (assignment.isEmpty()) {
            return Optional.of(NO_MEMBER);
        }
        return epoch > assignment.get().epoch()
                ? Optional.of(new Refused(Why.STALE_EPOCH, "epoch " + epoch + " does not exist yet"))
                : Optional.empty();
    }

    /** The newest state of a group. */
    public Optional<Group> state(String group) {
        return GroupAccess.name(group).flatMap(service::look).map(VersionedGroup::group);
    }

    // Pieces

    /** Runs a request; if the group was deleted since it was found, refuses it: the group has no members then. */
    private static CompletableFuture<RemoteAnswer> unlessDeleted(Supplier<CompletableFuture<RemoteAnswer>> ask) {
        try {
            return ask.get().exceptionallyCompose(e -> {
                Throwable cause = e instanceof CompletionException ? e.getCause() : e;
                return cause instanceof GroupDeletedException
                        ? answer(NO_MEMBER)
                        : CompletableFuture.failedFuture(cause);
            });
        } catch (GroupDeletedException e) {
            return answer(NO_MEMBER);
        }
    }

    private RemoteSessions sessions(GroupReplica replica) {
        RemoteSessions sessions = service.watch(replica).remoteSessions();
        sessions.liveness().grace(config.grace());
        served.add(replica.name());
        return sessions;
    }

    private CompletableFuture<VersionedGroup> whenDurable(GroupReplica replica) {
        VersionedGroup state = replica.known();
        return access.whenDurable(replica, state, state);
    }

    private static <T> CompletableFuture<T> answer(T answer) {
        return CompletableFuture.completedFuture(answer);
    }

    private static CompletableFuture<RemoteAnswer> badPattern(PatternSyntaxException e) {
        return refused(
                Why.INVALID_PATTERN, "\"" + e.getPattern() + "\" is not a regular expression: " + e.getDescription());
    }

    private static CompletableFuture<RemoteAnswer> refused(Why why, String text) {
        return answer(new Refused(why, text));
    }

    private static CompletableFuture<RemoteAnswer> refused(Reply.Refusal refusal) {
        return answer(of(refusal));
    }

    private static RemoteAnswer refusal(Reply reply) {
        return reply instanceof Reply.Refusal refusal ? of(refusal) : NO_MEMBER;
    }

    private static Refused of(Reply.Refusal refusal) {
        Why why = switch (refusal) {
            case Reply.UnknownMember _ -> Why.UNKNOWN_MEMBER;
            case Reply.FencedInstance _ -> Why.FENCED_INSTANCE;
            case Reply.InstanceInUse _ -> Why.INSTANCE_IN_USE;
            case Reply.StaleGeneration _ -> Why.STALE_EPOCH;
            case Reply.ClassicMembers _ -> Why.CLASSIC_MEMBERS;
            case Reply.UnknownAssignor _ -> Why.UNKNOWN_ASSIGNOR;
            case Reply.GroupDeleted _, Reply.GroupInUse _, Reply.NotForming _ -> Why.UNAVAILABLE;
        };
        return new Refused(why, refusal.text());
    }
}
