package dev.muster.core.group;

import java.util.Optional;

/**
 * What a member says of itself when it joins.
 *
 * @param instance set for a static member: it may go and come back within its session without a rebalance
 * @param client a name for people
 * @param host the process it lives in, or that serves it
 * @param address set for a remote member, one at the far end of a connection: where it comes from, for people. It
 *     outlives the process that serves it, and the next one takes it over
 * @param assignor the assignor it asks for
 */
public record MemberSpec(
        MemberId id,
        Optional<String> instance,
        String client,
        HostId host,
        Optional<String> address,
        Subscription subscription,
        Timing timing,
        String assignor) {

    /** The name for people, where there is one. */
    String label() {
        return client.isEmpty() ? id.value() : client;
    }

    /** Whether it is at the far end of a connection: then the death of the host does not expel it at once. */
    public boolean remote() {
        return address.isPresent();
    }

    public MemberSpec with(Subscription other) {
        return new MemberSpec(id, instance, client, host, address, other, timing, assignor);
    }

    /** The same, served by another process. */
    public MemberSpec on(HostId other) {
        return new MemberSpec(id, instance, client, other, address, subscription, timing, assignor);
    }
}
