package dev.muster.core.group;

import java.util.Optional;

/**
 * What a member says of itself when it joins.
 *
 * @param instance set for a static member: it may go and come back within its session without a rebalance
 * @param client a name for people
 * @param host the process it lives in
 * @param adopted whether it outlives its process, because it is at the far end of a connection and the next broker
 *     takes it over: then the death of the host does not expel it at once
 * @param assignor the assignor it asks for
 */
public record MemberSpec(
        MemberId id,
        Optional<String> instance,
        String client,
        HostId host,
        boolean adopted,
        Subscription subscription,
        Timing timing,
        String assignor) {

    /** The name for people, where there is one. */
    String label() {
        return client.isEmpty() ? id.value() : client;
    }

    MemberSpec with(Subscription other) {
        return new MemberSpec(id, instance, client, host, adopted, other, timing, assignor);
    }
}
