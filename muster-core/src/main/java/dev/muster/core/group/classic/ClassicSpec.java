package dev.muster.core.group.classic;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.Opaque;
import dev.muster.core.group.model.Origin;
import dev.muster.core.group.model.Protocol;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/**
 * The description that a member gives of itself when it joins.
 *
 * @param instance instance id of a static member; another membership with the same one takes its place
 * @param client client id, a name for people
 * @param address address of its connection, for people
 * @param host process that serves the member and judges whether it is alive
 * @param session longest time without a sign of life
 * @param rebalance longest time to come back to a rebalance
 * @param protocolType {@code consumer} for consumers, {@code connect} for Connect and so on
 * @param protocols protocols that the member knows, the preferred ones first
 * @param consumerMetadata meaning of the protocols' metadata; empty if the server could not read it
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

    /** The topics that the member subscribes to. Empty if they are not known. */
    public Optional<SortedSet<TopicName>> topics() {
        return consumerMetadata.map(ConsumerMetadata::topics);
    }

    boolean isStatic() {
        return instance.isPresent();
    }

    /** A name for people: the instance id, the client id, or the member id. */
    public String label() {
        return instance.orElse(client.isEmpty() ? id.value() : client);
    }

    /** The properties that stay the same when the client joins again under another id. */
    public Origin origin() {
        return new Origin(client, address);
    }

    /** The metadata that the member sends to the leader for this protocol. */
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
