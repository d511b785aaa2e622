package dev.muster.kafka.api;

import dev.muster.core.MusterException;
import dev.muster.core.TopicSettings;
import dev.muster.kafka.Broker;
import dev.muster.kafka.KafkaErrors;
import dev.muster.store.Topic;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.protocol.Errors;

/** A change of settings, as both APIs for it make it. */
final class ConfigChange {
    /** @param message null when all is well */
    record Outcome(Errors error, String message) {}

    private final Broker broker;

    ConfigChange(Broker broker) {
        this.broker = broker;
    }

    /** @param change throws {@link MusterException} when it is not possible */
    Outcome make(byte type, String name, boolean onlyTry, UnaryOperator<TopicSettings> change) {
        if (ConfigResource.Type.forId(type) != ConfigResource.Type.TOPIC) {
            return new Outcome(
                    Errors.INVALID_REQUEST, "only topics can be altered: the server's settings are fixed at its start");
        }
        Optional<Topic> topic = broker.topics().find(name);
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
                broker.store().alter(topic.get().name(), changed);
            }
            return new Outcome(Errors.NONE, null);
        } catch (MusterException e) {
            return new Outcome(KafkaErrors.of(e), e.getMessage());
        }
    }
}
