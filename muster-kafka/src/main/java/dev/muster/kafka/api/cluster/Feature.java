package dev.muster.kafka.api.cluster;

import java.util.List;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.FinalizedFeatureKey;
import org.apache.kafka.common.message.ApiVersionsResponseData.SupportedFeatureKey;

/**
 * Something that a client must know of a whole cluster before it uses it, by the name Kafka has for it. To serve a new
 * level, change its line in {@link #ALL}: ApiVersions and the document follow.
 *
 * @param from the lowest level that is possible here
 * @param to the highest
 * @param level the one that is in force; 0: the feature is not there
 */
public record Feature(String name, int from, int to, int level) {
    public static final List<Feature> ALL = List.of(
            // 1 brings consumer groups of KIP-848.
            new Feature("group.version", 0, 1, 1),
            // 1 brings transactions with flexible records, 2 their second protocol.
            new Feature("transaction.version", 0, 0, 0));

    /** The first version of the answer in which a lowest level can be 0. */
    private static final int ZERO_FROM = 4;

    /** What is in force never changes while a server runs. */
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
            // As Kafka does, nothing is said of what is at level 0.
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
