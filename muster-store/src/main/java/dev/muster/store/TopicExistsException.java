package dev.muster.store;

import dev.muster.core.MusterException;

/** There is a topic of that name already. */
public final class TopicExistsException extends MusterException {
    public TopicExistsException(String topic) {
        super("topic \"" + topic + "\" exists already", "choose another name, or delete it first");
    }
}
