package dev.muster.core.group;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.model.Change;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * Makes a generation from offsets that are set by hand while members read. No partition moves. Each owner of one of
 * these partitions releases it, is granted it again, and begins at the offset that was set. Its commits of the
 * partition are refused until it released it: they belong to work that the reset undid.
 */
final class Rewind {
    static final String REASON = "everything stays where it is; who owns one of these lets go and begins there anew";

    private static final int NAMED_MAX = 3;

    private Rewind() {}

    static Event.Rewound of(GroupBuilder builder, Command.Rewind command) {
        return new Event.Rewound(builder.generation + 1, command.offsets(), cause(command));
    }

    private static String cause(Command.Rewind command) {
        List<String> first = command.offsets().entrySet().stream()
                .limit(NAMED_MAX)
                .map(one -> one.getKey() + " to " + one.getValue().offset())
                .toList();
        return "reset by " + command.by() + ": "
                + Change.list(first, command.offsets().size() - first.size())
                + (command.why().isBlank() ? "" : ", because " + command.why());
    }

    /** Those of the partitions that have an owner, and the member that each is granted to when it is released. */
    static SortedMap<TopicPartition, Optional<MemberId>> recalled(
            GroupBuilder builder, SortedSet<TopicPartition> partitions) {
        SortedMap<TopicPartition, MemberId> targets = builder.targets();
        SortedMap<TopicPartition, Optional<MemberId>> owned = new TreeMap<>();
        for (TopicPartition partition : partitions) {
            if (builder.owners.containsKey(partition)) {
                owned.put(partition, Optional.ofNullable(targets.get(partition)));
            }
        }
        return owned;
    }
}
