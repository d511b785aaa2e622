package dev.muster.store;

import dev.muster.core.MusterException;

/** The topic does not exist, or has no such partition. */
public final class TopicNotFoundException extends MusterException {
    public TopicNotFoundException(String what) {
        super("there is no " + what, "see which there are: muster topic list");
    }
}
