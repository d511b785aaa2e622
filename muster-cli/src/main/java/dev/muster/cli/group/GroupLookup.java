package dev.muster.cli.group;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.core.Counts;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.Member;
import dev.muster.embedded.admin.Topics;
import dev.muster.embedded.internal.GroupInspection;
import java.util.List;

/** Finds the group, member or partition that the user named, or throws. */
final class GroupLookup {
    private GroupLookup() {}

    static Group group(GroupInspection groups, String name) {
        new GroupName(name);
        return groups.state(name)
                .filter(group -> !group.deleted())
                .orElseThrow(() -> missing("there is no group \"" + name + "\"", "muster group list"));
    }

    /** The member with this id, instance id or client name. */
    static Member member(Group group, String groupName, String named) {
        List<Member> fits = group.members().values().stream()
                .filter(member -> member.spec().id().value().equals(named))
                .toList();
        if (fits.isEmpty()) {
            fits = group.members().values().stream()
                    .filter(member -> member.spec().client().equals(named)
                            || member.spec().instance().filter(named::equals).isPresent())
                    .toList();
        }
        if (fits.size() > 1) {
            throw new CommandException(
                    ExitCode.REFUSED,
                    fits.size() + " members of group \"" + groupName + "\" are called \"" + named + "\"",
                    "name one by its id: muster group members " + groupName);
        }
        if (fits.isEmpty()) {
            throw missing(
                    "there is no member \"" + named + "\" in group \"" + groupName + "\"",
                    "muster group members " + groupName);
        }
        return fits.getFirst();
    }

    /** Refuses a partition of a topic that is missing, or that has fewer partitions. */
    static void checkPartition(Topics topics, TopicPartition asked) {
        String topic = asked.topic().value();
        int partitions = topics.describe(topic).partitions();
        if (asked.partition() >= partitions) {
            throw missing(
                    "topic \"" + topic + "\" has no partition " + asked.partition() + ": it has "
                            + Counts.of(partitions, "partition") + ", numbered from 0",
                    "muster topic describe " + topic);
        }
    }

    private static CommandException missing(String what, String list) {
        return new CommandException(ExitCode.NOT_FOUND, what, "see which there are: " + list);
    }
}
