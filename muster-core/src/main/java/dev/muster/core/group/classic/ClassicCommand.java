package dev.muster.core.group.classic;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Opaque;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * The commands of a group under the classic rules. They are parsed and checked, and hold no types of the wire protocol.
 */
public sealed interface ClassicCommand {
    /** The largest length of a reason. A longer one is cut. */
    int REASON_LENGTH_MAX = 255;

    /**
     * A member joins, or comes back to a rebalance.
     *
     * @param member id that the request names; empty if it names none, and then {@code spec} has the id that would be
     *     given
     * @param idRequired True if a member without an id must join again with the id that it is given (KIP-394)
     * @param maySkip True if the client understands that a leader need not assign (KIP-814)
     * @param reason the client's explanation (KIP-800); may be empty
     */
    record Join(
            Optional<MemberId> member,
            ClassicSpec spec,
            boolean idRequired,
            boolean maySkip,
            String reason,
            Limits limits)
            implements ClassicCommand {
        public Join {
            reason = shortened(reason);
        }
    }

    /**
     * The limits that the server sets.
     *
     * @param sizeMax largest number of members of a group
     * @param settle time that a formerly empty group waits for the next join
     * @param settleMax time that it waits for joins in all; zero if it does not wait
     */
    record Limits(int sizeMax, Duration settle, Duration settleMax) {}

    /**
     * The member that sends a command, as the request describes it.
     *
     * @param host process that serves the member
     */
    record Caller(MemberId member, Optional<String> instance, long generation, HostId host) {
        public Caller withInstance(Optional<String> other) {
            return new Caller(member, other, generation, host);
        }
    }

    /** A member asks for its assignment. The leader's sync brings the assignment of all members. */
    record Sync(Caller caller, SyncContent content) implements ClassicCommand {}

    /**
     * The content of a sync.
     *
     * @param protocolType checked if present
     * @param protocol checked if present
     * @param assignment bytes that the leader sends to each member; empty from other members
     * @param partitions partitions in the assignment, for members whose bytes could be read
     * @param onlyPartitions True if the assignment means these partitions and nothing else, so that it has no further
     *     message between members
     */
    record SyncContent(
            Optional<String> protocolType,
            Optional<String> protocol,
            Map<MemberId, Opaque> assignment,
            Map<MemberId, SortedSet<TopicPartition>> partitions,
            boolean onlyPartitions) {}

    /** A sign of life. It leaves no event, except when the member is now served by another process. */
    record Heartbeat(Caller caller) implements ClassicCommand {}

    /** Members leave. */
    record Leave(List<Leaver> leavers) implements ClassicCommand {}

    /**
     * @param member id of the leaving member; empty if the member with the instance id is removed by hand
     * @param reason the client's explanation (KIP-800); may be empty
     */
    record Leaver(Optional<MemberId> member, Optional<String> instance, String reason) {
        public Leaver {
            reason = shortened(reason);
        }
    }

    /** Shortens a reason, because the group keeps the reasons of a hundred generations. */
    private static String shortened(String reason) {
        return reason.length() <= REASON_LENGTH_MAX ? reason : reason.substring(0, REASON_LENGTH_MAX);
    }

    /**
     * A commit. All offsets are stored, or none.
     *
     * @param caller committing member; empty if the consumer is not a member
     */
    record Commit(Optional<Caller> caller, SortedMap<TopicPartition, CommittedOffset> offsets)
            implements ClassicCommand {}

    /** A timer expired. Ignored unless the state still asks for the timer. */
    record Expire(ClassicTimer timer) implements ClassicCommand {}

    /**
     * A member gave no sign of life for its whole session, or waited too long, as the process that serves it reports.
     */
    record SessionExpired(MemberId member, HostId host, LeaveCause cause) implements ClassicCommand {}

    /** A process is dead, as the kernel reports. The members that it served keep their place for one session. */
    record HostDied(HostId host) implements ClassicCommand {}

    /** A process takes over the members that dead processes served. */
    record Adopt(HostId by, Set<HostId> dead) implements ClassicCommand {}
}
