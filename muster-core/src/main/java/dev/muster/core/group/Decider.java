package dev.muster.core.group;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.assign.Assignor;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicDecision;
import dev.muster.core.group.classic.ClassicMember;
import dev.muster.core.group.classic.ClassicReply;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Decision;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.command.GroupTimer;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.Change;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.PartitionSets;
import dev.muster.core.group.model.PendingRebalance;
import dev.muster.core.group.model.TopicShape;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.Predicate;

/**
 * Decides one command: the methods here compute the events that follow from it. Each event is applied to the decider's
 * own builder at once, so that the next event of the same decision sees its effect. An instance decides one command.
 */
final class Decider {
    static final Reply DONE = new Reply.Done();

    private final GroupBuilder builder;
    private final Map<String, Assignor> assignors;
    private final List<Event> events = new ArrayList<>();
    private final FormingDecider forming;
    private final OffsetsByHand byHand;

    Decider(GroupBuilder builder, Map<String, Assignor> assignors) {
        this.builder = builder;
        this.assignors = assignors;
        this.forming = new FormingDecider(builder, this);
        this.byHand = new OffsetsByHand(builder, this);
    }

    Decision decide(Command command) {
        if (builder.deleted) {
            return refuse(new Reply.GroupDeleted("the group was deleted; join again to begin it anew"));
        }
        Reply reply = switch (command) {
            case Command.Join c -> join(c);
            case Command.Subscribe c -> subscribe(c);
            case Command.Settle c -> settle(c);
            case Command.Leave c -> leave(c);
            case Command.Release c -> release(c);
            case Command.HostDied c -> hostDied(c.host(), c.lastSign());
            case Command.Expire c -> expire(c.timer());
            case Command.SessionExpired c -> sessionExpired(c);
            case Command.ReportFalseAlarm c -> reportFalseAlarm(c.member());
            case Command.Adopt c -> adopt(c);
            case Command.TopicsSeen c -> topicsSeen(c);
            case Command.Commit c -> commit(c);
            case Command.Reset c -> byHand.reset(c);
            case Command.Rewind c -> byHand.rewind(c);
            case Command.Forget c -> byHand.forget(c);
            case Command.Expect c -> forming.expect(c);
            case Command.Complete c -> forming.complete(c.by());
            case Command.FormingOver c -> forming.over(c.token());
            case Command.Delete _ -> delete();
            case Command.Classic c -> classic(c);
        };
        if (Conversion.onlyClassic(builder.members.values())) {
            becomeClassic();
        }
        return new Decision(events, reply);
    }

    private static Decision refuse(Reply.Refusal refusal) {
        return new Decision(List.of(), refusal);
    }

    void happens(Event event) {
        events.add(event);
        // The wall time is known when the entry is written; no rule reads it.
        builder.apply(event, 0);
    }

    // Joins and subscriptions

    private Reply join(Command.Join join) {
        MemberSpec spec = join.member();
        if (!assignors.containsKey(spec.assignor())) {
            return unknownAssignor(spec.assignor());
        }
        if (builder.classic.inUse()) {
            Optional<Reply.Refusal> refusal = becomeModern(spec);
            if (refusal.isPresent()) {
                return refusal.get();
            }
        }
        Optional<Member> known = Optional.ofNullable(builder.members.get(spec.id()))
                .or(() -> spec.instance().flatMap(instance -> Fence.instance(builder.members.values(), instance)));
        if (known.isPresent()
                && known.get().away().isEmpty()
                && !known.get().spec().id().equals(spec.id())) {
            return instanceInUse(spec, known.get().spec().id());
        }
        learnTopics(join.topics(), spec.subscription()::includes);
        if (known.isEmpty()) {
            boolean first = builder.members.isEmpty();
            if (spec.remote() && builder.generation == 0 && builder.members.size() >= PendingRebalance.CROWD) {
                // A remote member without a generation can be sent no answer, and a client that waits for one asks
                // without pause.
                happens(Rebalance.emptyFirstGeneration(builder));
            }
            happens(new Event.MemberJoined(spec));
            forming.joined(first, join.expects());
        } else if (known.get().away().isPresent() || !known.get().spec().equals(spec)) {
            happens(new Event.MemberReturned(known.get().spec().id(), spec));
        }
        return new Reply.Joined(spec.id(), known.isPresent());
    }

    private static Reply.Refusal instanceInUse(MemberSpec spec, MemberId holder) {
        String instance = spec.instance().orElseThrow();
        return new Reply.InstanceInUse(
                instance,
                "instance id \"" + instance + "\" belongs to member " + holder
                        + ", which is alive; give each consumer an instance id of its own, or stop the other one");
    }

