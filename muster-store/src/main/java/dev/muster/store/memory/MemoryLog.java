package dev.muster.store.memory;

import dev.muster.core.RecordTime;
import dev.muster.core.Topic;
import dev.muster.core.TopicPartition;
import dev.muster.store.AppendConflictException;
import dev.muster.store.AppendPlace;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionAppender;
import dev.muster.store.PartitionLog;
import dev.muster.store.RecordTooLargeException;
import dev.muster.store.batch.BatchDecoder;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.read.LogReader;
import dev.muster.store.watch.Registration;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The batches of one partition, each in an array of its own that never changes. One lock guards the list of batches.
 */
final class MemoryLog implements PartitionLog {
    /** The only leader epoch: a log in memory never loses its tail. */
    private static final int LEADER_EPOCH = 0;

    private final MemoryTopic topic;
    private final int partition;
    private final ReentrantLock lock = new ReentrantLock();
    private final AppendListeners listeners = new AppendListeners();

    /** Each batch begins where the one before it ends, and the last one ends at {@link #endOffset}. */
    private final List<Batch> batches = new ArrayList<>();

    /** The start offset, which may be inside the first batch. */
    private long startOffset;

    private long endOffset;
    private long sizeBytes;
    private final Map<String, byte[]> notes = new HashMap<>();

    MemoryLog(MemoryTopic topic, int partition) {
        this.topic = topic;
        this.partition = partition;
    }

    /** One batch with its offsets in place. */
    record Batch(long baseOffset, long endOffset, byte[] bytes) {}

    @Override
    public Topic topic() {
        return topic.description();
    }

    @Override
    public int partition() {
        return partition;
    }

    @Override
    public PartitionAppender appender() {
        locked(() -> endOffset);
        return new MemoryAppender(this);
    }

    /**
     * Appends a batch.
     *
     * @param wanted the offset that must be the end of the log, or {@link MemoryAppender#ANYWHERE}
     */
    AppendPlace append(EncodedBatch batch, long wanted) {
        AppendPlace place = locked(() -> {
            int bytesMax = topic().settings().messageBytesMax();
            if (batch.size() > bytesMax) {
                throw new RecordTooLargeException(topic().name().value(), batch.size(), bytesMax);
            }
            if (wanted != MemoryAppender.ANYWHERE && wanted != endOffset) {
                throw new AppendConflictException(name(), wanted);
            }
            if (topic().settings().recordTime() == RecordTime.LOG_APPEND) {
                batch.setAppendTime(topic.now());
            }
            long base = endOffset;
            batch.place(base, LEADER_EPOCH);
            // A copy, because the producer will use its array again.
            byte[] bytes = Arrays.copyOfRange(batch.array(), batch.at(), batch.at() + batch.size());
            endOffset = base + batch.offsetCount();
            batches.add(new Batch(base, endOffset, bytes));
            sizeBytes += bytes.length;
            return new AppendPlace(base, endOffset);
        });
        listeners.wake();
        return place;
    }

    @Override
    public void awaitDurable(long end) {
        settle();
    }

    @Override
    public long settle() {
        return endOffset();
    }

    @Override
    public long refresh() {
        return endOffset();
    }

    @Override
    public long startOffset() {
        return locked(() -> startOffset);
    }

    @Override
    public long endOffset() {
        return locked(() -> endOffset);
    }

    @Override
    public long sizeBytes() {
        return locked(() -> sizeBytes);
    }

    @Override
    public int leaderEpoch() {
        return LEADER_EPOCH;
    }

    @Override
    public long endOfEpoch(int epoch) {
        return endOffset();
    }

    @Override
    public Optional<byte[]> note(String name) {
        return Optional.ofNullable(locked(() -> notes.get(name))).map(byte[]::clone);
    }

    @Override
    public void keepNote(String name, byte[] content) {
        locked(() -> notes.put(name, content.clone()));
    }

    @Override
    public LogReader reader(long offset) {
        locked(() -> endOffset);
        return new MemoryReader(this, offset);
    }

    /**
     * The batches from the one that holds the offset on: as many as fit into {@code bytesMax} but at least one; none at
     * the end.
     */
    List<Batch> from(long offset, int bytesMax) {
        return locked(() -> {
            if (offset < startOffset || offset > endOffset) {
                throw outOfRange(offset);
            }
            int first = holding(offset);
            int last = first;
            long size = 0;
            while (last < batches.size()
                    && (last == first || size + batches.get(last).bytes().length <= bytesMax)) {
                size += batches.get(last).bytes().length;
                last++;
            }
            return List.copyOf(batches.subList(first, last));
        });
    }

    @Override
    public Optional<OffsetAndTimestamp> firstAtOrAfter(long timestamp) {
        record View(long startOffset, List<Batch> candidates) {}
        View view = locked(() -> new View(
                startOffset,
                batches.stream()
                        .filter(b -> BatchHeader.maxTimestamp(b.bytes(), 0) >= timestamp)
                        .toList()));
        for (Batch batch : view.candidates()) {
            BatchDecoder records = BatchDecoder.over(ByteBuffer.wrap(batch.bytes()));
            while (records.next()) {
                if (records.timestamp() >= timestamp && records.offset() >= view.startOffset()) {
                    return Optional.of(new OffsetAndTimestamp(records.offset(), records.timestamp()));
                }
            }
        }
        return Optional.empty();
    }

    @Override
    public void trim(long newStartOffset) {
        locked(() -> {
            if (newStartOffset < startOffset || newStartOffset > endOffset) {
                throw outOfRange(newStartOffset);
            }
            List<Batch> gone = batches.subList(0, holding(newStartOffset));
            sizeBytes -= gone.stream().mapToLong(b -> b.bytes().length).sum();
            gone.clear();
            startOffset = newStartOffset;
            return startOffset;
        });
    }

    @Override
    public Registration onAppend(Runnable wake) {
        locked(() -> endOffset);
        return listeners.add(wake);
    }

    /** Calls all listeners after a change of the topic or the store. They look at the log and get the exception. */
    void wake() {
        listeners.wake();
    }

    /** The index of the batch that holds the offset; the number of batches if none does. */
    private int holding(long offset) {
        int low = 0;
        int high = batches.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (batches.get(middle).endOffset() <= offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private OffsetOutOfRangeException outOfRange(long offset) {
        return new OffsetOutOfRangeException(name(), offset, startOffset, endOffset);
    }

    private String name() {
        return new TopicPartition(topic().name(), partition).toString();
    }

    private <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            topic.checkUsable();
            return work.get();
        } finally {
            lock.unlock();
        }
    }
}
