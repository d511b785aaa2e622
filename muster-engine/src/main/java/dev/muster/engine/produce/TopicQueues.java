package dev.muster.engine.produce;

import dev.muster.core.CompressionKind;
import dev.muster.core.CompressionUnavailableException;
import dev.muster.core.KeyRouting;
import dev.muster.store.LogStore;
import dev.muster.store.Topic;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.batch.BatchBuilder;
import dev.muster.store.compression.Compression;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A topic as it was when it was looked up: its lanes, and which of them a record takes. When the topic turns out to be
 * deleted or changed this is given up for a new one. Guarded by the buffer's lock, but for what says otherwise.
 */
final class TopicQueues<P> {
    private static final long NO_ID = -1;
    /** Enough for company, and little enough to have one for each of a thousand partitions. */
    private static final int USUAL_BYTES_MAX = 64 << 10;

    final Topic topic;
    final int batchBytes;
    private final CompressionKind compression;
    private final List<PartitionQueue<P>> lanes = new ArrayList<>();
    private final int usualBytes;
    private final ArrayDeque<BatchBuilder> spareUsual = new ArrayDeque<>();
    private final ArrayDeque<BatchBuilder> spareLarge = new ArrayDeque<>();
    /** Where records without a key go. */
    private int sticky;
    /** True if no batch has been opened there since it was chosen. */
    private boolean stickyFresh = true;
    /**
     * True if batches fill up before a thread comes to write them: then fewer and larger writes are faster. Until one
     * is taken nearly empty.
     */
    boolean behind;
    /** Of the thread that has the turn. */
    private long producerId = NO_ID;

    /** For a look without the lock. */
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
        this.sticky = Math.floorMod(firstPartition, lanes.size());
    }

    String name() {
        return topic.name().value();
    }

    void grow(int count) {
        for (int partition = lanes.size(); partition < count; partition++) {
            lanes.add(new PartitionQueue<>(this, partition));
        }
        partitions = lanes.size();
    }

    /**
     * @param wanted a partition, or {@link RecordSender#ANY_PARTITION}
     * @param routed the partition of the key among {@code routedOf} partitions
     * @param routedOf may be out of date
     */
    PartitionQueue<P> lane(int wanted, byte[] key, int routed, int routedOf) {
        if (wanted != RecordSender.ANY_PARTITION) {
            return lanes.get(wanted);
        }
        if (key != null) {
            return lanes.get(routedOf == lanes.size() ? routed : KeyRouting.partition(key, lanes.size()));
        }
        PartitionQueue<P> lane = lanes.get(sticky);
        if (lane.open == null && !stickyFresh) {
            sticky = sticky + 1 == lanes.size() ? 0 : sticky + 1;
            stickyFresh = true;
            lane = lanes.get(sticky);
        }
        return lane;
    }

    void opened(PartitionQueue<P> lane) {
        if (lane.partition == sticky) {
            stickyFresh = false;
        }
    }

    boolean has(int wanted) {
        return wanted < lanes.size();
    }

    TopicNotFoundException noSuchPartition(int wanted) {
        return new TopicNotFoundException(
                "partition " + wanted + " of topic \"" + name() + "\", which has " + lanes.size());
    }

    /** How large a new batch may grow. Large ones only where every lane could have one in half of the buffer. */
    int memory(long bufferBytes) {
        return behind && (long) batchBytes * lanes.size() <= bufferBytes / 2 ? batchBytes : usualBytes;
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

    /** For the thread that has the turn. */
    long producerId(LogStore store) {
        if (producerId == NO_ID) {
            producerId = store.newProducerId();
        }
        return producerId;
    }

    /**
     * For the thread that has the turn. After this no log compares our sequences with what may or may not be in the
     * log.
     */
    void renewIdentity() {
        producerId = NO_ID;
        lanes.forEach(PartitionQueue::restartSequence);
    }
}