    /**
     * A member joins that cannot follow the classic rules. The classic members change to the modern rules, if all of
     * them can.
     */
    private Optional<Reply.Refusal> becomeModern(MemberSpec joiner) {
        var hands = Conversion.inHand(builder);
        if (hands.isEmpty()) {
            return Optional.of(new Reply.ClassicMembers("the group has members that live by Kafka's classic protocol ("
                    + Conversion.names(builder.classic)
                    + "), and what they say to each other cannot be read; stop them first, or join"
                    + " another group"));
        }
        Optional<MemberId> holder = joiner.instance()
                .flatMap(builder.classic::instance)
                .filter(member -> member.away().isEmpty())
                .map(member -> member.spec().id())
                .filter(id -> !id.equals(joiner.id()));
        if (holder.isPresent()) {
            return Optional.of(instanceInUse(joiner, holder.get()));
        }
        happens(new Event.BecameModern(hands.get(), joiner.label() + " joined"));
        return Optional.empty();
    }

    /**
     * Makes the group classic. Members that have not yet released a partition whose offset was set by hand are expelled
     * first: the classic rules cannot make them release it, so they would continue and commit at the old place. An
     * expelled member drops all partitions, joins again and begins at the offset that was set.
     */
    private void becomeClassic() {
        for (Member member : List.copyOf(builder.members.values())) {
            if (!member.recalled().isEmpty()) {
                happens(new Event.MemberLeft(member.spec().id(), LeaveCause.RESET_NOT_HEARD));
            }
        }
        if (builder.members.isEmpty()) {
            rebalance();
        } else {
            happens(new Event.BecameClassic(Change.text(builder.pending.changes())));
        }
    }

    private Reply subscribe(Command.Subscribe subscribe) {
        Optional<Reply.Refusal> refusal = Fence.member(builder, subscribe.member());
        if (refusal.isPresent()) {
            return refusal.get();
        }
        learnTopics(subscribe.topics(), subscribe.subscription()::includes);
        if (!builder.members.get(subscribe.member()).spec().subscription().equals(subscribe.subscription())) {
            happens(new Event.MemberSubscribed(subscribe.member(), subscribe.subscription()));
        }
        return DONE;
    }

    private Reply settle(Command.Settle settle) {
        boolean current = builder.pending.waiting() && builder.pending.token() == settle.token();
        if (current && builder.forming.isEmpty() && !rebalance()) {
            return unknownAssignor(Rebalance.assignor(builder.members.values()));
        }
        return DONE;
    }

    // Leaves and expulsions

    private Reply leave(Command.Leave leave) {
        Optional<Reply.Refusal> refusal = Fence.member(builder, leave.member());
        if (refusal.isPresent()) {
            return refusal.get();
        }
        Member member = builder.members.get(leave.member());
        if (!leave.comesBack() || member.spec().instance().isEmpty()) {
            expel(leave.member(), leave.cause());
        } else if (member.away().isEmpty()) {
            happens(new Event.MemberAway(leave.member(), leave.cause()));
            release(member);
            grantFree();
        }
        return DONE;
    }

    private Reply hostDied(HostId host, OptionalLong lastSign) {
        decideForClassicMembers(new ClassicCommand.HostDied(host));
        boolean anyExpelled = false;
        for (Member member : builder.members.values()) {
            MemberSpec spec = member.spec();
            if (!spec.host().equals(host) || member.away().isPresent()) {
                continue;
            }
            boolean keepsItsPlace = spec.instance().isPresent() || spec.remote();
            anyExpelled |= !keepsItsPlace;
            happens(
                    keepsItsPlace
                            ? new Event.MemberAway(spec.id(), LeaveCause.PROCESS_DIED)
                            : new Event.MemberLeft(spec.id(), LeaveCause.PROCESS_DIED, lastSign));
        }
        if (anyExpelled) {
            rebalance();
        } else {
            grantFree();
        }
        return DONE;
    }

    private Reply expire(GroupTimer.OfMember timer) {
        Member member = builder.members.get(timer.member());
        if (member == null) {
            return DONE;
        }
        switch (timer) {
            case GroupTimer.RevokeDeadline late -> {
                if (member.revokingSince().isPresent() && member.revokingSince().getAsLong() == late.since()) {
                    expel(late.member(), LeaveCause.REVOKE_TIMED_OUT);
                }
            }
            case GroupTimer.AwayDeadline late -> {
                if (member.away().isPresent() && member.away().getAsLong() == late.token()) {
                    expel(late.member(), LeaveCause.STAYED_AWAY);
                }
            }
        }
        return DONE;
    }

