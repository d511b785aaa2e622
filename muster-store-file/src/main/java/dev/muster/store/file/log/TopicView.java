package dev.muster.store.file.log;

import dev.muster.core.SyncLevel;
import dev.muster.store.Topic;
import java.io.IOException;

/** What a partition must know of its topic, always up to date. */
public interface TopicView {
    Topic topic();

    /** Whether readers see records that are not durable yet. */
    default boolean showsUnsynced() {
        return topic().settings().sync() != SyncLevel.COMMIT;
    }

    /** Whether any process has deleted the topic. */
    boolean isDeleted();

    /** Called about once a second where the partition changes: looks whether the topic's page still has its name. */
    default void look() throws IOException {}

    /**
     * Makes the page by which all processes hear of changes, where there was no room for it before. Called before this
     * process changes anything.
     */
    default void share() throws IOException {}

    /** Called where the partition's folder has lost its name: puts it back if another process took it by mistake. */
    default void restoreFolder() throws IOException {}

    /**
     * Whether records whose sync failed are still read as long as they can be: where others have acted on them before.
     */
    default boolean showsLost() {
        return false;
    }

    /**
     * Throws {@link dev.muster.store.TopicDeletedException} once any process has deleted the topic. Costs nanoseconds.
     */
    void checkNotDeleted();
}
