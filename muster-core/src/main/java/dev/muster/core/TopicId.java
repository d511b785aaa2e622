package dev.muster.core;

import java.util.UUID;

/** The identity of a topic. A topic that is deleted and created again under the same name has another id. */
public record TopicId(UUID value) {
    public static TopicId parse(String text) {
        return new TopicId(UUID.fromString(text));
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