    private Reply sessionExpired(Command.SessionExpired expired) {
        Member member = builder.members.get(expired.member());
        // A member that is away has a deadline of its own. A member that moved to another host is judged there.
        if (member != null && member.away().isEmpty() && member.spec().host().equals(expired.host())) {
            if (expired.cause() == LeaveCause.CONNECTION_LOST
                    && member.spec().instance().isPresent()) {
                happens(new Event.MemberAway(expired.member(), expired.cause()));
            } else {
                expel(expired.member(), expired.cause(), expired.lastSign());
            }
        }
        decideForClassicMembers(new ClassicCommand.SessionExpired(expired.member(), expired.host(), expired.cause()));
        return DONE;
    }

    private Reply reportFalseAlarm(MemberId member) {
        boolean isMember = builder.members.containsKey(member)
                || builder.classic.member(member).isPresent();
        if (!isMember && builder.missing(member).isPresent()) {
            happens(new Event.FalseAlarm(member));
        }
        return DONE;
    }

    private Reply adopt(Command.Adopt adopt) {
        for (Member member : builder.members.values()) {
            MemberSpec spec = member.spec();
            boolean away = member.away().isPresent();
            if (!spec.remote() || spec.host().equals(adopt.by())) {
                continue;
            }
            if (spec.instance().isEmpty() && (away || adopt.dead().contains(spec.host()))) {
                happens(new Event.MemberReturned(spec.id(), spec.servedBy(adopt.by())));
            } else if (!away && adopt.dead().contains(spec.host())) {
                // It may have died with its server and come back under another id: it must send something before its
                // deadline.
                happens(new Event.MemberAway(spec.id(), LeaveCause.PROCESS_DIED));
            }
        }
        decideForClassicMembers(new ClassicCommand.Adopt(adopt.by(), adopt.dead()));
        return DONE;
    }

    /** Adds the events of the classic rules, which concern members only while the group follows these rules. */
    private void decideForClassicMembers(ClassicCommand command) {
        builder.classic
                .decide(command, builder.generation)
                .events()
                .forEach(event -> happens(new Event.Classic(event)));
    }

    private void expel(MemberId member, LeaveCause cause) {
        expel(member, cause, OptionalLong.empty());
    }

    private void expel(MemberId member, LeaveCause cause, OptionalLong lastSign) {
        happens(new Event.MemberLeft(member, cause, lastSign));
        // If this process lacks the assignor, the change stays pending, and a process that has the assignor makes the
        // generation.
        rebalance();
    }

    // Partitions and topics

    private Reply release(Command.Release release) {
        Optional<Reply.Refusal> refusal = Fence.member(builder, release.member());
        if (refusal.isPresent()) {
            return refusal.get();
        }
        SortedSet<TopicPartition> toRelease =
                builder.members.get(release.member()).toRelease();
        SortedSet<TopicPartition> released =
                PartitionSets.filter(release.partitions(), partition -> toRelease.contains(partition));
        release(release.member(), released);
        return DONE;
    }

    /** A member has released these partitions. They are granted to the members whose target they are in. */
    void release(MemberId member, SortedSet<TopicPartition> released) {
        if (!released.isEmpty()) {
            happens(new Event.Released(member, released));
            builder.grants().forEach(this::happens);
        }
    }

    private Reply topicsSeen(Command.TopicsSeen seen) {
        Set<TopicName> all = new HashSet<>(builder.topics.keySet());
        all.addAll(seen.topics().keySet());
        // The metadata of classic members cannot always be read, so every topic that the group knows counts as read.
        Set<TopicName> read = builder.classic.inUse() ? all : TopicChanges.read(builder.members.values(), all);
        long before = builder.tokens;
        learnTopics(seen.topics(), read::contains);
        if (builder.tokens != before) {
            // A member reads a topic that changed. Partitions without an owner are assigned at once.
            rebalance();
        }
        return DONE;
    }

    void learnTopics(SortedMap<TopicName, TopicShape> seen, Predicate<TopicName> looked) {
        SortedMap<TopicName, TopicShape> now = TopicChanges.merge(builder.topics, seen, looked);
        if (!now.equals(builder.topics)) {
            happens(new Event.TopicsChanged(now));
        }
    }

