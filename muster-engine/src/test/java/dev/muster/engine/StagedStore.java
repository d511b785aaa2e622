package dev.muster.engine;

import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.store.AppendPlace;
import dev.muster.store.LogReplacedException;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionAppender;
import dev.muster.store.PartitionLog;
import dev.muster.store.PendingAppend;
import dev.muster.store.batch.BatchDecoder;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.memory.MemoryStore;
import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;
import dev.muster.testkit.forward.ForwardingAppender;
import dev.muster.testkit.forward.ForwardingLog;
import dev.muster.testkit.forward.ForwardingReader;
import dev.muster.testkit.forward.ForwardingStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/** A store in memory that fails or stands still when a test says so, and remembers what was appended. */
public final class StagedStore extends ForwardingStore {
    private final LogStore store;

    public StagedStore() {
        this(new MemoryStore());
    }

    private StagedStore(MemoryStore store) {
        super(store);
        this.store = store;
    }

    /** One append that the log took. */
    public record Append(int partition, int records, long producerId, int baseSequence, Thread thread) {}

    private final List<Append> appends = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger syncs = new AtomicInteger();
    private final Queue<RuntimeException> appendFailures = new ConcurrentLinkedQueue<>();
    private final Queue<RuntimeException> syncFailures = new ConcurrentLinkedQueue<>();
    private final Queue<RuntimeException> readFailures = new ConcurrentLinkedQueue<>();
    private volatile Barrier barrier;
    private volatile IntConsumer onAppend = partition -> {};
    private volatile IntConsumer onSync = partition -> {};

    /** Where appends stand still. */
    public static final class Barrier {
        private final Semaphore arrived = new Semaphore(0);
        private final CountDownLatch open = new CountDownLatch(1);

        /** Returns when an append stands before it. */
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
                    // A system call would not end either.
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** From now on appends stand still until the barrier is opened. */
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

    /** Called with the partition before each append, on the thread that does it; what it throws the append throws. */
    public void onAppend(IntConsumer action) {
        onAppend = action;
    }

    /** Sets the action that each sync calls first, with the partition's number, on the syncing thread. */
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
    public PartitionLog log(TopicId topic, int partition) {
        return new StagedLog(store.log(topic, partition));
    }

    private static void throwNext(Queue<RuntimeException> failures) {
        RuntimeException failure = failures.poll();
        if (failure != null) {
            throw failure;
        }
    }

    private final class StagedLog extends ForwardingLog {
        /** As a real log: what was removed under it stays so. */
        private volatile LogReplacedException replaced;

        StagedLog(PartitionLog log) {
            super(log);
        }

        @Override
        public PartitionAppender appender() {
            return new ForwardingAppender(this, target().appender()) {
                @Override
                public PendingAppend append(EncodedBatch batch) {
                    try {
                        beforeAppend();
                        AppendPlace place = super.append(batch).place();
                        remember(batch);
                        return PendingAppend.placed(StagedLog.this, place);
                    } catch (RuntimeException | Error e) {
                        return PendingAppend.failed(e);
                    }
                }
            };
        }

        private void beforeAppend() {
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
        }

        private void remember(EncodedBatch batch) {
            byte[] bytes = batch.array();
            appends.add(new Append(
                    partition(),
                    batch.recordCount(),
                    BatchHeader.producerId(bytes, 0),
                    BatchHeader.baseSequence(bytes, 0),
                    Thread.currentThread()));
        }

        @Override
        public void awaitDurable(long endOffset) {
            syncs.incrementAndGet();
            onSync.accept(partition());
            throwNext(syncFailures);
            if (replaced != null) {
                throw replaced;
            }
            super.awaitDurable(endOffset);
        }

        @Override
        public LogReader reader(long offset) {
            return new ForwardingReader(super.reader(offset)) {
                @Override
                public LogSlice read(int bytesMax) {
                    throwNext(readFailures);
                    return super.read(bytesMax);
                }
            };
        }
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
