package dev.muster.kafka.api.topics;

import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.core.TopicSettings;
import dev.muster.kafka.api.KafkaErrors;
import dev.muster.kafka.api.TopicDirectory;
import dev.muster.store.LogStore;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.protocol.Errors;

/** Changes settings of topics, for both APIs that do so. */
final class ConfigChange {
    /** @param message the error message, or null without an error */
    record Outcome(Errors error, String message) {}

    private final LogStore store;
    private final TopicDirectory topics;

    ConfigChange(LogStore store, TopicDirectory topics) {
        this.store = store;
        this.topics = topics;
    }

    /**
     * Changes the settings of one topic.
     *
     * @param change throws {@link MusterException} if it is not possible
     * @param onlyTry true if the change is checked and not made
     */
    Outcome make(byte type, String name, UnaryOperator<TopicSettings> change, boolean onlyTry) {
        if (ConfigResource.Type.forId(type) != ConfigResource.Type.TOPIC) {
            return new Outcome(
                    Errors.INVALID_REQUEST, "only topics can be altered: the server's settings are fixed at its start");
        }
        Optional<Topic> topic = topics.find(name);
        if (topic.isEmpty()) {
            return new Outcome(Errors.UNKNOWN_TOPIC_OR_PARTITION, "there is no topic \"" + name + "\"");
        }
        TopicSettings changed;
        try {
            changed = change.apply(topic.get().settings());
        } catch (MusterException e) {
            return new Outcome(Errors.INVALID_CONFIG, TopicConfigs.explained(e));
        }
        try {
            if (!onlyTry) {
                store.alter(topic.get().name(), changed);
            }
            return new Outcome(Errors.NONE, null);
        } catch (MusterException e) {
            return new Outcome(KafkaErrors.of(e), e.getMessage());
        }
    }
}
