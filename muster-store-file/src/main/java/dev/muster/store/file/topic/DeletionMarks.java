package dev.muster.store.file.topic;

import dev.muster.core.TopicId;
import java.io.IOException;

/** The marks by which the processes of this boot learn at once that a topic was deleted. */
public interface DeletionMarks {
    /** No marks, for tools that read the directory without opening the store. */
    DeletionMarks NONE = new DeletionMarks() {
        @Override
        public boolean has(TopicId topic) {
            return false;
        }

        @Override
        public void set(TopicId topic) {
            throw new IllegalStateException("a tool must not delete topics");
        }
    };

    boolean has(TopicId topic) throws IOException;

    void set(TopicId topic) throws IOException;
}
