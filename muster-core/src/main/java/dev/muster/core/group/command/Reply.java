package dev.muster.core.group.command;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicReply;
import java.util.SortedMap;

/** The reply to a {@link Command}. A refusal is a reply, not a failure, and changed nothing. */
public sealed interface Reply {
    /** The command is done, or there was nothing to do. */
    record Done() implements Reply {}

    /** The member joined. A static member that came back has its old partitions. */
    record Joined(MemberId member, boolean returned) implements Reply {}

    /** The reply of the classic rules, which may be a refusal. */
    record Classic(ClassicReply reply) implements Reply {}

    /** The command is refused. */
    sealed interface Refusal extends Reply {
        /** An explanation for people: the refusal, its reason, and what to try. */
        String text();
    }

    /** There is no such member: it never joined, left, or was expelled. It should join again. */
    record UnknownMember(MemberId member, String text) implements Refusal {}

    /** Another process came with this instance id, and this member was replaced. It must not join again. */
    record FencedInstance(String instance, String text) implements Refusal {}

    /** The instance id belongs to a member that is alive. */
    record InstanceInUse(String instance, String text) implements Refusal {}

    /** The member does not own these partitions, or owns them only since a later generation than it names. */
    record StaleGeneration(SortedMap<TopicPartition, String> why, String text) implements Refusal {}

    /** The group has members, or members that read this topic. */
    record GroupInUse(String text) implements Refusal {}

    /** The group does not wait for members, so there is nothing to complete. */
    record NotForming(String text) implements Refusal {}

    /** The group has members under the classic rules whose metadata cannot be read, so it cannot become modern. */
    record ClassicMembers(String text) implements Refusal {}

    /** The group uses an assignor that this process does not have. */
    record UnknownAssignor(String assignor, String text) implements Refusal {}

    /** There is no such group: it was deleted. */
    record GroupDeleted(String text) implements Refusal {}
}
