package dev.muster.core.group.model;

import dev.muster.core.MemberId;
import java.util.List;
import java.util.Optional;

/**
 * The description that a member gives of itself when it joins.
 *
 * @param instance instance id of a static member, which may go away and come back within its session without a
 *     rebalance
 * @param client name for people
 * @param host process that the member lives in, or that serves it
 * @param address set for a remote member, one at the far end of a connection: its address, for people. A remote member
 *     outlives the process that serves it, and the next server takes it over
 * @param assignor assignor that the member asks for; that of a classic member is not counted
 * @param protocols protocols that a member of Kafka's classic protocol knows, the preferred one first; needed if only
 *     such members are left. Empty for all other members
 */
public record MemberSpec(
        MemberId id,
        Optional<String> instance,
        String client,
        HostId host,
        Optional<String> address,
        Subscription subscription,
        Timing timing,
        String assignor,
        List<Protocol> protocols) {

    public MemberSpec {
        protocols = List.copyOf(protocols);
    }

    /** A description of a member that does not use the classic protocol. */
    public MemberSpec(
            MemberId id,
            Optional<String> instance,
            String client,
            HostId host,
            Optional<String> address,
            Subscription subscription,
            Timing timing,
            String assignor) {
        this(id, instance, client, host, address, subscription, timing, assignor, List.of());
    }

    /** A name for people: the client's, or the member id if that is empty. */
    public String label() {
        return client.isEmpty() ? id.value() : client;
    }

    /** True if the member is at the far end of a connection. Then the death of its host does not expel it at once. */
    public boolean remote() {
        return address.isPresent();
    }

    /** The properties that stay the same when a remote member joins again under another id. */
    public Origin origin() {
        return new Origin(client, address.orElseThrow());
    }

    /** True if it uses Kafka's classic protocol. */
    public boolean classic() {
        return !protocols.isEmpty();
    }

    public MemberSpec with(Subscription other) {
        return new MemberSpec(id, instance, client, host, address, other, timing, assignor, protocols);
    }

    public MemberSpec with(List<Protocol> others) {
        return new MemberSpec(id, instance, client, host, address, subscription, timing, assignor, others);
    }

    public MemberSpec withInstance(Optional<String> other) {
        return new MemberSpec(id, other, client, host, address, subscription, timing, assignor, protocols);
    }

    /** The same description, with another process that serves the member. */
    public MemberSpec servedBy(HostId other) {
        return new MemberSpec(id, instance, client, other, address, subscription, timing, assignor, protocols);
    }
}
