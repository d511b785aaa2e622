package dev.muster.core.group.classic;

import dev.muster.core.MemberId;
import dev.muster.core.group.classic.ClassicCommand.Caller;
import dev.muster.core.group.classic.ClassicCommand.Leaver;
import dev.muster.core.group.classic.ClassicReply.Acknowledgement;
import dev.muster.core.group.model.Change;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Opaque;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Decides one command: the methods here compute the events that follow from it. Each event is applied to the decider's
 * own copy of the group at once, so that the next event of the same decision sees its effect. An instance decides one
 * command.
 */
final class ClassicDecider {
    private static final Acknowledgement DONE = new ClassicReply.Done();
    /** The shortest extension of a rebalance to which no member came back, however short the rebalance timeouts are. */
    private static final Duration EXTENSION_MIN = Duration.ofSeconds(1);

    private ClassicGroup group;
    private long generation;
    private final List<ClassicEvent> events = new ArrayList<>();

    ClassicDecider(ClassicGroup group, long generation) {
        this.group = group;
        this.generation = generation;
    }

    ClassicDecision decide(ClassicCommand command) {
        ClassicReply reply = switch (command) {
            case ClassicCommand.Join c -> new ClassicJoinDecider(this).join(c);
            case ClassicCommand.Sync c -> sync(c);
            case ClassicCommand.Heartbeat c -> heartbeat(c.caller());
            case ClassicCommand.Leave c -> leave(c.leavers());
            case ClassicCommand.Commit c -> commit(c);
            case ClassicCommand.Expire c -> expire(c.timer());
            case ClassicCommand.SessionExpired c -> sessionExpired(c);
            case ClassicCommand.HostDied c -> hostDied(c.host());
            case ClassicCommand.Adopt c -> adopt(c);
        };
        return new ClassicDecision(events, reply);
    }

    void happens(ClassicEvent event) {
        events.add(event);
        // Tokens and wall time are known when the entry is written; no rule reads them.
        group = group.apply(event, 0, 0);
        if (event instanceof ClassicEvent.GenerationFormed formed) {
            generation = formed.generation();
        }
    }

    /** The group with all events of this decision so far. */
    ClassicGroup group() {
        return group;
    }

    /** The newest generation, with all events of this decision so far. */
    long generation() {
        return generation;
    }

    Optional<String> instance(MemberId id) {
        return group.member(id).flatMap(member -> member.spec().instance());
    }

    // Rebalances

    void rebalanceOrGoOn(ClassicCommand.Limits limits) {
        if (group.state() != ClassicState.EMPTY) {
            rebalanceOrGoOn();
            return;
        }
        Duration most = limits.settleMax();
        happens(new ClassicEvent.RebalanceBegan(ClassicDraft.shorter(limits.settle(), most), Optional.of(most)));
        if (most.isZero()) {
            complete();
        }
    }

    private void rebalanceOrGoOn() {
        switch (group.state()) {
            case STABLE, COMPLETING_REBALANCE -> {
                happens(new ClassicEvent.RebalanceBegan(group.longestRebalance(), Optional.empty()));
                completeIfAllBack();
            }
            case PREPARING_REBALANCE -> completeIfAllBack();
            case EMPTY, DEAD -> {
                // There is no member that could rebalance.
            }
        }
    }

    /**
     * Completes the rebalance if all members are back. A settle window lasts until its end, because other members may
     * be about to join.
     */
    private void completeIfAllBack() {
        boolean waits = group.state() == ClassicState.PREPARING_REBALANCE
                && !group.timeouts().isSettleWindow();
        if (waits && group.allWaiting()) {
            complete();
        }
    }

    /**
     * Makes the next generation from the members that are back. Static members keep their place even if they are not
     * back.
     */
    private void complete() {
        for (ClassicMember member : List.copyOf(group.members().values())) {
            if (!member.waiting() && !member.keepsItsPlace()) {
                happens(new ClassicEvent.Left(member.spec().id(), LeaveCause.REBALANCE_TIMED_OUT, ""));
            }
        }
        Optional<MemberId> leader = group.leader()
                .filter(id -> group.members().get(id).waiting())
                .or(() -> group.members().values().stream()
                        .filter(ClassicMember::waiting)
                        .map(member -> member.spec().id())
                        .findFirst());
        if (leader.isEmpty() && !group.members().isEmpty()) {
            Duration more = group.longestRebalance();
            happens(new ClassicEvent.RebalanceExtended(more.compareTo(EXTENSION_MIN) < 0 ? EXTENSION_MIN : more));
            return;
        }
        happens(new ClassicEvent.GenerationFormed(
                generation + 1,
                leader.map(id -> group.chooseProtocol()),
                leader,
                Change.text(group.changes()),
                group.longestRebalance()));
    }

