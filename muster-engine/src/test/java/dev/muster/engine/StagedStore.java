package dev.muster.engine;

import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.LogReader;
import dev.muster.store.LogReplacedException;
import dev.muster.store.LogSlice;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.BatchDecoder;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.group.GroupStore;
import dev.muster.store.memory.MemoryStore;
import dev.muster.store.watch.Registration;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/** A store in memory whose appends fail or block on request of a test, and that records all appends. */
public final class StagedStore implements LogStore {
    private final LogStore store = new MemoryStore();

    /** A successful append. */
    public record Append(int partition, int records, long producerId, int baseSequence, Thread thread) {}

    private final List<Append> appends = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger syncs = new AtomicInteger();
    private final Queue<RuntimeException> appendFailures = new ConcurrentLinkedQueue<>();
    private final Queue<RuntimeException> syncFailures = new ConcurrentLinkedQueue<>();
    private final Queue<RuntimeException> readFailures = new ConcurrentLinkedQueue<>();
    private volatile Barrier barrier;
    private volatile IntConsumer onAppend = partition -> {};
    private volatile IntConsumer onSync = partition -> {};

    /** A barrier that blocks appends. */
    public static final class Barrier {
        private final Semaphore arrived = new Semaphore(0);
        private final CountDownLatch open = new CountDownLatch(1);

        /** Waits until an append is blocked by this barrier. */
        public void awaitArrival() {
            arrived.acquireUninterruptibly();
        }

        /** As {@link #awaitArrival}, without waiting. */
        public boolean hasArrival() {
            return arrived.tryAcquire();
        }

        public void open() {
            open.countDown();
        }

