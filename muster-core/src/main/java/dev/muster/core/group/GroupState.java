package dev.muster.core.group;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.model.Commit;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.FalseAlarms;
import dev.muster.core.group.model.FormerMember;
import dev.muster.core.group.model.Forming;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.Ownership;
import dev.muster.core.group.model.PendingRebalance;
import dev.muster.core.group.model.SharedMap;
import dev.muster.core.group.model.TopicShape;
import java.util.List;
import java.util.Optional;

/**
 * The whole state of a group, immutable: the content of a snapshot.
 *
 * @param generation epoch of the group; 0 before the first generation
 * @param deleted True if the group was deleted
 * @param tokens counter from which each timer takes a number of its own
 * @param members members under the modern rules; empty while the group follows the classic rules
 * @param topics topics that exist and that members read, or that the group has offsets of
 * @param owners owner of each partition that has one
 * @param revoking partitions that their owner must release, and the generation since which it must
 * @param recalled partitions that their owner must release because of an offset reset, and the generation of the reset
 * @param offsets committed offset of each partition that has one
 * @param history last generations, kept to be shown; no rule reads them
 * @param pending joins and changes that wait for the next generation
 * @param formerMembers last memberships that ended
 * @param falseAlarms expulsions of members that were alive
 * @param classic state of the group under the classic rules
 * @param expectation number of members that a new group waits for
 * @param forming set while the group waits for its expected members
 */
public record GroupState(
        long generation,
        boolean deleted,
        long tokens,
        SharedMap<MemberId, Member> members,
        SharedMap<TopicName, TopicShape> topics,
        SharedMap<TopicPartition, Ownership> owners,
        SharedMap<TopicPartition, Long> revoking,
        SharedMap<TopicPartition, Long> recalled,
        SharedMap<TopicPartition, Commit> offsets,
        History history,
        PendingRebalance pending,
        List<FormerMember> formerMembers,
        FalseAlarms falseAlarms,
        ClassicGroup classic,
        Optional<Expectation> expectation,
        Optional<Forming> forming) {
    public static final GroupState EMPTY = new GroupState(
            0,
            false,
            0,
            SharedMap.empty(),
            SharedMap.empty(),
            SharedMap.empty(),
            SharedMap.empty(),
            SharedMap.empty(),
            SharedMap.empty(),
            History.NONE,
            PendingRebalance.none(),
            List.of(),
            FalseAlarms.NONE,
            ClassicGroup.NONE,
            Optional.empty(),
            Optional.empty());

    /**
     * True if only commits lie between the two states. Members that do not commit can ignore such a change.
     *
     * <p>Compares by identity where a state shares what did not change with the state before it: this is asked after
     * every commit. A part that was replaced by an equal one counts as changed. A test makes sure that no part is left
     * out.
     */
    boolean differsOnlyInOffsets(GroupState other) {
        return generation == other.generation
                && deleted == other.deleted
                && tokens == other.tokens
                && members == other.members
                && topics == other.topics
                && owners == other.owners
                && revoking == other.revoking
                && recalled == other.recalled
                && history == other.history
                && pending == other.pending
                && formerMembers == other.formerMembers
                && falseAlarms == other.falseAlarms
                && classic == other.classic
                && expectation.equals(other.expectation)
                && forming.equals(other.forming);
    }
}
