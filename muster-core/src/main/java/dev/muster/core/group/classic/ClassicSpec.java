package dev.muster.core.group.classic;

import dev.muster.core.TopicName;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.MemberId;
import dev.muster.core.group.model.Opaque;
import dev.muster.core.group.model.Origin;
import dev.muster.core.group.model.Protocol;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/**
 * What a member says of itself when it joins.
 *
 * @param instance set for a static member: who comes with the same one takes its place
 * @param client the client id, a name for people
 * @param address where the connection comes from, for people
 * @param host the process that serves it, and judges whether it lives
 * @param session how long it may give no sign of life
 * @param rebalance how long it may take to come back to a rebalance
 * @param protocolType {@code consumer} for consumers, {@code connect} for Connect and so on
 * @param protocols those it prefers first
 * @param reading what it means by that, where whoever serves it could tell; empty: not known
 */
public record ClassicSpec(
        MemberId id,
        Optional<String> instance,
        String client,
        String address,
        HostId host,
        Duration session,
        Duration rebalance,
        String protocolType,
        List<Protocol> protocols,
        Optional<ConsumerMetadata> consumerMetadata) {

    public ClassicSpec {
        if (!session.isPositive() || rebalance.isNegative()) {
            throw new IllegalArgumentException("times are positive: session " + session + ", rebalance " + rebalance);
        }
        protocols = List.copyOf(protocols);
    }

    /** What it subscribes to, where that is known. */
    public Optional<SortedSet<TopicName>> topics() {
        return consumerMetadata.map(ConsumerMetadata::topics);
    }

    boolean isStatic() {
        return instance.isPresent();
    }

    /** The name for people, where there is one. */
    public String label() {
        return instance.orElse(client.isEmpty() ? id.value() : client);
    }

    /** What stays the same when the client comes again under another id. */
    public Origin origin() {
        return new Origin(client, address);
    }

    /** What it tells the leader under this protocol. */
    public Opaque metadata(String protocol) {
        return protocols.stream()
                .filter(one -> one.name().equals(protocol))
                .map(Protocol::metadata)
                .findFirst()
                .orElse(Opaque.EMPTY);
    }

    boolean knows(String protocol) {
        return protocols.stream().anyMatch(one -> one.name().equals(protocol));
    }

    ClassicSpec withInstance(Optional<String> other) {
        return new ClassicSpec(
                id, other, client, address, host, session, rebalance, protocolType, protocols, consumerMetadata);
    }

    ClassicSpec servedBy(HostId other) {
        return new ClassicSpec(
                id, instance, client, address, other, session, rebalance, protocolType, protocols, consumerMetadata);
    }
}
