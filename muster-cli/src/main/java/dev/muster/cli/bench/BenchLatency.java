package dev.muster.cli.bench;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.Formats;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.OutputFormat;
import dev.muster.embedded.Producer;
import dev.muster.embedded.Reader;
import dev.muster.embedded.Received;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code muster bench latency}: the time from just before a record is sent until a waiting reader has it. */
@Command(
        name = "latency",
        description = {
            "Measure how long it takes until a waiting reader has a record.",
            "One thread sends at a steady rate, another waits in poll. When the sender is held up by more than one "
                    + "record's time, records count from the moment they were due: a stall is not hidden."
        },
        footer = {"", "Example:", "  muster bench latency --rate 1000"})
@Formats({OutputFormat.TABLE, OutputFormat.JSON, OutputFormat.JSONL})
final class BenchLatency extends MeasureCommand {
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);
    private static final int LOOKS_MAX = 30;
    private static final long SECOND = 1_000_000_000L;
    /** The part that is not counted: the first fifth runs in code that is not compiled yet. */
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

    BenchLatency(RootCommand root) {
        super(root);
    }

    @Override
    void check() {
        BenchOptions.requirePositive("--records", records);
        BenchOptions.requirePositive("--rate", rate);
    }

    @Override
    Measurement measure(BenchTopic topic) throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<Histogram> received = thread.submit(() -> receive(topic, waiting));
            waiting.await();
            long begin = System.nanoTime();
            send(topic);
            Histogram latencies = received.get();
            double seconds = (System.nanoTime() - begin) / 1e9;
            String title =
                    "latency of " + options().size() + " B at sync=" + options().sync() + ", " + rate + " a second";
            long bytes = (long) records * options().size();
            return new Measurement(title, settings(), records, bytes, seconds, "received after", latencies);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof CommandException command ? command : e;
        }
    }

    private void send(BenchTopic topic) {
        RecordMaker maker = options().maker();
        try (Producer<byte[], byte[]> producer =
                topic.muster().producer(topic.name()).open()) {
            long begin = System.nanoTime();
            for (long number = 0; number < records; number++) {
                endWhenAsked();
                long due = begin + number * SECOND / rate;
                for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                // A timer wakes up late by tens of microseconds, which is not the fault of the queue.
                long now = System.nanoTime();
                producer.send(maker.make(number, now - due < SECOND / rate ? now : due));
            }
        }
    }

    private Histogram receive(BenchTopic topic, CountDownLatch waiting) {
        Histogram latencies = new Histogram(3);
        try (Reader<byte[], byte[]> reader = topic.muster().reader(topic.name()).open()) {
            waiting.countDown();
            for (long next = 0; next < records; ) {
                List<Received<byte[], byte[]>> polled = poll(reader, next);
                long now = System.nanoTime();
                for (Received<byte[], byte[]> received : polled) {
                    if (RecordMaker.number(received.value()) != next) {
                        throw new IllegalStateException("a wrong record at offset " + received.offset());
                    }
                    if (next++ >= records / WARM_UP_PART) {
                        latencies.recordValue(Math.max(0, now - RecordMaker.sentAt(received.value())));
                    }
                }
            }
        } finally {
            // The sender must not wait for ever if the reader could not be opened.
            waiting.countDown();
        }
        return latencies;
    }

    private List<Received<byte[], byte[]>> poll(Reader<byte[], byte[]> reader, long next) {
        for (int look = 0; look < LOOKS_MAX; look++) {
            List<Received<byte[], byte[]>> polled = reader.poll(LOOK_AGAIN);
            if (!polled.isEmpty()) {
                return polled;
            }
            endWhenAsked();
        }
        throw new IllegalStateException("waited " + LOOKS_MAX + " s for record " + next);
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
