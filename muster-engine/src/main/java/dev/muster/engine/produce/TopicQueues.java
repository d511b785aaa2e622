package dev.muster.engine.produce;

import dev.muster.core.CompressionKind;
import dev.muster.core.CompressionUnavailableException;
import dev.muster.core.KeyRouting;
import dev.muster.core.Topic;
import dev.muster.store.LogStore;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.batch.BatchBuilder;
import dev.muster.store.compression.Compression;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A topic as it was when it was looked up: its queues, and the choice of a queue for a record. A deleted or changed
 * topic gets a new object. Guarded by the buffer's lock, except where a field or method says otherwise.
 */
final class TopicQueues<P> {
    private static final long NO_ID = -1;
    /** Large enough for many records, and small enough for one batch in each of a thousand partitions. */
    private static final int USUAL_BYTES_MAX = 64 << 10;

    final Topic topic;
    final int batchBytes;
    private final CompressionKind compression;
    private final List<PartitionQueue<P>> queues = new ArrayList<>();
    private final int usualBytes;
    private final ArrayDeque<BatchBuilder> spareUsual = new ArrayDeque<>();
    private final ArrayDeque<BatchBuilder> spareLarge = new ArrayDeque<>();
    /** The partition for records without a key. */
    private int sticky;
    /** True if no batch was opened in the sticky partition since it was chosen. */
    private boolean stickyFresh = true;
    /**
     * True if batches fill up before a thread writes them: then fewer and larger writes are faster. False again after a
     * nearly empty batch was taken.
     */
    boolean behind;
    /** For the writing thread only. */
    private long producerId = NO_ID;

    /** The number of queues, readable without the lock. */
    volatile int partitions;
    /** True if the topic has to be looked up again before the next record. */
    volatile boolean stale;

    /** @throws CompressionUnavailableException if the library of the compression is missing */
    TopicQueues(Topic topic, SendOptions options, int firstPartition) {
        this.topic = topic;
        this.batchBytes = Math.min(options.batchBytes(), topic.settings().messageBytesMax());
        this.usualBytes = Math.min(batchBytes, USUAL_BYTES_MAX);
        this.compression = options.compression() == null ? topic.settings().compression() : options.compression();
        Compression.require(compression);
        grow(topic.partitions());
        this.sticky = Math.floorMod(firstPartition, queues.size());
    }

    String name() {
        return topic.name().value();
    }

    void grow(int count) {
        for (int partition = queues.size(); partition < count; partition++) {
            queues.add(new PartitionQueue<>(this, partition));
        }
        partitions = queues.size();
    }

    /**
     * @param wanted a partition, or {@link RecordSender#ANY_PARTITION}
     * @param routed the partition of the key among {@code routedOf} partitions
     * @param routedOf the number of partitions that {@code routed} was computed with; may be out of date
     */
    PartitionQueue<P> queue(int wanted, byte[] key, int routed, int routedOf) {
        if (wanted != RecordSender.ANY_PARTITION) {
            return queues.get(wanted);
        }
        if (key != null) {
            return queues.get(routedOf == queues.size() ? routed : KeyRouting.partition(key, queues.size()));
        }
        PartitionQueue<P> queue = queues.get(sticky);
        if (queue.open == null && !stickyFresh) {
            sticky = sticky + 1 == queues.size() ? 0 : sticky + 1;
            stickyFresh = true;
            queue = queues.get(sticky);
        }
        return queue;
    }

    void opened(PartitionQueue<P> queue) {
        if (queue.partition == sticky) {
            stickyFresh = false;
        }
    }

    boolean has(int wanted) {
        return wanted < queues.size();
    }

    TopicNotFoundException noSuchPartition(int wanted) {
        return new TopicNotFoundException(
                "partition " + wanted + " of topic \"" + name() + "\", which has " + queues.size());
    }

    /**
     * The size in bytes that a new batch may grow to. Large batches only if one for every queue fits into half of the
     * buffer.
     */
    int memory(long bufferBytes) {
        return behind && (long) batchBytes * queues.size() <= bufferBytes / 2 ? batchBytes : usualBytes;
    }

    BatchBuilder builder(int memory) {
        ArrayDeque<BatchBuilder> spares = spares(memory);
        BatchBuilder spare = spares == null ? null : spares.pollLast();
        return spare == null ? new BatchBuilder(new byte[memory], compression) : spare;
    }

    void giveBack(BatchBuilder builder, int memory) {
        ArrayDeque<BatchBuilder> spares = spares(memory);
        if (spares != null) {
            builder.reset();
            spares.addLast(builder);
        }
    }

    private ArrayDeque<BatchBuilder> spares(int memory) {
        if (memory == usualBytes) {
            return spareUsual;
        }
        return memory == batchBytes ? spareLarge : null;
    }

    /** For the writing thread only. */
    long producerId(LogStore store) {
        if (producerId == NO_ID) {
            producerId = store.newProducerId();
        }
        return producerId;
    }

    /** True if the sequences of the queues belong to this producer id. For the writing thread only. */
    boolean isIdentity(long id) {
        return producerId == id;
    }

    /**
     * Takes a new producer id and restarts the sequences. A log then compares no new sequence with batches of unknown
     * outcome. For the writing thread only.
     */
    void renewIdentity() {
        producerId = NO_ID;
        queues.forEach(PartitionQueue::restartSequence);
    }
}