        private void pass() {
            arrived.release();
            boolean interrupted = false;
            while (open.getCount() > 0) {
                try {
                    open.await();
                } catch (InterruptedException e) {
                    // A system call would not be interrupted either.
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Blocks appends from now on, until the barrier is opened. */
    public Barrier standStill() {
        barrier = new Barrier();
        return barrier;
    }

    public void failNextAppend(RuntimeException failure) {
        appendFailures.add(failure);
    }

    public void failNextSync(RuntimeException failure) {
        syncFailures.add(failure);
    }

    public void failNextRead(RuntimeException failure) {
        readFailures.add(failure);
    }

    /**
     * Sets an action that runs with the partition before each append, on the appending thread. The append throws its
     * exception.
     */
    public void onAppend(IntConsumer action) {
        onAppend = action;
    }

    /** Sets an action that runs with the partition at each sync, on the syncing thread. */
    public void onSync(IntConsumer action) {
        onSync = action;
    }

    public List<Append> appends() {
        synchronized (appends) {
            return List.copyOf(appends);
        }
    }

    public int syncs() {
        return syncs.get();
    }

    @Override
    public GroupStore groups() {
        return store.groups();
    }

    @Override
    public PartitionLog log(TopicId topic, int partition) {
        return new StagedLog(store.log(topic, partition));
    }

    private static void throwNext(Queue<RuntimeException> failures) {
        RuntimeException failure = failures.poll();
        if (failure != null) {
            throw failure;
        }
    }

    private final class StagedLog implements PartitionLog {
        private final PartitionLog log;
        /** Set once the files were replaced; as with a real log it stays set. */
        private volatile LogReplacedException replaced;

        StagedLog(PartitionLog log) {
            this.log = log;
        }

        @Override
        public long append(EncodedBatch batch) {
            Barrier here = barrier;
            if (here != null) {
                here.pass();
            }
            try {
                throwNext(appendFailures);
            } catch (LogReplacedException e) {
                replaced = e;
                throw e;
            }
            onAppend.accept(partition());
            long offset = log.append(batch);
            byte[] bytes = batch.array();
            appends.add(new Append(
                    partition(),
                    batch.recordCount(),
                    BatchHeader.producerId(bytes, 0),
                    BatchHeader.baseSequence(bytes, 0),
                    Thread.currentThread()));
            return offset;
        }

        @Override
        public void awaitDurable(long endOffset) {
            syncs.incrementAndGet();
            onSync.accept(partition());
            throwNext(syncFailures);
            if (replaced != null) {
                throw replaced;
            }
            log.awaitDurable(endOffset);
        }

        @Override
        public LogReader reader(long offset) {
            LogReader reader = log.reader(offset);
            return new LogReader() {
                @Override
                public long position() {
                    return reader.position();
                }

                @Override
                public void seek(long to) {
                    reader.seek(to);
                }

                @Override
                public LogSlice read(int bytesMax) {
                    throwNext(readFailures);
                    return reader.read(bytesMax);
                }

                @Override
                public void close() {
                    reader.close();
                }
            };
        }

        @Override
        public Topic topic() {
            return log.topic();
        }

        @Override
        public int partition() {
            return log.partition();
        }

        @Override
        public void sync() {
            log.sync();
        }

        @Override
        public int leaderEpoch() {
            return log.leaderEpoch();
        }

        @Override
        public long endOfEpoch(int epoch) {
            return log.endOfEpoch(epoch);
        }

        @Override
        public Optional<byte[]> note(String name) {
            return log.note(name);
        }

        @Override
        public void keepNote(String name, byte[] content) {
            log.keepNote(name, content);
        }

        @Override
        public long startOffset() {
            return log.startOffset();
        }

        @Override
        public long endOffset() {
            return log.endOffset();
        }

        @Override
        public Optional<OffsetAndTimestamp> firstAtOrAfter(long timestamp) {
            return log.firstAtOrAfter(timestamp);
        }

        @Override
        public void trim(long newStartOffset) {
            log.trim(newStartOffset);
        }

        @Override
        public long sizeBytes() {
            return log.sizeBytes();
        }

        @Override
        public boolean awaitRecords(long offset, Duration timeout) {
            return log.awaitRecords(offset, timeout);
        }

        @Override
        public Registration onAppend(Runnable wake) {
            return log.onAppend(wake);
        }
    }

    @Override
    public Topic create(TopicName name, int partitions, TopicSettings settings) {
        return store.create(name, partitions, settings);
    }

    @Override
    public Optional<Topic> find(TopicName name) {
        return store.find(name);
    }

    @Override
    public List<Topic> list() {
        return store.list();
    }

    @Override
    public Topic addPartitions(TopicName name, int partitions) {
        return store.addPartitions(name, partitions);
    }

    @Override
    public Topic alter(TopicName name, TopicSettings settings) {
        return store.alter(name, settings);
    }

    @Override
    public void delete(TopicName name) {
        store.delete(name);
    }

    @Override
    public boolean isDeleted(TopicId topic) {
        return store.isDeleted(topic);
    }

    @Override
    public int partitions(TopicId topic) {
        return store.partitions(topic);
    }

    @Override
    public long newProducerId() {
        return store.newProducerId();
    }

    @Override
    public UUID id() {
        return store.id();
    }

    @Override
    public Optional<Claim> claim(String role) {
        return store.claim(role);
    }

    @Override
    public boolean readOnly() {
        return store.readOnly();
    }

    @Override
    public void close() {
        store.close();
    }

    /** The values of a partition, as text. */
    public List<String> values(TopicName topic, int partition) {
        Topic found = store.find(topic).orElseThrow();
        List<String> values = new ArrayList<>();
        try (LogReader reader = store.log(found.id(), partition).reader(0)) {
            for (LogSlice slice = reader.read(1 << 20); !slice.isEmpty(); slice = reader.read(1 << 20)) {
                BatchDecoder records = BatchDecoder.over(slice.bytes());
                while (records.next()) {
                    values.add(new String(records.value(), StandardCharsets.UTF_8));
                }
            }
        }
        return values;
    }
}
