package dev.muster.engine.produce;

import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;

/** One partition as a sender sees it. */
final class PartitionQueue<P> {
    final TopicQueues<P> topic;
    final int partition;

    /** The batch for the next record; null if the next record needs a new batch. Guarded by the buffer's lock. */
    Batch<P> open;

    // The fields below are for the writing thread only.
    private PartitionLog log;
    private int nextSequence;
    /** The last batch that the log has of the current round. */
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

    /** Drops the log: the next batch asks the store for it again. */
    void forgetLog() {
        log = null;
    }

    int nextSequence() {
        return nextSequence;
    }

    /** Counts records that the log has. The sequence after the largest int is 0, as in Kafka. */
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
