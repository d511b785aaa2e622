package dev.muster.embedded.admin;

import dev.muster.core.TopicPartition;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * The state of a group at one moment.
 *
 * @param version number of changes that led to this state; 0 if there is no such group
 * @param generation number of the current assignment
 * @param assignor name of the assignor; empty if the group never had a member
 * @param members all members, ordered by id
 * @param offsets committed offset of each partition that has one
 */
public record GroupInfo(
        String name,
        long version,
        long generation,
        String assignor,
        List<MemberInfo> members,
        SortedMap<TopicPartition, Long> offsets) {

    public GroupInfo {
        members = List.copyOf(members);
    }

    /**
     * A member of a group.
     *
     * @param instance id of a static member
     * @param client name that the application gave, for people
     * @param host process of the member, or the server that the member is connected to
     * @param partitions partitions that the member owns; empty for a member of Kafka's classic protocol, whose
     *     assignment only the member itself can decode
     */
    public record MemberInfo(
            String id, Optional<String> instance, String client, String host, SortedSet<TopicPartition> partitions) {}
}
