package dev.muster.testkit.unpleasant;

import dev.muster.core.TopicId;
import java.util.HashMap;
import java.util.Map;

/** The holders of the right to append: at most one appender for each partition, over all processes of a test. */
public final class Writers {
    private final Map<Place, UnpleasantAppender> holders = new HashMap<>();

    private record Place(TopicId topic, int partition) {}

    /** Makes this appender the holder. @return the former one; null if there was none */
    synchronized UnpleasantAppender take(TopicId topic, int partition, UnpleasantAppender appender) {
        return holders.put(new Place(topic, partition), appender);
    }

    synchronized UnpleasantAppender holder(TopicId topic, int partition) {
        return holders.get(new Place(topic, partition));
    }

    synchronized void release(TopicId topic, int partition, UnpleasantAppender appender) {
        holders.remove(new Place(topic, partition), appender);
    }
}
