package dev.muster.core.group;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.Change;
import dev.muster.core.group.model.FormerMember;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.Ownership;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Refuses commands of members that are not, or no longer, entitled to them. Each refusal has the reason. */
final class Fence {
    private Fence() {}

    /** The reason to refuse a command of this member. Empty if it is a member. */
    static Optional<Reply.Refusal> member(GroupBuilder builder, MemberId id) {
        if (builder.members.containsKey(id)) {
            return Optional.empty();
        }
        Optional<FormerMember> departed = FormerMember.find(builder.formerMembers, id);
        if (departed.isEmpty()) {
            return Optional.of(new Reply.UnknownMember(
                    id, "member " + id + " is not in the group, or has been out for long; join again"));
        }
        FormerMember was = departed.get();
        if (was.instance().isPresent()
                && instance(builder.members.values(), was.instance().get()).isPresent()) {
            String instance = was.instance().get();
            return Optional.of(new Reply.FencedInstance(
                    instance,
                    "another process joined with instance id \"" + instance + "\" and took the place of member " + id
                            + "; give each running consumer an instance id of its own"));
        }
        String why = was.cause().map(Change::of).orElse("was replaced");
        return Optional.of(new Reply.UnknownMember(
                id, "member " + id + " is out since generation " + was.generation() + ": it " + why + "; join again"));
    }

    static Optional<Member> instance(Collection<Member> members, String instance) {
        return members.stream()
                .filter(member -> member.spec().instance().equals(Optional.of(instance)))
                .findFirst();
    }

    /** The reason to refuse a commit. Empty if it comes from the owner, in a generation that covers the ownership. */
    static Optional<Reply.Refusal> commit(GroupBuilder builder, Command.Commit commit) {
        SortedMap<TopicPartition, String> why = new TreeMap<>();
        for (TopicPartition partition : commit.offsets().keySet()) {
            Ownership owner = builder.owners.get(partition);
            if (owner == null) {
                why.put(partition, "no member owns it");
            } else if (!owner.member().equals(commit.member())) {
                why.put(partition, "owned by " + owner.member() + " since generation " + owner.since());
            } else if (builder.recalled.containsKey(partition)) {
                why.put(
                        partition,
                        "its offset was set by hand in generation " + builder.recalled.get(partition)
                                + ", release it and begin at that offset");
            } else if (commit.generation() < owner.since()) {
                why.put(
                        partition,
                        "owned only since generation " + owner.since() + ", the commit is of generation "
                                + commit.generation());
            } else if (commit.generation() > builder.generation) {
                why.put(
                        partition,
                        "the commit is of generation " + commit.generation() + ", the group is only at "
                                + builder.generation);
            }
        }
        if (why.isEmpty()) {
            return Optional.empty();
        }
        StringBuilder text = new StringBuilder("commit of " + commit.member() + " refused, nothing was stored: ");
        TopicPartition first = why.firstKey();
        text.append(first).append(": ").append(why.get(first));
        if (why.size() > 1) {
            text.append(", and ").append(why.size() - 1).append(" more");
        }
        text.append("; commit only what is assigned to this member now");
        return Optional.of(new Reply.StaleGeneration(Collections.unmodifiableSortedMap(why), text.toString()));
    }
}
