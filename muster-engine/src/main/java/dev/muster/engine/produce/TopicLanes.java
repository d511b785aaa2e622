package dev.muster.engine.produce;

import dev.muster.core.CompressionKind;
import dev.muster.core.KeyRouting;
import dev.muster.store.LogStore;
import dev.muster.store.Topic;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.batch.BatchBuilder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A topic as it was when it was looked up: its lanes, and which of them a record takes. When the topic turns out to be
 * deleted or changed this is given up for a new one. Guarded by the buffer's lock, but for what says otherwise.
 */
final class TopicLanes<P> {
    private static final long NO_ID = -1;

    final Topic topic;
    final int batchBytes;
    private final CompressionKind compression;
    private final List<Lane<P>> lanes = new ArrayList<>();
    private final ArrayDeque<BatchBuilder> spareBuilders = new ArrayDeque<>();
    /** Where records without a key go. */
    private int sticky;
    /** Whether no batch has been opened there since it was chosen. */
    private boolean stickyFresh = true;
    /** Of whoever has the turn. */
    private long producerId = NO_ID;

    /** For a look without the lock. */
    volatile int partitions;
    /** Whether the topic has to be looked up again before the next record. */
    volatile boolean stale;

    TopicLanes(Topic topic, SendOptions options, int firstPartition) {
        this.topic = topic;
        this.batchBytes = Math.min(options.batchBytes(), topic.settings().messageBytesMax());
        this.compression = options.compression() == null ? topic.settings().compression() : options.compression();
        grow(topic.partitions());
        this.sticky = Math.floorMod(firstPartition, lanes.size());
    }

    String name() {
        return topic.name().value();
    }

    void grow(int count) {
        for (int partition = lanes.size(); partition < count; partition++) {
            lanes.add(new Lane<>(this, partition));
        }
        partitions = lanes.size();
    }

    /**
     * @param wanted a partition, or {@link RecordSender#ANY_PARTITION}
     * @param routed the partition of the key among {@code routedOf} partitions
     * @param routedOf may be out of date
     */
    Lane<P> lane(int wanted, byte[] key, int routed, int routedOf) {
        if (wanted != RecordSender.ANY_PARTITION) {
            return lanes.get(wanted);
        }
        if (key != null) {
            return lanes.get(routedOf == lanes.size() ? routed : KeyRouting.partition(key, lanes.size()));
        }
        Lane<P> lane = lanes.get(sticky);
        if (lane.open == null && !stickyFresh) {
            sticky = sticky + 1 == lanes.size() ? 0 : sticky + 1;
            stickyFresh = true;
            lane = lanes.get(sticky);
        }
        return lane;
    }

    void opened(Lane<P> lane) {
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

    BatchBuilder builder(int memory) {
        BatchBuilder spare = memory == batchBytes ? spareBuilders.pollLast() : null;
        return spare == null ? new BatchBuilder(new byte[memory], compression) : spare;
    }

    void giveBack(BatchBuilder builder, int memory) {
        if (memory == batchBytes) {
            builder.reset();
            spareBuilders.addLast(builder);
        }
    }

    /** For whoever has the turn. */
    long producerId(LogStore store) {
        if (producerId == NO_ID) {
            producerId = store.newProducerId();
        }
        return producerId;
    }

    /** For whoever has the turn: after this nobody compares our sequences with what may or may not be in the log. */
    void renewIdentity() {
        producerId = NO_ID;
        lanes.forEach(Lane::restartSequence);
    }
}
