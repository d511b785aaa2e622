package dev.muster.engine.produce;

import dev.muster.core.SyncLevel;
import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.LogReader;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.group.GroupStore;
import dev.muster.store.watch.Registration;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Measures the time of {@code send}. Run by hand: {@code SendBenchmark <value bytes> <append µs per 64 KiB> <records>
 * <sync µs>}.
 */
final class SendBenchmark {
    private record Where(int partition, long offset, long timestamp) {}

    private SendBenchmark() {}

    public static void main(String[] args) {
        int valueBytes = Integer.parseInt(args[0]);
        long appendNanos = Long.parseLong(args[1]) * 1000;
        int records = Integer.parseInt(args[2]);
        long syncNanos = args.length > 3 ? Long.parseLong(args[3]) * 1000 : 0;
        VoidStore store = new VoidStore(appendNanos, syncNanos);
        byte[] value = new byte[valueBytes];
        try (RecordSender<Where> sender =
                new RecordSender<>(store, store.topic.name(), SendOptions.DEFAULT, Where::new)) {
            for (int run = 0; run < 8; run++) {
                long start = System.nanoTime();
                long caller = cpuNanos(false);
                long others = cpuNanos(true);
                long batches = store.batches;
                CompletableFuture<Where> last = null;
                for (int i = 0; i < records; i++) {
                    last = sender.send(-1, RecordSender.NOW, null, value, List.of());
                }
                long sent = System.nanoTime();
                last.join();
                long done = System.nanoTime();
                System.out.printf(
                        "pipelined: %.1f ns/record in send, %.1f ns/record to the end, %.2f M/s, %.0f records/batch;"
                                + " cpu ns/record: caller %.1f, sender %.1f%n",
                        (sent - start) / (double) records,
                        (done - start) / (double) records,
                        records * 1e3 / (done - start),
                        records / (double) (store.batches - batches),
                        (cpuNanos(false) - caller) / (double) records,
                        (cpuNanos(true) - others) / (double) records);
            }
            int each = syncNanos > 0 ? 500 : 100_000;
            for (int run = 0; run < 3; run++) {
                double one = waiting(sender, value, 1, each);
                double many = waiting(sender, value, 64, each);
                System.out.printf(
                        "send().join(): one thread %.0f/s, 64 threads %.0f/s, %.1f times%n", one, many, many / one);
            }
        }
    }

    /** @return records per second */
    private static double waiting(RecordSender<Where> sender, byte[] value, int threads, int each) {
        long start = System.nanoTime();
        List<Thread> callers = IntStream.range(0, threads)
                .mapToObj(t -> Thread.ofPlatform().start(() -> {
                    for (int i = 0; i < each; i++) {
                        sender.send(-1, RecordSender.NOW, null, value, List.of())
                                .join();
                    }
                }))
                .toList();
        for (Thread caller : callers) {
            try {
                caller.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        return threads * each * 1e9 / (System.nanoTime() - start);
    }

    /** The processor time of this thread, or of the sender's. Load on the machine does not change it. */
    private static long cpuNanos(boolean sender) {
        var threads = java.lang.management.ManagementFactory.getThreadMXBean();
        if (!sender) {
            return threads.getCurrentThreadCpuTime();
        }
        for (Thread each : Thread.getAllStackTraces().keySet()) {
            if (each.getName().startsWith("muster-producer")) {
                return threads.getThreadCpuTime(each.threadId());
            }
        }
        throw new IllegalStateException("there is no sender");
    }

    /** A store that drops all records after a delay. */
    private static final class VoidStore implements LogStore, PartitionLog {
        final Topic topic;
        private final long appendNanos;
        private final long syncNanos;
        private final byte[] sink = new byte[1 << 20];
        private long end;
        long batches;

        VoidStore(long appendNanos, long syncNanos) {
            this.appendNanos = appendNanos;
            this.syncNanos = syncNanos;
            TopicSettings settings = TopicSettings.DEFAULT.withSync(syncNanos > 0 ? SyncLevel.COMMIT : SyncLevel.OS);
            this.topic = new Topic(new TopicName("t"), new TopicId(UUID.randomUUID()), 1, settings, Instant.EPOCH);
        }

        @Override
        public long append(EncodedBatch batch) {
            long until = System.nanoTime() + appendNanos * batch.size() / (64 << 10);
            BatchHeader.setBaseOffset(batch.array(), 0, end);
            System.arraycopy(batch.array(), 0, sink, 0, batch.size());
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            long base = end;
            end = base + batch.recordCount();
            batches = batches + 1;
            return base;
        }

        @Override
        public void awaitDurable(long endOffset) {
            if (syncNanos > 0) {
                LockSupport.parkNanos(syncNanos);
            }
        }

        @Override
        public GroupStore groups() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<Topic> find(TopicName name) {
            return Optional.of(topic);
        }

        @Override
        public PartitionLog log(TopicId id, int partition) {
            return this;
        }

        @Override
        public boolean isDeleted(TopicId id) {
            return false;
        }

        @Override
        public int partitions(TopicId id) {
            return 1;
        }

        @Override
        public long newProducerId() {
            return 1;
        }

        @Override
        public UUID id() {
            return topic.id().value();
        }

        @Override
        public Optional<Claim> claim(String role) {
            return Optional.empty();
        }

        @Override
        public int leaderEpoch() {
            return 0;
        }

        @Override
        public long endOfEpoch(int epoch) {
            return endOffset();
        }

        @Override
        public Optional<byte[]> note(String name) {
            return Optional.empty();
        }

        @Override
        public void keepNote(String name, byte[] content) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean readOnly() {
            return false;
        }

        @Override
        public void close() {}

        @Override
        public Topic topic() {
            return topic;
        }

        @Override
        public int partition() {
            return 0;
        }

        @Override
        public Topic create(TopicName name, int partitions, TopicSettings settings) {
            throw no();
        }

        @Override
        public List<Topic> list() {
            throw no();
        }

        @Override
        public Topic addPartitions(TopicName name, int partitions) {
            throw no();
        }

        @Override
        public Topic alter(TopicName name, TopicSettings settings) {
            throw no();
        }

        @Override
        public void delete(TopicName name) {
            throw no();
        }

        @Override
        public void sync() {
            throw no();
        }

        @Override
        public long startOffset() {
            throw no();
        }

        @Override
        public long endOffset() {
            throw no();
        }

        @Override
        public LogReader reader(long offset) {
            throw no();
        }

        @Override
        public Optional<OffsetAndTimestamp> firstAtOrAfter(long timestamp) {
            throw no();
        }

        @Override
        public void trim(long newStartOffset) {
            throw no();
        }

        @Override
        public long sizeBytes() {
            throw no();
        }

        @Override
        public boolean awaitRecords(long offset, Duration timeout) {
            throw no();
        }

        @Override
        public Registration onAppend(Runnable wake) {
            throw no();
        }

        private static UnsupportedOperationException no() {
            return new UnsupportedOperationException();
        }
    }
}
