package dev.muster.kafka.api.topics;

import dev.muster.core.MusterException;
import dev.muster.core.TopicSettings;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigType;

/**
 * The settings of a topic as Kafka's tools know them. Settings of Kafka that cannot be changed here are listed with
 * their fixed value. To set such a setting to its value is no error; any other value is refused.
 */
final class TopicConfigs {
    /** The fixed behaviour of all topics, in Kafka's settings. */
    private static final Map<String, String> FIXED = fixed();

    private static Map<String, String> fixed() {
        Map<String, String> fixed = new LinkedHashMap<>();
        fixed.put("cleanup.policy", "delete");
        // Batches are kept as they came. Our setting of that name is for embedded producers.
        fixed.put("compression.type", "producer");
        fixed.put("min.insync.replicas", "1");
        fixed.put("unclean.leader.election.enable", "false");
        fixed.put("preallocate", "false");
        return fixed;
    }

    private TopicConfigs() {}

    /** The settings with one of them changed; a null value restores the default. */
    static TopicSettings set(TopicSettings settings, String key, String value) {
        String fixed = FIXED.get(key);
        if (fixed != null) {
            if (value == null || value.equals(fixed)) {
                return settings;
            }
            throw new MusterException(key + " is always " + fixed + " here", "leave the setting out");
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
