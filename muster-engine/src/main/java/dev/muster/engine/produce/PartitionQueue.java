package dev.muster.engine.produce;

import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;

/** One partition as a sender sees it. */
final class PartitionQueue<P> {
    final TopicQueues<P> topic;
    final int partition;

    /** Where the next record goes; null when that takes a new batch. Guarded by the buffer's lock. */
    Batch<P> open;

    // The rest belongs to the thread that has the turn.
    private PartitionLog log;
    private int nextSequence;
    /** The last batch of the present round that has its place. */
    Batch<P> last;

    PartitionQueue(TopicQueues<P> topic, int partition) {
        this.topic = topic;
        this.partition = partition;
    }

    PartitionLog log(LogStore store) {
        if (log == null) {
            try {
                log = store.log(topic.topic.id(), partition);
            } catch (TopicNotFoundException e) {
                TopicDeletedException deleted = new TopicDeletedException(topic.name());
                deleted.addSuppressed(e);
                throw deleted;
            }
        }
        return log;
    }

    /** The next record goes to the log that the store has then. */
    void forgetLog() {
        log = null;
    }

    int nextSequence() {
        return nextSequence;
    }

    /** Counts records that have their place in the log. Behind the largest int comes 0, as in Kafka. */
    void advanceSequence(int records) {
        nextSequence = (nextSequence + records) & Integer.MAX_VALUE;
    }

    void restartSequence() {
        nextSequence = 0;
    }

    @Override
    public String toString() {
        return topic.name() + "-" + partition;
    }
}
