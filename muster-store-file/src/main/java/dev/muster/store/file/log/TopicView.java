package dev.muster.store.file.log;

import dev.muster.core.SyncLevel;
import dev.muster.core.Topic;
import java.io.IOException;

/** The topic as its partitions see it, always up to date. */
public interface TopicView {
    Topic topic();

    /** True if readers see records that are not durable yet. */
    default boolean showsUnsynced() {
        return topic().settings().sync() != SyncLevel.COMMIT;
    }

    /** True if any process has deleted the topic. */
    boolean isDeleted();

    /** Checks that the topic's page still has its name. Called about once a second if the partition changes. */
    default void look() throws IOException {}

    /**
     * Creates the page by which all processes learn of changes, if there was no room for it before. Called before this
     * process changes anything.
     */
    default void share() throws IOException {}

    /**
     * Restores the partition's folder if another process moved it away by mistake. Called when the folder has lost its
     * name.
     */
    default void restoreFolder() throws IOException {}

    /**
     * True if records whose sync failed are read as long as that is possible, because other processes may have acted on
     * them.
     */
    default boolean showsLost() {
        return false;
    }

    /**
     * Throws {@link dev.muster.store.TopicDeletedException} once any process has deleted the topic. Costs nanoseconds.
     */
    void checkNotDeleted();
}
