package dev.muster.simulation;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.assign.Assignor;
import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicReply;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Decision;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Member;
import dev.muster.engine.group.remote.RemoteAnswer;
import dev.muster.engine.group.replica.GroupReplica;
import dev.muster.engine.group.replica.VersionedGroup;
import dev.muster.engine.group.service.GroupService;
import dev.muster.engine.group.session.ClassicRequest;
import dev.muster.engine.group.session.RemoteHeartbeat;
import dev.muster.store.LogStore;
import dev.muster.store.watch.Registration;
import dev.muster.testkit.sim.Faults;
import dev.muster.testkit.sim.SimFault;
import dev.muster.testkit.sim.SimProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** Mistakes that show only with wire members. */
@SuppressWarnings("UnusedMethod") // called by name
final class WireMistakes {
    private WireMistakes() {}

    /** The parts of a door with a mistake. */
    record DoorOf(GroupService service, Door right) {
        /** The state of the group; empty if there is none. */
        Optional<Group> group() {
            return service.look(GroupRun.GROUP).map(VersionedGroup::group);
        }
    }

    interface DoorMaker {
        Door make(DoorOf of);
    }

    static Planted atTheDoor(Cast cast, DoorMaker maker) {
        return atTheDoor(cast, maker, false);
    }

    static Planted atTheDoor(Cast cast, DoorMaker maker, boolean lateCommits) {
        return new Planted() {
            @Override
            public boolean needsLateCommits() {
                return lateCommits;
            }

            @Override
            public Door door(SimProcess process, GroupService service, Door right) {
                return maker.make(new DoorOf(service, right));
            }

            @Override
            public Optional<Cast> cast() {
                return Optional.of(cast);
            }
        };
    }

    /** A correct door, whose methods a mistake overrides. */
    abstract static class AlmostRight implements Door {
        final DoorOf of;

        AlmostRight(DoorOf of) {
            this.of = of;
        }

        @Override
        public CompletableFuture<RemoteAnswer> beat(RemoteHeartbeat beat) {
            return of.right().beat(beat);
        }

        CompletableFuture<RemoteAnswer> beat(RemoteHeartbeat beat, UnaryOperator<RemoteAnswer.In> change) {
            return of.right()
                    .beat(beat)
                    .thenApply(answer -> answer instanceof RemoteAnswer.In in ? change.apply(in) : answer);
        }

        @Override
        public CompletableFuture<RemoteAnswer> commit(
                MemberId member, long epoch, SortedMap<TopicPartition, CommittedOffset> offsets) {
            return of.right().commit(member, epoch, offsets);
        }

        @Override
        public CompletableFuture<ClassicReply.JoinAnswer> join(ClassicRequest.Join join) {
            return of.right().join(join);
        }

        @Override
        public CompletableFuture<ClassicReply.SyncAnswer> sync(ClassicRequest.Sync sync) {
            return of.right().sync(sync);
        }

        @Override
        public CompletableFuture<ClassicReply.Acknowledgement> pulse(ClassicRequest.Identity who, long connection) {
            return of.right().pulse(who, connection);
        }

        @Override
        public CompletableFuture<ClassicReply.Acknowledgement> commit(
                ClassicRequest.Identity who, SortedMap<TopicPartition, CommittedOffset> offsets) {
            return of.right().commit(who, offsets);
        }

        @Override
        public void theyHungUp(long connection) {
            of.right().theyHungUp(connection);
        }
    }

    static final class FaceValue extends AlmostRight {
        private final Map<MemberId, SortedSet<TopicPartition>> reported = new HashMap<>();

        FaceValue(DoorOf of) {
            super(of);
        }

        @Override
        public CompletableFuture<RemoteAnswer> beat(RemoteHeartbeat beat) {
            MemberId id = beat.member().orElseThrow();
            beat.owned().ifPresent(owned -> reported.put(id, owned));
            if (beat.epoch() > 0 && reported.containsKey(id)) {
                of.service().find(GroupRun.GROUP).ifPresent(group -> release(group, id));
            }
            return super.beat(beat);
        }

        private void release(GroupReplica replica, MemberId id) {
            Member member = replica.newest().group().members().get(id);
            if (member != null) {
                SortedSet<TopicPartition> gone = new TreeSet<>(member.toRelease());
                gone.removeAll(reported.get(id));
                if (!gone.isEmpty()) {
                    replica.propose(new Command.Release(id, gone));
                }
            }
        }
    }

    static final class EpochIgnored extends AlmostRight {
        EpochIgnored(DoorOf of) {
            super(of);
        }

        @Override
        public CompletableFuture<RemoteAnswer> commit(
                MemberId member, long epoch, SortedMap<TopicPartition, CommittedOffset> offsets) {
            return super.commit(member, of.group().map(Group::generation).orElse(epoch), offsets);
        }
    }

