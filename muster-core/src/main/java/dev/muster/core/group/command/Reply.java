package dev.muster.core.group.command;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicReply;
import dev.muster.core.group.model.MemberId;
import java.util.SortedMap;

/** The answer to a {@link Command}. A refusal is an answer, not a failure of ours, and changed nothing. */
public sealed interface Reply {
    /** Done, or nothing was to be done. */
    record Done() implements Reply {}

    /** Joined. A static member that came back has its old partitions. */
    record Joined(MemberId member, boolean returned) implements Reply {}

    /** The answer of the classic rules, which may be a refusal of theirs. */
    record Classic(ClassicReply reply) implements Reply {}

    /** No, and why. */
    sealed interface Refusal extends Reply {
        /** For people: what, why, and what to try. */
        String text();
    }

    /** There is no such member: it was never there, left, or was expelled. Join again. */
    record UnknownMember(MemberId member, String text) implements Refusal {}

    /** Another process came with this instance id, and this one was replaced. Do not join again. */
    record FencedInstance(String instance, String text) implements Refusal {}

    /** The instance id belongs to a member that is alive. */
    record InstanceInUse(String instance, String text) implements Refusal {}

    /** The member does not own these partitions, or owns them only since a later generation than it names. */
    record StaleGeneration(SortedMap<TopicPartition, String> why, String text) implements Refusal {}

    /** Not while the group has members, or members that read this topic. */
    record GroupInUse(String text) implements Refusal {}

    /** The group does not wait for members: there is nothing to be completed. */
    record NotForming(String text) implements Refusal {}

    /** The group has members that live by the classic rules, and cannot be read, so that it cannot become modern. */
    record ClassicMembers(String text) implements Refusal {}

    /** The group lives by an assignor that this process does not have. */
    record UnknownAssignor(String assignor, String text) implements Refusal {}

    /** No such group: it was deleted. */
    record GroupDeleted(String text) implements Refusal {}
}
