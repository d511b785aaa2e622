package dev.muster.engine.produce;

import dev.muster.store.LogStore;
import dev.muster.store.PartitionAppender;
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
    private PartitionAppender appender;
    private int nextSequence;
    /** The last batch of the current round that has its place. */
    Batch<P> last;

    /** The number of the round, and of the wave of it, in which the newest batch is written. */
    long round;

    int wave;

    PartitionQueue(TopicQueues<P> topic, int partition) {
        this.topic = topic;
        this.partition = partition;
    }

    /**
     * The right to append, opened if this queue does not hold it.
     *
     * @throws TopicDeletedException if the topic was deleted
     * @throws dev.muster.store.NotOwnerException if another process holds the right
     */
    PartitionAppender appender(LogStore store) {
        if (appender == null) {
            appender = log(store).appender();
        }
        return appender;
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
        closeAppender();
        log = null;
    }

    /** Gives the right to append back. The next batch opens it again. */
    void closeAppender() {
        PartitionAppender held = appender;
        appender = null;
        if (held != null) {
            held.close();
        }
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
