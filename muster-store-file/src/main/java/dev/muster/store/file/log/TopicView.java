package dev.muster.store.file.log;

import dev.muster.store.Topic;

/** What a partition must know of its topic, always up to date. */
public interface TopicView {
    Topic topic();

    /** Whether any process has deleted the topic. */
    boolean isDeleted();

    /**
     * Throws {@link dev.muster.store.TopicDeletedException} once any process has deleted the topic. Costs nanoseconds.
     */
    void checkNotDeleted();
}
