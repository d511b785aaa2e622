package dev.muster.kafka.api;

import dev.muster.kafka.config.HostAndPort;
import dev.muster.store.LogStore;
import java.util.UUID;
import org.apache.kafka.common.Uuid;

/**
 * The one broker of the cluster, as clients know it.
 *
 * @param nodeId the number of the broker
 * @param advertised the address at which clients reach it
 * @param clusterId the id of the store, in the spelling of Kafka
 */
public record BrokerIdentity(int nodeId, HostAndPort advertised, String clusterId) {
    public static BrokerIdentity of(int nodeId, HostAndPort advertised, LogStore store) {
        UUID id = store.id();
        String clusterId = new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits()).toString();
        return new BrokerIdentity(nodeId, advertised, clusterId);
    }
}
