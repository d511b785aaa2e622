package dev.muster.kafka.api.topics;

import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.core.TopicSettings;
import dev.muster.kafka.api.KafkaErrors;
import dev.muster.kafka.api.TopicDirectory;
import dev.muster.store.LogStore;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.protocol.Errors;

/** Changes settings of topics, for both APIs that do so. */
final class ConfigChange {
    /**
     * The change of one topic's settings.
     *
     * @param change throws {@link MusterException} if it is not possible
     */
    record Change(byte type, String name, UnaryOperator<TopicSettings> change) {}

    /** @param message the error message, or null without an error */
    record Outcome(Change asked, Errors error, String message) {}

    private final LogStore store;
    private final TopicDirectory topics;

    ConfigChange(LogStore store, TopicDirectory topics) {
        this.store = store;
        this.topics = topics;
    }

    /** Makes each change in order. A failure does not affect the others. */
    void make(Stream<Change> changes, boolean onlyTry, Consumer<Outcome> outcomes) {
        changes.map(asked -> make(asked, onlyTry)).forEach(outcomes);
    }

    private Outcome make(Change asked, boolean onlyTry) {
        if (ConfigResource.Type.forId(asked.type()) != ConfigResource.Type.TOPIC) {
            return new Outcome(
                    asked,
                    Errors.INVALID_REQUEST,
                    "only topics can be altered: the server's settings are fixed at its start");
        }
        Optional<Topic> topic = topics.find(asked.name());
        if (topic.isEmpty()) {
            return new Outcome(asked, Errors.UNKNOWN_TOPIC_OR_PARTITION, "there is no topic \"" + asked.name() + "\"");
        }
        TopicSettings changed;
        try {
            changed = asked.change().apply(topic.get().settings());
        } catch (MusterException e) {
            return new Outcome(asked, Errors.INVALID_CONFIG, TopicConfigs.explained(e));
        }
        try {
            if (!onlyTry) {
                store.alter(topic.get().name(), changed);
            }
            return new Outcome(asked, Errors.NONE, null);
        } catch (MusterException e) {
            return new Outcome(asked, KafkaErrors.of(e), e.getMessage());
        }
    }
}