    static final class EpochOfTheServer extends AlmostRight {
        private final long begin;

        EpochOfTheServer(DoorOf of) {
            super(of);
            this.begin = of.group().map(Group::generation).orElse(0L);
        }

        @Override
        public CompletableFuture<RemoteAnswer> beat(RemoteHeartbeat beat) {
            return beat(
                    beat,
                    in -> new RemoteAnswer.In(
                            in.member(),
                            in.partitions().isPresent() ? in.epoch() : Math.max(1, in.epoch() - begin),
                            in.pause(),
                            in.partitions()));
        }
    }

    static final class TargetTold extends AlmostRight {
        TargetTold(DoorOf of) {
            super(of);
        }

        @Override
        public CompletableFuture<RemoteAnswer> beat(RemoteHeartbeat beat) {
            return beat(beat, in -> new RemoteAnswer.In(in.member(), in.epoch(), in.pause(), target(in.member())));
        }

        private Optional<SortedSet<TopicPartition>> target(MemberId id) {
            return of.group().map(group -> group.members().get(id)).map(Member::target);
        }
    }

    static final class ExpelledGoesOn extends AlmostRight {
        ExpelledGoesOn(DoorOf of) {
            super(of);
        }

        @Override
        public CompletableFuture<RemoteAnswer> beat(RemoteHeartbeat beat) {
            return super.beat(beat)
                    .thenApply(answer -> answer instanceof RemoteAnswer.Refused(var why, var _)
                                    && why == RemoteAnswer.Why.UNKNOWN_MEMBER
                                    && beat.epoch() > 0
                            ? new RemoteAnswer.In(
                                    beat.member().orElseThrow(), beat.epoch(), Duration.ofMillis(300), Optional.empty())
                            : answer);
        }
    }

    static final class GraceAfterOurClose extends AlmostRight {
        GraceAfterOurClose(DoorOf of) {
            super(of);
        }

        @Override
        public void weHungUp(long connection) {
            of.right().theyHungUp(connection);
        }
    }

    static final class ToldBeforeDurable implements Planted {
        private final Planted journal = Mistake.VISIBLE_BEFORE_DURABLE.planted();

        @Override
        public LogStore store(SimProcess process, LogStore store) {
            return process.toString().startsWith("s") ? journal.store(process, store) : store;
        }

        @Override
        public void faults(Faults faults) {
            faults.with(SimFault.POWER_CUT, 4);
        }

        @Override
        public Optional<Cast> cast() {
            return Optional.of(Cast.MODERN);
        }
    }

    static final class DiesWithItsServer implements Planted {
        @Override
        public Decision decide(Group group, Command command, Map<String, Assignor> assignors) {
            Decision decision = group.decide(command, assignors);
            List<Event> events = new ArrayList<>(decision.events());
            events.replaceAll(event -> event instanceof Event.MemberAway(var member, var cause)
                            && cause == LeaveCause.PROCESS_DIED
                            && group.members().get(member).spec().remote()
                    ? new Event.MemberLeft(member, cause)
                    : event);
            return new Decision(events, decision.reply());
        }

        @Override
        public Optional<Cast> cast() {
            return Optional.of(Cast.MODERN);
        }
    }

    static final class OrphansLoseAll implements Planted {
        @Override
        public Decision decide(Group group, Command command, Map<String, Assignor> assignors) {
            Decision decision = group.decide(command, assignors);
            if (!(command instanceof Command.Adopt)) {
                return decision;
            }
            List<Event> events = new ArrayList<>(decision.events());
            for (Event event : decision.events()) {
                if (event instanceof Event.MemberReturned(var old, var spec)) {
                    SortedSet<TopicPartition> owned = group.members().get(old).owned();
                    if (!owned.isEmpty()) {
                        events.add(new Event.Released(spec.id(), owned));
                        events.add(new Event.Granted(spec.id(), owned));
                    }
                }
            }
            group.apply(new Entry(0, new HostId("planted"), events));
            return new Decision(events, decision.reply());
        }

        @Override
        public Optional<Cast> cast() {
            return Optional.of(Cast.MODERN);
        }
    }

    /** A role that any number of processes may have. */
    private static final class SharedClaim implements LogStore.Claim {
        @Override
        public boolean isHeld() {
            return true;
        }

        @Override
        public Registration onLost(Runnable lost) {
            return () -> {};
        }

        @Override
        public void close() {}
    }

    static final class TwoServers implements Planted {
        @Override
        public LogStore store(SimProcess process, LogStore store) {
            return Wrapped.over(LogStore.class, store, new Object() {
                Optional<LogStore.Claim> claim(String role) {
                    return Optional.of(new SharedClaim());
                }
            });
        }

        @Override
        public Optional<Cast> cast() {
            return Optional.of(Cast.MODERN);
        }
    }
}
