package dev.muster.core.group.classic;

import dev.muster.core.MemberId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Protocol;
import java.util.List;
import java.util.Optional;

/** Decides joins. An instance belongs to one {@link ClassicDecider} and decides one command. */
final class ClassicJoinDecider {
    /** The largest number of ids that are given and not used yet. The oldest is dropped for a new one. */
    private static final int IDS_MAX = 10_000;

    private final ClassicDecider decider;

    ClassicJoinDecider(ClassicDecider decider) {
        this.decider = decider;
    }

    private ClassicGroup group() {
        return decider.group();
    }

    ClassicReply join(ClassicCommand.Join join) {
        if (!hasRoom(join)) {
            join.member()
                    .flatMap(group()::member)
                    .ifPresent(member -> decider.expel(member.spec().id(), LeaveCause.GROUP_FULL, ""));
            return new ClassicReply.GroupFull("the group has "
                    + join.limits().sizeMax()
                    + " members, the most that are allowed; stop one, or raise the server's limit");
        }
        ClassicSpec spec = join.spec();
        if (!group().supports(spec.protocolType(), spec.protocols())) {
            return inconsistent(spec);
        }
        return join.member().isPresent() ? joinKnown(join, join.member().get()) : joinNew(join);
    }

    /**
     * True if the group has room for this member. During a rebalance only members that came back count: if the limit
     * was lowered, the last ones to come back are expelled.
     */
    private boolean hasRoom(ClassicCommand.Join join) {
        Optional<ClassicMember> known = join.member().flatMap(group()::member);
        return switch (group().state()) {
            case EMPTY, DEAD -> true;
            case PREPARING_REBALANCE ->
                known.filter(ClassicMember::waiting).isPresent()
                        || group().members().values().stream()
                                        .filter(ClassicMember::waiting)
                                        .count()
                                < join.limits().sizeMax();
            case COMPLETING_REBALANCE, STABLE ->
                known.isPresent() || group().members().size() < join.limits().sizeMax();
        };
    }

    private ClassicReply inconsistent(ClassicSpec spec) {
        List<String> names = spec.protocols().stream().map(Protocol::name).toList();
        return new ClassicReply.InconsistentProtocol("the group is of type \""
                + group().protocolType().orElse("") + "\" and its members do not all know any of " + names
                + " of type \""
                + spec.protocolType() + "\"; give all members of the group a protocol in common");
    }

    private ClassicReply joinNew(ClassicCommand.Join join) {
        ClassicSpec spec = join.spec();
        if (spec.isStatic()) {
            Optional<ClassicMember> former = spec.instance().flatMap(group()::instance);
            return former.isPresent() ? replace(former.get(), join) : add(join, withReason("joined", join.reason()));
        }
        if (join.idRequired()) {
            if (group().pendingIds().size() >= IDS_MAX) {
                decider.happens(new ClassicEvent.IdDropped(
                        group().pendingIds().firstEntry().getKey()));
            }
            decider.happens(new ClassicEvent.IdGiven(spec.id(), spec.session()));
            return new ClassicReply.MemberIdRequired(spec.id(), "join again as member " + spec.id());
        }
        return add(join, withReason("joined", join.reason()));
    }

    private ClassicReply joinKnown(ClassicCommand.Join join, MemberId id) {
        if (group().pendingIds().containsKey(id)) {
            // Its only possible reason is that it was told to join with this id, which is not worth a note.
            return join.spec().isStatic() ? ClassicGroup.unknown(id) : add(join, "joined");
        }
        Optional<ClassicReply.Refusal> refusal = group().fence(id, join.spec().instance());
        if (refusal.isPresent()) {
            return refusal.get();
        }
        boolean changed =
                !group().members().get(id).spec().protocols().equals(join.spec().protocols());
        return switch (group().state()) {
            case PREPARING_REBALANCE -> rejoin(join, id, Optional.empty());
            case COMPLETING_REBALANCE ->
                changed ? rejoin(join, id, Optional.of("changed its metadata")) : answer(join, id);
            case STABLE -> {
                if (group().isLeader(id)) {
                    // A leader sees reasons that its metadata does not show, such as topics with more partitions.
                    yield rejoin(join, id, Optional.of("asked for a rebalance as the leader"));
                }
                yield changed ? rejoin(join, id, Optional.of("changed its metadata")) : answer(join, id);
            }
            case EMPTY, DEAD -> ClassicGroup.unknown(id);
        };
    }

    /** Repeats the answer to a join without a change: the member did not receive it, or asks for it again. */
    private ClassicReply answer(ClassicCommand.Join join, MemberId id) {
        decider.servedBy(id, join.spec().host());
        return group().generation(id, decider.generation(), false);
    }

    private ClassicReply add(ClassicCommand.Join join, String what) {
        decider.happens(new ClassicEvent.Joined(join.spec(), what));
        decider.rebalanceOrGoOn(join.limits());
        return joinParked(join.spec().id());
    }

    private ClassicReply rejoin(ClassicCommand.Join join, MemberId id, Optional<String> why) {
        ClassicSpec before = group().members().get(id).spec();
        // A static member stays static, even if the version of its request has no instance id.
        ClassicSpec spec = join.spec().withInstance(before.instance());
        boolean same = before.equals(spec);
        decider.happens(new ClassicEvent.Rejoined(
                id, same ? Optional.empty() : Optional.of(spec), why.map(words -> withReason(words, join.reason()))));
        decider.rebalanceOrGoOn(join.limits());
        return joinParked(id);
    }

    /**
     * A static member came back without its id. In a stable group it takes the place of its former membership, unless
     * that would change the protocol. While the leader assigns, a new generation is needed instead, because the leader
     * assigns to the former id.
     */
    private ClassicReply replace(ClassicMember former, ClassicCommand.Join join) {
        MemberId old = former.spec().id();
        MemberId id = join.spec().id();
        Optional<MemberId> leader = group().leader();
        ClassicEvent withoutRebalance = new ClassicEvent.Replaced(old, join.spec(), false, Optional.empty());
        if (group().state() == ClassicState.STABLE
                && group().protocol()
                        .equals(Optional.of(
                                group().apply(withoutRebalance, 0, 0).chooseProtocol()))) {
            decider.happens(withoutRebalance);
            if (join.maySkip()) {
                return group().generation(id, decider.generation(), group().isLeader(id));
            }
            // An old client would assign if its answer named it as the leader. With its former id as the leader, it
            // only syncs.
            return new ClassicReply.Joined(
                    id,
                    decider.generation(),
                    group().protocolType().orElse(""),
                    group().protocol().orElse(""),
                    leader.orElse(old),
                    List.of(),
                    false);
        }
        Optional<String> why = group().state() == ClassicState.PREPARING_REBALANCE
                ? Optional.empty()
                : Optional.of(withReason("came back", join.reason()));
        decider.happens(new ClassicEvent.Replaced(old, join.spec(), true, why));
        decider.rebalanceOrGoOn(join.limits());
        return joinParked(id);
    }

    private ClassicReply joinParked(MemberId id) {
        return new ClassicReply.JoinParked(id, decider.instance(id));
    }

    private static String withReason(String what, String reason) {
        return reason.isEmpty() ? what : what + " (" + reason + ")";
    }
}
