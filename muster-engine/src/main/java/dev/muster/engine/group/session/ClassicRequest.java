package dev.muster.engine.group.session;

import dev.muster.core.MemberId;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ConsumerMetadata;
import dev.muster.core.group.model.Protocol;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Requests of clients that speak the classic protocol, before they are checked. */
public interface ClassicRequest {
    /**
     * The sender of a request.
     *
     * @param member id of the member; empty if the request names none
     * @param generation negative if the request names none
     */
    record Identity(String member, Optional<String> instance, long generation) {
        /** A sender that is not a member: an administrator, or a consumer with partitions of its own choice. */
        public static final Identity NO_MEMBER = new Identity("", Optional.empty(), -1);

        public Optional<MemberId> id() {
            return member.isEmpty() ? Optional.empty() : Optional.of(new MemberId(member));
        }
    }

    /**
     * A client asks to be a member.
     *
     * @param member id of the member; empty if it has none yet
     * @param client client id, a name for people; member ids begin with it
     * @param address address of its connection, for people
     * @param reading meaning of the protocols' metadata; empty if the server could not read it
     * @param idRequired True if a member without an id must join again with the id that it is given (KIP-394)
     * @param maySkip True if the client understands that a leader need not assign (KIP-814)
     * @param reason the client's explanation (KIP-800); may be empty
     * @param connection number of the connection, higher than those of earlier connections
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
            long connection) {}

    /** A member asks for its assignment. */
    record Sync(Identity who, ClassicCommand.SyncContent content) {}
}
