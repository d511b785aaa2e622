package dev.muster.store;

import dev.muster.core.MusterException;

/** There is no such topic, or no such partition of it. */
public final class TopicNotFoundException extends MusterException {
    public TopicNotFoundException(String what) {
        super("there is no " + what, "see which there are: muster topic list");
    }
}
