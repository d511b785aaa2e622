package dev.muster.core.group.classic;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.MemberId;
import dev.muster.core.group.model.Opaque;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;

/** What a classic group can be asked. Already parsed and checked: no wire types past this line. */
public sealed interface ClassicCommand {
    /**
     * A member comes, or comes back to a rebalance.
     *
     * @param member the id it names; empty: it has none yet, and should there be one it is that of {@code spec}
     * @param idRequired whether one without an id is told to come back with the one it is given (KIP-394)
     * @param maySkip whether the client understands that a leader need not assign (KIP-814)
     * @param reason its own words (KIP-800), may be empty
     */
    record Join(
            Optional<MemberId> member,
            ClassicSpec spec,
            boolean idRequired,
            boolean maySkip,
            String reason,
            Limits limits)
            implements ClassicCommand {}

    /**
     * What whoever serves members allows.
     *
     * @param sizeMax how many members a group may have
     * @param settle how long a group that was empty waits for the next join
     * @param settleMax how long it waits for joins in all; zero: not at all
     */
    record Limits(int sizeMax, Duration settle, Duration settleMax) {}

    /**
     * Who asks, and what he takes for true.
     *
     * @param host the process that serves him
     */
    record Caller(MemberId member, Optional<String> instance, long generation, HostId host) {
        public Caller withInstance(Optional<String> other) {
            return new Caller(member, other, generation, host);
        }
    }

    /**
     * A member asks for its assignment; the leader brings everybody's.
     *
     * @param protocolType checked if it is there
     * @param protocol checked if it is there
     * @param partitions what the assignment means, where somebody could read it
     * @param plain whether that is all it means: the members say nothing else to each other by it
     */
    record Sync(
            Caller caller,
            Optional<String> protocolType,
            Optional<String> protocol,
            Map<MemberId, Opaque> assignment,
            Map<MemberId, SortedSet<TopicPartition>> partitions,
            boolean onlyPartitions)
            implements ClassicCommand {}

    /** A sign of life. It is not written down, but that a member is served by another process now is. */
    record Heartbeat(Caller caller) implements ClassicCommand {}

    /** Members go. */
    record Leave(List<Leaver> leavers) implements ClassicCommand {}

    /**
     * @param member empty: whoever has the instance id is removed by hand
     * @param reason his own words (KIP-800), may be empty
     */
    record Leaver(Optional<MemberId> member, Optional<String> instance, String reason) {}

    /**
     * The group has come so far. Whole or not at all.
     *
     * @param caller empty: a consumer that is no member
     */
    record Commit(Optional<Caller> caller, SortedMap<TopicPartition, CommittedOffset> offsets)
            implements ClassicCommand {}

    /** A timer ran out. Void unless the state still asks for it. */
    record Expire(ClassicTimer timer) implements ClassicCommand {}

    /** A member gave no sign of life for its whole session, or waited too long, says the process that serves it. */
    record SessionExpired(MemberId member, HostId host, LeaveCause cause) implements ClassicCommand {}

    /** The kernel says that a process is dead. Those it served keep their place for one session. */
    record HostDied(HostId host) implements ClassicCommand {}

    /** A process takes over those that others, now dead, served. */
    record Adopt(HostId by, Set<HostId> dead) implements ClassicCommand {}
}
