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
 * What a repair of a group found, and what it would write.
 *
 * @param file what is wrong with the file that names the group; empty: nothing
 * @param damages where the journal cannot be read, behind its last good snapshot
 * @param snapshot the version of the last good snapshot; empty: there is none
 * @param linesBefore lines in front of the first damage that count, the snapshot among them
 * @param linesBehind entries behind the first damage that can be read
 * @param end the version that the next line gets
 * @param writers living processes, other than this one, that wrote entries behind the last good snapshot
 * @param members how many members the state in front of the damage has: they must join again
 * @param partitions in their order
 * @param rebuilt the state that is written
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

    /** Where the offset of a partition comes from. */
    public enum Source {
        /** The snapshot and the entries in front of the damage. */
        BEFORE,
        /** An entry behind the damage. */
        BEHIND,
        /** The view file of the partition. */
        VIEW,
        /** Nothing tells an offset. */
        NONE
    }

    /**
     * One partition.
     *
     * @param before the offset that the state in front of the damage has
     * @param after the offset that is written
     * @param version of the journal at which the source knows the offset; empty: where the source is not VIEW or BEHIND
     * @param again how many records may be delivered twice at most, because a lost entry may have committed them
     */
    public record Step(
            TopicPartition partition,
            Optional<CommittedOffset> before,
            Optional<CommittedOffset> after,
            Source source,
            OptionalLong version,
            long again) {}

    /** True if there is something to write. */
    public boolean needed() {
        return file.isPresent() || !damages.isEmpty();
    }

    /** How many lines are lost. */
    public long lost() {
        return JournalDamage.lost(damages);
    }
}
