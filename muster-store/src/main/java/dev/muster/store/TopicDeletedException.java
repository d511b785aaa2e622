package dev.muster.store;

import dev.muster.core.MusterException;

/** The topic was deleted while it was in use. Records that were not acknowledged before are lost. */
public final class TopicDeletedException extends MusterException {
    public TopicDeletedException(String topic) {
        super(
                "topic \"" + topic + "\" was deleted while it was in use",
                "open it again: there may be a new one of that name");
    }
}
