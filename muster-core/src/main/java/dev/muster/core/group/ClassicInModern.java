package dev.muster.core.group;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicEvent;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ClassicReply;
import dev.muster.core.group.classic.ClassicSpec;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.PartitionSets;
import dev.muster.core.group.model.Protocol;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/**
 * Decides commands of clients of Kafka's classic protocol in a group under the modern rules. These clients are members
 * like all others, and their commands lead to the same events. A join is also a release: it releases every partition
 * that the member does not name. An instance belongs to one {@link Decider} and decides one command.
 */
final class ClassicInModern {
    private static final ClassicReply.Acknowledgement DONE = new ClassicReply.Done();

    private final GroupBuilder builder;
    private final Decider decider;
    private final FormingDecider forming;

    ClassicInModern(GroupBuilder builder, Decider decider, FormingDecider forming) {
        this.builder = builder;
        this.decider = decider;
        this.forming = forming;
    }

    /** @return reply to the command; empty if the command is not about members, so that the classic rules decide it */
    Optional<ClassicReply> decide(Command.Classic asked) {
        return switch (asked.command()) {
            case ClassicCommand.Join join -> Optional.of(join(join, asked));
            case ClassicCommand.Sync sync -> Optional.of(sync(sync));
            case ClassicCommand.Heartbeat heartbeat -> Optional.of(heartbeat(heartbeat.caller()));
            case ClassicCommand.Leave leave -> Optional.of(leave(leave.leavers()));
            case ClassicCommand.Commit commit -> Optional.of(commit(commit));
            case ClassicCommand.Expire _,
                    ClassicCommand.SessionExpired _,
                    ClassicCommand.HostDied _,
                    ClassicCommand.Adopt _ -> Optional.empty();
        };
    }

    // Joins

    private ClassicReply join(ClassicCommand.Join join, Command.Classic asked) {
        ClassicSpec spec = join.spec();
        Optional<Member> known = join.member().isPresent()
                ? join.member().map(builder.members::get)
                : spec.instance().flatMap(instance -> Fence.instance(builder.members.values(), instance));
        if (known.isEmpty() && builder.members.size() >= join.limits().sizeMax()) {
            return new ClassicReply.GroupFull("the group has " + join.limits().sizeMax()
                    + " members, the most that are allowed; stop one, or raise the server's limit");
        }
        Collection<Member> others = builder.members.values().stream()
                .filter(member -> !known.equals(Optional.of(member)))
                .toList();
        boolean readable = ClassicGroup.CONSUMER.equals(spec.protocolType())
                && spec.consumerMetadata().isPresent();
        if (!readable || !Conversion.haveInCommon(others, spec.protocols())) {
            return inconsistent(spec);
        }
        MemberSpec now = Conversion.modern(spec);
        if (join.member().isEmpty()) {
            return joinNew(join, asked, now, known);
        }
        if (builder.classic.pendingIds().containsKey(spec.id())) {
            if (spec.instance().isPresent()) {
                return ClassicAnswers.unknown(spec.id());
            }
            decider.happens(new Event.Classic(new ClassicEvent.IdDropped(spec.id())));
            return add(now, asked);
        }
        Optional<ClassicReply.Refusal> refusal = ClassicAnswers.fence(builder, spec.id(), spec.instance());
        return refusal.isPresent() ? refusal.get() : rejoin(known.orElseThrow(), now, Conversion.ownedBy(spec), asked);
    }

    private ClassicReply joinNew(
            ClassicCommand.Join join, Command.Classic asked, MemberSpec now, Optional<Member> holder) {
        if (holder.isPresent()) {
            boolean mayBeReplaced =
                    holder.get().spec().classic() || holder.get().away().isPresent();
            return mayBeReplaced
                    ? comeBack(holder.get(), now, PartitionSets.NONE, asked)
                    : ClassicAnswers.fenced(now.id(), now.instance().orElseThrow());
        }
        if (now.instance().isEmpty() && join.idRequired()) {
            decider.happens(new Event.Classic(
                    new ClassicEvent.IdGiven(now.id(), join.spec().session())));
            return new ClassicReply.MemberIdRequired(now.id(), "join again as member " + now.id());
        }
        return add(now, asked);
    }

    private ClassicReply add(MemberSpec now, Command.Classic asked) {
        decider.learnTopics(asked.topics(), now.subscription()::includes);
        decider.happens(new Event.MemberJoined(now));
        forming.formedIfAllAreThere();
        return parked(now);
    }

    /**
     * A known member joins again. It keeps its instance id, which an old request cannot name. If its protocol names and
     * its subscription are unchanged, it also keeps its protocols: their bytes may differ and mean the same.
     */
    private ClassicReply rejoin(
            Member before, MemberSpec said, SortedSet<TopicPartition> inHand, Command.Classic asked) {
        MemberSpec now = said.withInstance(before.spec().instance());
        boolean same = names(now.protocols()).equals(names(before.spec().protocols()))
                && now.subscription().equals(before.spec().subscription());
        return comeBack(before, same ? now.with(before.spec().protocols()) : now, inHand, asked);
    }

