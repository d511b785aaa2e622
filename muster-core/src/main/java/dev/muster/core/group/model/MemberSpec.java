package dev.muster.core.group.model;

import java.util.List;
import java.util.Optional;

/**
 * What a member says of itself when it joins.
 *
 * @param instance set for a static member: it may go and come back within its session without a rebalance
 * @param client a name for people
 * @param host the process it lives in, or that serves it
 * @param address set for a remote member, one at the far end of a connection: where it comes from, for people. It
 *     outlives the process that serves it, and the next one takes it over
 * @param assignor the assignor it asks for; a classic member asks for none, and this one is not counted
 * @param protocols of a classic member, one that speaks Kafka's classic protocol: those it knows, the preferred one
 *     first. It is what the group needs should only such members be left. Of all others: none
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

    /** Of a member that does not speak the classic protocol. */
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

    /** The name for people, where there is one. */
    public String label() {
        return client.isEmpty() ? id.value() : client;
    }

    /** Whether it is at the far end of a connection: then the death of the host does not expel it at once. */
    public boolean remote() {
        return address.isPresent();
    }

    /** What stays the same when a remote member comes again under another id. */
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

    /** The same, served by another process. */
    public MemberSpec servedBy(HostId other) {
        return new MemberSpec(id, instance, client, other, address, subscription, timing, assignor, protocols);
    }
}