    /** @return true if a generation was made or none is needed; false if this process does not have the assignor */
    boolean rebalance() {
        if (Conversion.onlyClassic(builder.members.values())) {
            // From now on the members assign partitions themselves.
            return true;
        }
        if (builder.forming.isPresent()) {
            // No member has a partition before the group has formed, whatever changed.
            return true;
        }
        Optional<Event.Rebalanced> rebalanced = Rebalance.of(builder, assignors);
        rebalanced.ifPresent(event -> {
            happens(event);
            grantFree();
        });
        return rebalanced.isPresent();
    }

    /**
     * Releases the partitions of members that are gone with nothing in hand, then grants every free partition to the
     * member whose target it is in.
     */
    void grantFree() {
        for (Member member : builder.members.values()) {
            if (member.emptyHanded()) {
                release(member);
            }
        }
        builder.grants().forEach(this::happens);
    }

    private void release(Member member) {
        if (!member.toRelease().isEmpty()) {
            happens(new Event.Released(member.spec().id(), member.toRelease()));
        }
    }

    // Offsets and deletion

    private Reply commit(Command.Commit commit) {
        Optional<Reply.Refusal> refusal =
                Fence.member(builder, commit.member()).or(() -> Fence.commit(builder, commit));
        if (refusal.isPresent()) {
            return refusal.get();
        }
        if (!commit.offsets().isEmpty()) {
            events.add(new Event.Committed(commit.member(), commit.offsets()));
        }
        return DONE;
    }

    private Reply delete() {
        if (builder.classic.inUse()) {
            return new Reply.GroupInUse("the group has members (" + Conversion.names(builder.classic)
                    + "), so it cannot be deleted; stop them first");
        }
        if (!builder.members.isEmpty()) {
            List<String> names = builder.members.values().stream()
                    .limit(3)
                    .map(member -> member.spec().label())
                    .toList();
            return new Reply.GroupInUse("the group has members ("
                    + Change.list(names, builder.members.size() - names.size())
                    + "), so it cannot be deleted; " + hint(builder.members.values(), "stop them first"));
        }
        happens(new Event.GroupDeleted());
        return DONE;
    }

    /**
     * A hint for a refusal because of these members. A member that is away cannot be stopped, and if no process has a
     * member, no process measures how long it stays away.
     */
    static String hint(Collection<Member> members, String otherwise) {
        return members.stream().allMatch(member -> member.away().isPresent())
                ? "it is away and keeps its place, so remove it from the group first"
                : otherwise;
    }

    // Commands of the classic protocol

    private Reply classic(Command.Classic classic) {
        if (!builder.members.isEmpty()) {
            Optional<ClassicReply> reply = new ClassicInModern(builder, this, forming).decide(classic);
            if (reply.isPresent()) {
                return new Reply.Classic(reply.get());
            }
        }
        Optional<ClassicReply> late = lateCommit(classic.command());
        if (late.isPresent()) {
            return new Reply.Classic(late.get());
        }
        ClassicDecision decision = builder.classic.decide(classic.command(), builder.generation);
        // Commits are frequent, and mostly of topics that have not changed.
        boolean news = classic.topics().entrySet().stream()
                .anyMatch(topic -> !topic.getValue().equals(builder.topics.get(topic.getKey())));
        if (news && !decision.events().isEmpty()) {
            learnTopics(classic.topics(), topic -> classic.topics().containsKey(topic));
        }
        decision.events().forEach(event -> happens(new Event.Classic(event)));
        return new Reply.Classic(decision.reply());
    }

    /**
     * The refusal of a commit from a generation of the modern rules, if it names a partition that the member did not
     * own then. Empty for every other command.
     */
    private Optional<ClassicReply> lateCommit(ClassicCommand command) {
        if (!(command instanceof ClassicCommand.Commit commit)) {
            return Optional.empty();
        }
        return commit.caller()
                .filter(caller -> caller.generation() >= 0 && caller.generation() < builder.generation)
                .filter(caller -> builder.classic
                        .member(caller.member())
                        .filter(ClassicMember::resumed)
                        .isPresent())
                .flatMap(caller -> Fence.commit(
                        builder, new Command.Commit(caller.member(), caller.generation(), commit.offsets())))
                .map(stale -> new ClassicReply.RebalanceInProgress(stale.text()));
    }

    private Reply unknownAssignor(String name) {
        return new Reply.UnknownAssignor(
                name,
                "this process does not have assignor \"" + name + "\", it has "
                        + String.join(", ", assignors.keySet().stream().sorted().toList())
                        + "; register it in every process of the group, or ask for another one");
    }
}
