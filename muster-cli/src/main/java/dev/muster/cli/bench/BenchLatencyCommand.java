package dev.muster.cli.bench;

import dev.muster.embedded.Muster;
import dev.muster.embedded.Producer;
import dev.muster.embedded.Reader;
import dev.muster.embedded.Received;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code muster bench latency}: from just before a record is sent until a waiting reader has it. */
@Command(
        name = "latency",
        description = {
            "How long until a waiting reader has a record?",
            "A thread sends at a steady rate, another one of this process waits in poll. A record counts from the"
                    + " moment it was due, so that a stall is not hidden by the pause in sending that it causes."
        })
final class BenchLatencyCommand extends BenchSubcommand {
    private static final Duration GIVE_UP = Duration.ofSeconds(30);
    private static final long SECOND = 1_000_000_000L;
    /** The first records run in code that is not compiled yet. */
    private static final int WARM_UP_PART = 5;

    @Option(
            names = {"-n", "--records"},
            paramLabel = "N",
            defaultValue = "5000",
            description = "How many records (${DEFAULT-VALUE}).")
    private int records;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Records a second (${DEFAULT-VALUE}).")
    private int rate;

    @Override
    String problem() {
        return records < WARM_UP_PART || rate < 1
                ? "--records must be at least " + WARM_UP_PART + ", --rate positive"
                : null;
    }

    @Override
    Measurement measure(Path directory) throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        try (BenchTopic topic = BenchTopic.make(directory, options().sync());
                ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<Histogram> latencies = thread.submit(() -> receive(topic.muster(), topic.name(), waiting));
            waiting.await();
            long begin = System.nanoTime();
            send(topic.muster(), topic.name());
            Histogram histogram = latencies.get();
            double seconds = (System.nanoTime() - begin) / 1e9;
            String title =
                    "latency of " + options().size() + " B at sync=" + options().sync() + ", " + rate + " a second";
            return new Measurement(
                    title,
                    settings(),
                    records,
                    (long) records * options().size(),
                    seconds,
                    "received after",
                    histogram);
        }
    }

    private void send(Muster muster, String topic) {
        RecordMaker maker = new RecordMaker(options().seed(), options().size());
        try (Producer<byte[], byte[]> producer = muster.producer(topic).open()) {
            long begin = System.nanoTime();
            for (long number = 0; number < records; number++) {
                long due = begin + number * SECOND / rate;
                for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                // The timer wakes late by tens of microseconds; that is the bench's fault, not the queue's. A thread
                // that is late by more was held up in send.
                long now = System.nanoTime();
                producer.send(maker.make(number, now - due < SECOND / rate ? now : due));
            }
        }
    }

    private Histogram receive(Muster muster, String topic, CountDownLatch waiting) {
        Histogram latencies = new Histogram(3);
        try (Reader<byte[], byte[]> reader = muster.reader(topic).open()) {
            waiting.countDown();
            for (long next = 0; next < records; ) {
                List<Received<byte[], byte[]>> polled = reader.poll(GIVE_UP);
                long now = System.nanoTime();
                if (polled.isEmpty()) {
                    throw new IllegalStateException("waited " + GIVE_UP.toSeconds() + " s for record " + next);
                }
                for (Received<byte[], byte[]> received : polled) {
                    if (RecordMaker.number(received.value()) != next) {
                        throw new IllegalStateException("a wrong record at offset " + received.offset());
                    }
                    if (next++ >= records / WARM_UP_PART) {
                        latencies.recordValue(Math.max(0, now - RecordMaker.sentAt(received.value())));
                    }
                }
            }
        }
        return latencies;
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("bench", "latency");
        settings.put("size", options().size());
        settings.put("sync", options().sync().toString());
        settings.put("rate", rate);
        return settings;
    }
}