    private ClassicReply comeBack(
            Member before, MemberSpec now, SortedSet<TopicPartition> inHand, Command.Classic asked) {
        decider.learnTopics(asked.topics(), now.subscription()::includes);
        if (!before.spec().equals(now) || before.away().isPresent()) {
            decider.happens(new Event.MemberReturned(before.spec().id(), now));
        }
        decider.release(
                now.id(), PartitionSets.minus(builder.members.get(now.id()).toRelease(), inHand));
        return parked(now);
    }

    private static ClassicReply parked(MemberSpec spec) {
        return new ClassicReply.JoinParked(spec.id(), spec.instance());
    }

    private static List<String> names(List<Protocol> protocols) {
        return protocols.stream().map(Protocol::name).toList();
    }

    private static ClassicReply inconsistent(ClassicSpec spec) {
        return new ClassicReply.InconsistentProtocol("the group follows the modern rules, which need consumers with"
                + " readable metadata and a common protocol; this one has type \"" + spec.protocolType()
                + "\" and protocols " + names(spec.protocols()));
    }

    // Syncs, heartbeats and commits

    private ClassicReply sync(ClassicCommand.Sync sync) {
        ClassicCommand.Caller caller = sync.caller();
        Optional<ClassicReply.Refusal> refusal = ClassicAnswers.fence(builder.group(), caller);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        Member member = builder.members.get(caller.member());
        boolean consumer =
                sync.content().protocolType().map(ClassicGroup.CONSUMER::equals).orElse(true);
        boolean agreed = consumer
                && sync.content()
                        .protocol()
                        .map(ClassicAnswers.protocol(member)::equals)
                        .orElse(true);
        if (!agreed) {
            boolean knows = sync.content()
                    .protocol()
                    .filter(names(member.spec().protocols())::contains)
                    .isPresent();
            if (consumer && knows) {
                // The member joined under the classic rules, which chose that protocol. It made no mistake.
                return new ClassicReply.RebalanceInProgress("the group follows other rules now; join again");
            }
            return new ClassicReply.InconsistentProtocol("member " + caller.member() + " has protocol \""
                    + ClassicAnswers.protocol(member) + "\", not the one that it names; join again");
        }
        servedBy(caller);
        return new ClassicReply.SyncParked(caller.member(), member.spec().instance());
    }

    private ClassicReply heartbeat(ClassicCommand.Caller caller) {
        Optional<ClassicReply.Refusal> refusal = ClassicAnswers.fence(builder.group(), caller);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        servedBy(caller);
        return DONE;
    }

    /** Makes the serving process responsible for the liveness of the member. */
    private void servedBy(ClassicCommand.Caller caller) {
        Member member = builder.members.get(caller.member());
        if (member.away().isPresent() || !member.spec().host().equals(caller.host())) {
            decider.happens(
                    new Event.MemberReturned(caller.member(), member.spec().servedBy(caller.host())));
        }
    }

    private ClassicReply commit(ClassicCommand.Commit commit) {
        if (commit.caller().isEmpty()) {
            return new ClassicReply.UnknownMember(
                    "the group has members, and only they may commit;" + " commit as one of them, or stop them first");
        }
        ClassicCommand.Caller caller = commit.caller().get();
        Optional<ClassicReply.Refusal> refusal = ClassicAnswers.fence(builder.group(), caller);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        var modern = new Command.Commit(caller.member(), caller.generation(), commit.offsets());
        Optional<Reply.Refusal> stale = Fence.commit(builder, modern);
        if (stale.isPresent()) {
            // It is still a member. With this reply it joins again and keeps what it has.
            return new ClassicReply.RebalanceInProgress(stale.get().text());
        }
        servedBy(caller);
        if (!commit.offsets().isEmpty()) {
            decider.happens(new Event.Committed(caller.member(), commit.offsets()));
        }
        return DONE;
    }

    // Leaves

    private ClassicReply leave(List<ClassicCommand.Leaver> leavers) {
        List<ClassicReply.Acknowledgement> answers = new ArrayList<>();
        int before = builder.members.size();
        leavers.forEach(leaver -> answers.add(leave(leaver)));
        if (builder.members.size() < before) {
            decider.rebalance();
        }
        return new ClassicReply.Left(answers);
    }

    private ClassicReply.Acknowledgement leave(ClassicCommand.Leaver leaver) {
        if (leaver.member().isEmpty()) {
            Optional<Member> named =
                    leaver.instance().flatMap(instance -> Fence.instance(builder.members.values(), instance));
            if (named.isEmpty()) {
                return new ClassicReply.UnknownMember("there is no member with instance id \""
                        + leaver.instance().orElse("") + "\"; see the group's members");
            }
            decider.happens(new Event.MemberLeft(named.get().spec().id(), LeaveCause.REMOVED));
            return DONE;
        }
        MemberId id = leaver.member().get();
        if (builder.classic.pendingIds().containsKey(id)) {
            decider.happens(new Event.Classic(new ClassicEvent.IdDropped(id)));
            return DONE;
        }
        Optional<ClassicReply.Refusal> refusal = ClassicAnswers.fence(builder, id, leaver.instance());
        if (refusal.isPresent()) {
            return refusal.get();
        }
        decider.happens(new Event.MemberLeft(id, LeaveCause.LEFT));
        return DONE;
    }
}
