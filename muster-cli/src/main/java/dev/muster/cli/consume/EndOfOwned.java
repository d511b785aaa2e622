package dev.muster.cli.consume;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.model.Member;
import dev.muster.embedded.GroupAssignment;
import dev.muster.embedded.GroupConsumer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Decides when {@code --exit} ends a member: it owns all its target partitions, and has read each up to the end that
 * the partition had when it was assigned. For one thread.
 */
final class EndOfOwned {
    private final ToLongFunction<TopicPartition> endOffset;
    private final Supplier<Optional<Group>> state;
    private final Map<TopicPartition, Long> ends = new HashMap<>();

    EndOfOwned(ToLongFunction<TopicPartition> endOffset, Supplier<Optional<Group>> state) {
        this.endOffset = endOffset;
        this.state = state;
    }

    void assigned(Set<TopicPartition> partitions) {
        partitions.forEach(partition -> ends.put(partition, endOffset.applyAsLong(partition)));
    }

    boolean isReached(GroupConsumer<?, ?> consumer) {
        GroupAssignment assignment = consumer.assignment();
        Map<TopicPartition, Long> positions = consumer.positions();
        boolean read = assignment.partitions().stream()
                .allMatch(partition -> positions.getOrDefault(partition, -1L) >= ends.getOrDefault(partition, 0L));
        return read && hasAll(assignment);
    }

    /** True if no partition is to be assigned to this member or revoked from it. */
    private boolean hasAll(GroupAssignment assignment) {
        if (assignment.member().isEmpty()) {
            return false;
        }
        Optional<Group> group = state.get();
        Optional<Member> member = group.map(known -> known.members().get(new MemberId(assignment.member())));
        return member.isPresent()
                && !group.get().settling()
                && member.get().target().equals(member.get().owned())
                && member.get().owned().equals(assignment.partitions());
    }
}