    // Syncs

    private ClassicReply sync(ClassicCommand.Sync sync) {
        Caller caller = sync.caller();
        Optional<ClassicReply.Refusal> refusal = fence(caller);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        if (isResumedAndCalled(group.members().get(caller.member()))) {
            // The modern rules assigned it a protocol of its own choice. It made no mistake.
            return rebalancing();
        }
        ClassicCommand.SyncContent content = sync.content();
        if (differs(content.protocolType(), group.protocolType()) || differs(content.protocol(), group.protocol())) {
            return new ClassicReply.InconsistentProtocol("generation " + generation + " has protocol \""
                    + group.protocol().orElse("") + "\" of type \""
                    + group.protocolType().orElse("") + "\", not the named one; join again");
        }
        return switch (group.state()) {
            case COMPLETING_REBALANCE -> {
                servedBy(caller.member(), caller.host());
                if (group.isLeader(caller.member())) {
                    assign(content);
                    yield group.assignment(caller.member());
                }
                markSynced(caller.member());
                yield new ClassicReply.SyncParked(caller.member(), instance(caller.member()));
            }
            case STABLE -> {
                servedBy(caller.member(), caller.host());
                markSynced(caller.member());
                yield group.assignment(caller.member());
            }
            case PREPARING_REBALANCE -> rebalancing();
            case EMPTY, DEAD -> ClassicGroup.unknown(caller.member());
        };
    }

    private static boolean differs(Optional<String> named, Optional<String> present) {
        return named.isPresent() && !named.equals(present);
    }

    private void markSynced(MemberId id) {
        if (!group.members().get(id).synced()) {
            happens(new ClassicEvent.Synced(id));
        }
    }

    private void assign(ClassicCommand.SyncContent content) {
        SortedMap<MemberId, Opaque> assignment = new TreeMap<>(content.assignment());
        assignment.keySet().retainAll(group.members().keySet());
        var partitions = new TreeMap<>(content.partitions());
        partitions.keySet().retainAll(group.members().keySet());
        happens(new ClassicEvent.Assigned(generation, assignment, partitions, content.onlyPartitions()));
    }

    // Heartbeats, adoption and commits

    private ClassicReply heartbeat(Caller caller) {
        Optional<ClassicReply.Refusal> refusal = fence(caller);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        servedBy(caller.member(), caller.host());
        return group.state() == ClassicState.PREPARING_REBALANCE ? rebalancing() : DONE;
    }

    /** The reason to refuse a request of this caller. Empty if the caller may act. */
    private Optional<ClassicReply.Refusal> fence(Caller caller) {
        Optional<ClassicReply.Refusal> refusal = group.fence(caller.member(), caller.instance());
        if (refusal.isEmpty()
                && !mayNameGeneration(caller.generation(), group.members().get(caller.member()))) {
            return Optional.of(new ClassicReply.IllegalGeneration("member " + caller.member() + " is at generation "
                    + caller.generation() + ", the group is at " + generation + "; join again"));
        }
        return refusal;
    }

    /**
     * True if a member may name this generation. Under the modern rules a member is not told of a generation that
     * changes nothing for it, so it may name an older one.
     */
    private boolean mayNameGeneration(long named, ClassicMember member) {
        return named == generation || isResumedAndCalled(member) && named >= 0 && named < generation;
    }

    /** True if the member knows only its generation of the modern rules and is about to be called to the barrier. */
    private boolean isResumedAndCalled(ClassicMember member) {
        return member.resumed() && group.state() == ClassicState.PREPARING_REBALANCE;
    }

    private ClassicReply.RebalanceInProgress rebalancing() {
        return new ClassicReply.RebalanceInProgress(
                "the group rebalances after generation " + generation + "; join again");
    }

    /** Makes the serving process responsible for the liveness of the member. */
    void servedBy(MemberId id, HostId host) {
        ClassicMember member = group.members().get(id);
        if (member.away().isPresent() || !member.spec().host().equals(host)) {
            happens(new ClassicEvent.Adopted(id, host));
        }
    }

    private ClassicReply adopt(ClassicCommand.Adopt adopt) {
        for (ClassicMember member : List.copyOf(group.members().values())) {
            if (member.away().isPresent() || adopt.dead().contains(member.spec().host())) {
                happens(new ClassicEvent.Adopted(member.spec().id(), adopt.by()));
            }
        }
        return DONE;
    }

