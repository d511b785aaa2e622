package dev.muster.kafka.api.cluster;

import java.util.List;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.FinalizedFeatureKey;
import org.apache.kafka.common.message.ApiVersionsResponseData.SupportedFeatureKey;

/**
 * A feature of a whole cluster that a client must know before it uses it, by Kafka's name. To serve a new level, change
 * its line in {@link #ALL}: ApiVersions and the document follow.
 *
 * @param from the lowest level that is possible here
 * @param to the highest level that is possible here
 * @param level the level in force; 0 if the feature is off
 */
public record Feature(String name, int from, int to, int level) {
    public static final List<Feature> ALL = List.of(
            // Level 1 brings the consumer groups of KIP-848.
            new Feature("group.version", 0, 1, 1),
            // Level 1 brings transactions with flexible records, level 2 their second protocol.
            new Feature("transaction.version", 0, 0, 0));

    /** The first version of the response in which a lowest level can be 0. */
    private static final int ZERO_FROM = 4;

    /** The levels in force never change while a server runs. */
    private static final long EPOCH = 0;

    static void tell(ApiVersionsResponseData response, short version) {
        for (Feature feature : ALL) {
            if (feature.from > 0 || version >= ZERO_FROM) {
                response.supportedFeatures()
                        .add(new SupportedFeatureKey()
                                .setName(feature.name)
                                .setMinVersion((short) feature.from)
                                .setMaxVersion((short) feature.to));
            }
            // Features at level 0 are not listed, as with Kafka.
            if (feature.level > 0) {
                response.finalizedFeatures()
                        .add(new FinalizedFeatureKey()
                                .setName(feature.name)
                                .setMinVersionLevel((short) feature.level)
                                .setMaxVersionLevel((short) feature.level));
            }
        }
        response.setFinalizedFeaturesEpoch(EPOCH);
    }
}
