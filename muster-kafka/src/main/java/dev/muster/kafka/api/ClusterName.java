package dev.muster.kafka.api;

import java.util.UUID;
import org.apache.kafka.common.Uuid;

/** What clients know the store as. */
final class ClusterName {
    private ClusterName() {}

    static String of(UUID id) {
        return new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits()).toString();
    }
}