    private ClassicReply commit(ClassicCommand.Commit commit) {
        // A commit without a generation comes from a consumer that is not a member, or from a person.
        Optional<Caller> caller = commit.caller().filter(any -> any.generation() >= 0 || group.inUse());
        if (caller.isEmpty()) {
            if (group.inUse()) {
                return new ClassicReply.UnknownMember("the group has members, and only they may commit;"
                        + " commit as one of them, or stop them first");
            }
        } else {
            Optional<ClassicReply.Refusal> refusal = fence(caller.get());
            if (refusal.isPresent()) {
                return refusal.get();
            }
            if (group.state() == ClassicState.COMPLETING_REBALANCE) {
                // The partitions it has in hand belong to an older generation: nothing is assigned in this one yet.
                return rebalancing();
            }
            servedBy(caller.get().member(), caller.get().host());
        }
        if (!commit.offsets().isEmpty()) {
            happens(new ClassicEvent.Committed(caller.map(Caller::member), commit.offsets()));
        }
        return DONE;
    }

    // Leaves and expiries

    private ClassicReply leave(List<Leaver> leavers) {
        List<Acknowledgement> answers = new ArrayList<>();
        int before = group.members().size() + group.pendingIds().size();
        boolean membersLeft = false;
        for (Leaver leaver : leavers) {
            int members = group.members().size();
            answers.add(leave(leaver));
            membersLeft |= group.members().size() < members;
        }
        if (membersLeft) {
            rebalanceOrGoOn();
        } else if (group.members().size() + group.pendingIds().size() < before) {
            completeIfAllBack();
        }
        return new ClassicReply.Left(answers);
    }

    private Acknowledgement leave(Leaver leaver) {
        if (leaver.member().isEmpty()) {
            Optional<ClassicMember> named = leaver.instance().flatMap(group::instance);
            if (named.isEmpty()) {
                return new ClassicReply.UnknownMember("there is no member with instance id \""
                        + leaver.instance().orElse("") + "\"; see the group's members");
            }
            happens(new ClassicEvent.Left(named.get().spec().id(), LeaveCause.REMOVED, leaver.reason()));
            return DONE;
        }
        MemberId id = leaver.member().get();
        if (group.pendingIds().containsKey(id)) {
            happens(new ClassicEvent.IdDropped(id));
            return DONE;
        }
        Optional<ClassicReply.Refusal> refusal = group.fence(id, leaver.instance());
        if (refusal.isPresent()) {
            return refusal.get();
        }
        happens(new ClassicEvent.Left(id, LeaveCause.LEFT, leaver.reason()));
        return DONE;
    }

    private ClassicReply expire(ClassicTimer timer) {
        if (!group.timers().contains(timer)) {
            return DONE;
        }
        switch (timer) {
            case ClassicTimer.Settle _, ClassicTimer.Barrier _ -> complete();
            case ClassicTimer.Sync _ -> {
                for (ClassicMember member : List.copyOf(group.members().values())) {
                    if (!member.synced()) {
                        happens(new ClassicEvent.Left(member.spec().id(), LeaveCause.SYNC_TIMED_OUT, ""));
                    }
                }
                rebalanceOrGoOn();
            }
            case ClassicTimer.Id given -> {
                happens(new ClassicEvent.IdDropped(given.member()));
                completeIfAllBack();
            }
            case ClassicTimer.Away gone -> expel(gone.member(), LeaveCause.STAYED_AWAY, "");
        }
        return DONE;
    }

    private ClassicReply sessionExpired(ClassicCommand.SessionExpired expired) {
        // A member that is away has a deadline of its own. A member that another process serves is judged there.
        group.member(expired.member())
                .filter(member ->
                        member.away().isEmpty() && member.spec().host().equals(expired.host()))
                .ifPresent(member -> {
                    if (expired.cause() == LeaveCause.CONNECTION_LOST
                            && member.spec().isStatic()) {
                        // It may be restarting, and has one session for that.
                        happens(new ClassicEvent.Away(expired.member(), expired.cause()));
                    } else {
                        expel(expired.member(), expired.cause(), "");
                    }
                });
        return DONE;
    }

    private ClassicReply hostDied(HostId host) {
        for (ClassicMember member : List.copyOf(group.members().values())) {
            if (member.away().isEmpty() && member.spec().host().equals(host)) {
                happens(new ClassicEvent.Away(member.spec().id(), LeaveCause.PROCESS_DIED));
            }
        }
        return DONE;
    }

    void expel(MemberId id, LeaveCause cause, String reason) {
        happens(new ClassicEvent.Left(id, cause, reason));
        rebalanceOrGoOn();
    }
}
