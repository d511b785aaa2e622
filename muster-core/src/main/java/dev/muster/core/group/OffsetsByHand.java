package dev.muster.core.group;

import dev.muster.core.MusterException;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.PartitionSets;
import dev.muster.core.group.model.TopicShape;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * Decides commands that set or delete offsets by hand. An instance belongs to one {@link Decider} and decides one
 * command.
 */
final class OffsetsByHand {
    private final GroupBuilder builder;
    private final Decider decider;

    OffsetsByHand(GroupBuilder builder, Decider decider) {
        this.builder = builder;
        this.decider = decider;
    }

    Reply reset(Command.Reset reset) {
        Optional<Reply.Refusal> inUse = inUse(reset.offsets().keySet());
        if (inUse.isPresent()) {
            return inUse.get();
        }
        mustExist(reset.offsets().keySet(), reset.topics());
        if (!reset.offsets().isEmpty()) {
            decider.happens(new Event.OffsetsReset(reset.offsets()));
        }
        return Decider.DONE;
    }

    private void mustExist(Set<TopicPartition> partitions, SortedMap<TopicName, TopicShape> seen) {
        decider.learnTopics(seen, topic -> seen.containsKey(topic));
        for (TopicPartition partition : partitions) {
            TopicShape shape = builder.topics.get(partition.topic());
            if (shape == null || partition.partition() >= shape.partitions()) {
                throw new MusterException(
                        "there is no partition " + partition, "check the topic's partitions and try again");
            }
        }
    }

    Reply rewind(Command.Rewind rewind) {
        if (rewind.offsets().keySet().stream().anyMatch(partition -> builder.classic.subscribes(partition.topic()))) {
            return new Reply.ClassicMembers("the group has members that live by Kafka's classic protocol ("
                    + Conversion.names(builder.classic)
                    + "), whose offsets cannot be reset while they run; stop them first,"
                    + " or use group.protocol=consumer");
        }
        mustExist(rewind.offsets().keySet(), rewind.topics());
        if (rewind.offsets().isEmpty()) {
            return Decider.DONE;
        }
        if (inUse(rewind.offsets().keySet()).isEmpty()) {
            decider.happens(new Event.OffsetsReset(rewind.offsets()));
        } else {
            decider.happens(Rewind.of(builder, rewind));
            decider.grantFree();
        }
        return Decider.DONE;
    }

    Reply forget(Command.Forget forget) {
        Optional<Reply.Refusal> inUse = inUse(forget.partitions());
        if (inUse.isPresent()) {
            return inUse.get();
        }
        SortedSet<TopicPartition> known = PartitionSets.filter(forget.partitions(), builder.offsets::containsKey);
        if (!known.isEmpty()) {
            decider.happens(new Event.OffsetsForgotten(known));
        }
        return Decider.DONE;
    }

    private Optional<Reply.Refusal> inUse(Collection<TopicPartition> partitions) {
        List<TopicName> topics =
                partitions.stream().map(TopicPartition::topic).distinct().toList();
        for (TopicName topic : topics) {
            if (builder.classic.subscribes(topic)) {
                return Optional.of(new Reply.GroupInUse("members of the group (" + Conversion.names(builder.classic)
                        + ") read topic " + topic + ", so its offsets cannot be changed by hand; stop them first"));
            }
        }
        for (Member member : builder.members.values()) {
            SortedSet<TopicName> read = member.spec().subscription().among(topics);
            if (!read.isEmpty()) {
                return Optional.of(
                        new Reply.GroupInUse("member " + member.spec().label() + " subscribes to topic "
                                + read.getFirst() + ", so its offsets cannot be changed by hand; "
                                + Decider.hint(List.of(member), "stop the members that read it first")));
            }
        }
        return Optional.empty();
    }
}
