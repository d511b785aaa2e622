package dev.muster.embedded;

import dev.muster.core.SyncLevel;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * Measures sending and reading through the API. To be started by hand: {@code EmbeddedBenchmark <directory or -> <value
 * bytes> <records>}.
 */
final class EmbeddedBenchmark {
    private EmbeddedBenchmark() {}

    public static void main(String[] args) throws InterruptedException {
        int bytes = Integer.parseInt(args[1]);
        int records = Integer.parseInt(args[2]);
        try (Muster muster = args[0].equals("-") ? Muster.inMemory() : Muster.open(Path.of(args[0]))) {
            for (int run = 0; run < 5; run++) {
                String topic = "bench-" + run;
                muster.topics().ensure(topic, t -> t.sync(SyncLevel.OS));
                send(muster, topic, new byte[bytes], records);
                read(muster, topic);
                read(muster, topic);
                muster.topics().delete(topic);
            }
            waitForEach(muster, SyncLevel.OS, 1, 1, 20_000);
            waitForEach(muster, SyncLevel.COMMIT, 1, 1, 500);
            waitForEach(muster, SyncLevel.COMMIT, 1, 64, 200);
            waitForEach(muster, SyncLevel.COMMIT, 12, 64, 200);
        }
    }

    private static void send(Muster muster, String topic, byte[] value, int records) {
        try (Producer<byte[], byte[]> producer = muster.producer(topic).open()) {
            long cpu = cpuNanos();
            long start = System.nanoTime();
            CompletableFuture<Position> last = null;
            for (int i = 0; i < records; i++) {
                last = producer.send(value);
            }
            long sent = System.nanoTime();
            last.join();
            print("send", records, sent - start, System.nanoTime() - start, cpuNanos() - cpu);
        }
    }

    private static void read(Muster muster, String topic) {
        try (Reader<byte[], byte[]> reader = muster.reader(topic, Codec.BYTES, Codec.BYTES)) {
            long cpu = cpuNanos();
            long start = System.nanoTime();
            int count = 0;
            for (List<Received<byte[], byte[]>> got = reader.poll(Duration.ZERO);
                    !got.isEmpty();
                    got = reader.poll(Duration.ZERO)) {
                count += got.size();
            }
            long time = System.nanoTime() - start;
            print("poll", count, time, time, cpuNanos() - cpu);
        }
    }

    private static void waitForEach(Muster muster, SyncLevel sync, int partitions, int threads, int each)
            throws InterruptedException {
        String topic = "wait-" + sync + "-" + partitions + "-" + threads;
        muster.topics().ensure(topic, t -> t.sync(sync).partitions(partitions));
        try (Producer<byte[], byte[]> producer = muster.producer(topic).open()) {
            long start = System.nanoTime();
            List<Thread> callers = IntStream.range(0, threads)
                    .mapToObj(t -> Thread.ofPlatform().start(() -> {
                        byte[] key = Codec.INT.encode(t);
                        for (int i = 0; i < each; i++) {
                            producer.send(key, new byte[100]).join();
                        }
                    }))
                    .toList();
            for (Thread caller : callers) {
                caller.join();
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            System.out.printf(
                    "send().join() at %s, %d partitions, %d threads: %.0f records/s%n",
                    sync, partitions, threads, threads * each / seconds);
        }
        muster.topics().delete(topic);
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static void print(String what, int records, long calls, long all, long cpu) {
        System.out.printf(
                "%s, ns/record: %.1f in the calls, %.1f to the end (%.2f M/s), %.1f CPU time of the caller%n",
                what, calls / (double) records, all / (double) records, records * 1e3 / all, cpu / (double) records);
    }
}
