package dev.muster.simulation;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.assign.Assignor;
import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicEvent;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ClassicMember;
import dev.muster.core.group.classic.ClassicReply;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Decision;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Member;
import dev.muster.engine.group.service.GroupService;
import dev.muster.engine.group.session.ClassicRequest;
import dev.muster.testkit.sim.SimProcess;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Mistakes that show only with clients of the classic protocol. */
final class ClassicMistakes {
    private ClassicMistakes() {}

    // At the door

    static final class TargetGiven extends WireMistakes.AlmostRight {
        TargetGiven(WireMistakes.DoorOf of) {
            super(of);
        }

        @Override
        public CompletableFuture<ClassicReply.SyncAnswer> sync(ClassicRequest.Sync sync) {
            MemberId id = new MemberId(sync.who().member());
            return super.sync(sync)
                    .thenApply(answer -> answer instanceof ClassicReply.AssignedModern(var protocol, var those)
                            ? new ClassicReply.AssignedModern(
                                    protocol,
                                    of.group()
                                            .map(group -> group.members().get(id))
                                            .map(Member::target)
                                            .orElse(those))
                            : answer);
        }
    }

    static final class StaleCommitTaken extends WireMistakes.AlmostRight {
        StaleCommitTaken(WireMistakes.DoorOf of) {
            super(of);
        }

        @Override
        public CompletableFuture<ClassicReply.Acknowledgement> commit(
                ClassicRequest.Identity who, SortedMap<TopicPartition, CommittedOffset> offsets) {
            long now = of.group().map(Group::generation).orElse(who.generation());
            return super.commit(new ClassicRequest.Identity(who.member(), who.instance(), now), offsets);
        }
    }

    static final class CallNotHeard extends WireMistakes.AlmostRight {
        CallNotHeard(WireMistakes.DoorOf of) {
            super(of);
        }

        @Override
        public CompletableFuture<ClassicReply.Acknowledgement> pulse(ClassicRequest.Identity who, long connection) {
            return super.pulse(who, connection)
                    .thenApply(answer ->
                            answer instanceof ClassicReply.RebalanceInProgress ? new ClassicReply.Done() : answer);
        }
    }

    /** Former modern members continue in the generation that they find, and each one leads. */
    static final class OldGenerationGoesOn extends WireMistakes.AlmostRight {
        OldGenerationGoesOn(WireMistakes.DoorOf of) {
            super(of);
        }

        @Override
        public CompletableFuture<ClassicReply.JoinAnswer> join(ClassicRequest.Join join) {
            return of.group()
                    .filter(group -> !join.member().isEmpty())
                    .flatMap(group -> group.classic()
                            .member(new MemberId(join.member()))
                            .filter(ClassicMember::resumed)
                            .map(member -> leads(member, group, join)))
                    .orElseGet(() -> super.join(join));
        }

        private static CompletableFuture<ClassicReply.JoinAnswer> leads(
                ClassicMember member, Group group, ClassicRequest.Join join) {
            MemberId id = member.spec().id();
            var protocol = join.protocols().getFirst();
            var itself = new ClassicReply.MemberMetadata(id, join.instance(), protocol.metadata(), true);
            return CompletableFuture.completedFuture(new ClassicReply.Joined(
                    id, group.generation(), ClassicGroup.CONSUMER, protocol.name(), id, List.of(itself), false));
        }
    }

    /** The next server treats members that waited at the last server's barrier as waiting at its own. */
    static final class JoinLost extends WireMistakes.AlmostRight {
        private final Set<String> waited = new HashSet<>();

        JoinLost(WireMistakes.DoorOf of) {
            super(of);
            of.group()
                    .map(Group::classic)
                    .ifPresent(classic -> classic.members().forEach((id, member) -> {
                        if (member.waiting()) {
                            waited.add(id.value());
                        }
                    }));
        }

        @Override
        public CompletableFuture<ClassicReply.JoinAnswer> join(ClassicRequest.Join join) {
            return waited.contains(join.member()) ? new CompletableFuture<>() : super.join(join);
        }
    }

    // In the rules

    /** A joining client is a member at once, and stays one without ever asking for its assignment. */
    static final class GhostsStay implements Planted {
        private static final Set<LeaveCause> SILENT =
                Set.of(LeaveCause.SESSION_EXPIRED, LeaveCause.SYNC_TIMED_OUT, LeaveCause.JOIN_TIMED_OUT);

        @Override
        public Decision decide(Group group, Command command, Map<String, Assignor> assignors) {
            Decision decision = group.decide(command, assignors);
            boolean ghost = decision.events().stream()
                    .anyMatch(event -> event instanceof Event.Classic(var one)
                            && one instanceof ClassicEvent.Left(var id, var cause, var _)
                            && SILENT.contains(cause)
                            && !group.classic().members().get(id).synced());
            return ghost ? new Decision(List.of(), decision.reply()) : decision;
        }

        @Override
        public Door door(SimProcess process, GroupService service, Door right) {
            return new WireMistakes.AlmostRight(new WireMistakes.DoorOf(service, right)) {
                @Override
                public CompletableFuture<ClassicReply.JoinAnswer> join(ClassicRequest.Join join) {
                    return super.join(new ClassicRequest.Join(
                            join.member(),
                            join.instance(),
                            join.client(),
                            join.address(),
                            join.session(),
                            join.rebalance(),
                            join.protocolType(),
                            join.protocols(),
                            join.reading(),
                            false,
                            join.maySkip(),
                            join.reason(),
                            join.connection()));
                }
            };
        }

        @Override
        public Optional<Cast> cast() {
            return Optional.of(Cast.CLASSIC);
        }
    }

    static final class HandsForgotten implements Planted {
        @Override
        public Decision decide(Group group, Command command, Map<String, Assignor> assignors) {
            Decision decision = group.decide(command, assignors);
            List<Event> events = new ArrayList<>(decision.events());
            events.replaceAll(event -> event instanceof Event.BecameModern(var _, var because)
                    ? new Event.BecameModern(new TreeMap<>(), because)
                    : event);
            return new Decision(events, decision.reply());
        }

        @Override
        public Optional<Cast> cast() {
            return Optional.of(Cast.TURNING);
        }
    }
}
