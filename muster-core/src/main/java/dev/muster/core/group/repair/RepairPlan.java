package dev.muster.core.group.repair;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.HostId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The findings of a group's repair, and the state that it would write.
 *
 * @param file problem of the file with the group's name; empty if there is none
 * @param damages unreadable parts of the journal behind its last good snapshot
 * @param snapshot version of the last good snapshot; empty if there is none
 * @param linesBefore number of lines before the first damage that count, including the snapshot
 * @param linesBehind number of readable entries behind the first damage
 * @param end version of the next line
 * @param writers living processes, other than this one, that wrote entries behind the last good snapshot
 * @param members number of members in the state before the damage; they must join again
 * @param partitions all partitions, in order
 * @param rebuilt state to be written
 */
public record RepairPlan(
        GroupName group,
        Optional<String> file,
        List<JournalDamage> damages,
        OptionalLong snapshot,
        int linesBefore,
        int linesBehind,
        long end,
        Set<HostId> writers,
        int members,
        List<Step> partitions,
        Group rebuilt) {

    /** The source of a partition's offset. */
    public enum Source {
        /** The snapshot and the entries before the damage. */
        BEFORE,
        /** An entry behind the damage. */
        BEHIND,
        /** The view file of the partition. */
        VIEW,
        /** No source: the offset is not known. */
        NONE
    }

    /**
     * The repair of one partition.
     *
     * @param before offset in the state before the damage
     * @param after offset to be written
     * @param version version of the journal at which the source has the offset; empty if the source is not VIEW or
     *     BEHIND
     * @param again largest number of records that may be delivered twice, because a lost entry may have committed them
     */
    public record Step(
            TopicPartition partition,
            Optional<CommittedOffset> before,
            Optional<CommittedOffset> after,
            Source source,
            OptionalLong version,
            long again) {}

    /** True if the group needs a repair. */
    public boolean needed() {
        return file.isPresent() || !damages.isEmpty();
    }

    /** The number of lost lines. */
    public long lost() {
        return JournalDamage.lost(damages);
    }
}
