package dev.muster.kafka.api.topics;

import dev.muster.core.MusterException;
import dev.muster.core.TopicSettings;
import dev.muster.kafka.api.KafkaErrors;
import dev.muster.kafka.api.TopicDirectory;
import dev.muster.store.LogStore;
import dev.muster.store.Topic;
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
    record Wish(byte type, String name, UnaryOperator<TopicSettings> change) {}

    /** @param message the error message, or null without an error */
    record Outcome(Wish wish, Errors error, String message) {}

    private final LogStore store;
    private final TopicDirectory topics;

    ConfigChange(LogStore store, TopicDirectory topics) {
        this.store = store;
        this.topics = topics;
    }

    /** Makes each change in order. A failure does not affect the others. */
    void make(Stream<Wish> wishes, boolean onlyTry, Consumer<Outcome> told) {
        wishes.map(wish -> make(wish, onlyTry)).forEach(told);
    }

    private Outcome make(Wish wish, boolean onlyTry) {
        if (ConfigResource.Type.forId(wish.type()) != ConfigResource.Type.TOPIC) {
            return new Outcome(
                    wish,
                    Errors.INVALID_REQUEST,
                    "only topics can be altered: the server's settings are fixed at its start");
        }
        Optional<Topic> topic = topics.find(wish.name());
        if (topic.isEmpty()) {
            return new Outcome(wish, Errors.UNKNOWN_TOPIC_OR_PARTITION, "there is no topic \"" + wish.name() + "\"");
        }
        TopicSettings changed;
        try {
            changed = wish.change().apply(topic.get().settings());
        } catch (MusterException e) {
            return new Outcome(wish, Errors.INVALID_CONFIG, TopicConfigs.explained(e));
        }
        try {
            if (!onlyTry) {
                store.alter(topic.get().name(), changed);
            }
            return new Outcome(wish, Errors.NONE, null);
        } catch (MusterException e) {
            return new Outcome(wish, KafkaErrors.of(e), e.getMessage());
        }
    }
}
