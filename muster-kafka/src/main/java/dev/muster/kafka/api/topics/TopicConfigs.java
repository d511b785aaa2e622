package dev.muster.kafka.api.topics;

import dev.muster.core.MusterException;
import dev.muster.core.TopicSettings;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigType;

/**
 * The settings of a topic as Kafka's tools know them. What Kafka lets one choose and we do not is listed with the value
 * it always has; to ask for just that is no error, to ask for anything else is.
 */
final class TopicConfigs {
    /** How this store always behaves, in Kafka's words. */
    private static final Map<String, String> FIXED = fixed();

    private static Map<String, String> fixed() {
        Map<String, String> fixed = new LinkedHashMap<>();
        fixed.put("cleanup.policy", "delete");
        // Batches are kept as they came: the setting of that name is for embedded producers.
        fixed.put("compression.type", "producer");
        fixed.put("min.insync.replicas", "1");
        fixed.put("unclean.leader.election.enable", "false");
        fixed.put("preallocate", "false");
        return fixed;
    }

    private TopicConfigs() {}

    /** One setting changed; a value of null brings the default back. */
    static TopicSettings set(TopicSettings settings, String key, String value) {
        String fixed = FIXED.get(key);
        if (fixed != null) {
            if (value == null || value.equals(fixed)) {
                return settings;
            }
            throw new MusterException(key + " is always " + fixed + " here", "leave it out");
        }
        return settings.with(key, value == null ? TopicSettings.DEFAULT.toMap().get(key) : value);
    }

    static Map<String, String> all(TopicSettings settings) {
        Map<String, String> all = new LinkedHashMap<>(settings.toMap());
        all.putAll(FIXED);
        return all;
    }

    static boolean isFixed(String key) {
        return FIXED.containsKey(key);
    }

    static ConfigSource source(String key, TopicSettings settings) {
        boolean isDefault = isFixed(key)
                || settings.toMap()
                        .get(key)
                        .equals(TopicSettings.DEFAULT.toMap().get(key));
        return isDefault ? ConfigSource.DEFAULT_CONFIG : ConfigSource.TOPIC_CONFIG;
    }

    static ConfigType type(String key, String value) {
        if (key.equals("cleanup.policy")) {
            return ConfigType.LIST;
        }
        if (value.equals("true") || value.equals("false")) {
            return ConfigType.BOOLEAN;
        }
        if (!value.matches("-?[0-9]+")) {
            return ConfigType.STRING;
        }
        return key.endsWith(".ms") || key.endsWith("retention.bytes") ? ConfigType.LONG : ConfigType.INT;
    }

    static String explained(MusterException e) {
        return e.getMessage() + e.hint().map(hint -> " (" + hint + ")").orElse("");
    }
}
