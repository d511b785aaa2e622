package dev.muster.engine.group.session;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ConsumerMetadata;
import dev.muster.core.group.model.Opaque;
import dev.muster.core.group.model.Protocol;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;

/** What clients of the classic rules ask, as they ask it: checked by the protocol class. */
public sealed interface ClassicRequest {
    int REASON_LENGTH_MAX = 255;

    /**
     * The member that asks.
     *
     * @param member empty: none, or not yet
     * @param generation negative: none
     */
    record Identity(String member, Optional<String> instance, long generation) implements ClassicRequest {
        /** A consumer that is no member, or a person. */
        public static final Identity NOBODY = new Identity("", Optional.empty(), -1);

        public Optional<MemberId> id() {
            return member.isEmpty() ? Optional.empty() : Optional.of(new MemberId(member));
        }
    }

    /**
     * @param member empty: it has no id yet
     * @param client the client id, for people; ids are made of it
     * @param address where the connection comes from, for people
     * @param reading what it means by its metadata, where the caller could read them
     * @param idRequired True if one without an id is told to come back with one (KIP-394, from version 4 on)
     * @param maySkip True if the client knows what it means that a leader need not assign (KIP-814, from version 9 on)
     * @param reason its own words (KIP-800), may be empty
     * @param connection a number that no other connection has, higher than those before it
     */
    record Join(
            String member,
            Optional<String> instance,
            String client,
            String address,
            Duration session,
            Duration rebalance,
            String protocolType,
            List<Protocol> protocols,
            Optional<ConsumerMetadata> reading,
            boolean idRequired,
            boolean maySkip,
            String reason,
            long connection)
            implements ClassicRequest {
        public Join {
            reason = shortened(reason);
        }
    }

    /**
     * @param assignment of the leader, by member id; of others empty
     * @param partitions what the assignment means, by member id, where the caller could read it
     * @param plain True if it means that and nothing else
     */
    record Sync(
            Identity who,
            Optional<String> protocolType,
            Optional<String> protocol,
            Map<String, Opaque> assignment,
            Map<String, SortedSet<TopicPartition>> partitions,
            boolean plain)
            implements ClassicRequest {}

    /**
     * @param member empty: the member with the instance id is removed by hand
     * @param reason his own words (KIP-800), may be empty
     */
    record Leaver(String member, Optional<String> instance, String reason) implements ClassicRequest {
        public Leaver {
            reason = shortened(reason);
        }
    }

    /** Reasons are kept for people, with those of a hundred generations. */
    private static String shortened(String reason) {
        return reason.length() <= REASON_LENGTH_MAX ? reason : reason.substring(0, REASON_LENGTH_MAX);
    }
}
