package dev.muster.cli.bench;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.Formats;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.OutputFormat;
import dev.muster.embedded.Position;
import dev.muster.embedded.Producer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.ConcurrentHistogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code muster bench append}: threads that send to one partition. */
@Command(
        name = "append",
        description = "Measure how many records a second can be appended.",
        footer = {"", "Example:", "  muster bench append --senders 4"})
@Formats({OutputFormat.TABLE, OutputFormat.JSON, OutputFormat.JSONL})
final class BenchAppend extends MeasureCommand {
    /** One of this many records is timed: timing each would cost more than sending it. */
    private static final int STREAM_TIMED_EVERY = 64;

    private static final int BATCH_MIN = 256;

    @Option(
            names = {"-n", "--records"},
            paramLabel = "N",
            defaultValue = "1000000",
            description = "How many records (${DEFAULT-VALUE}).")
    private long records;

    @Option(
            names = "--senders",
            paramLabel = "N",
            defaultValue = "1",
            description = "Threads that send (${DEFAULT-VALUE}).")
    private int senders;

    @Option(names = "--wait", description = "Each sender waits for each acknowledgement.")
    private boolean wait;

    @Option(
            names = "--batch",
            paramLabel = "BYTES",
            defaultValue = "65536",
            description = "Bytes in a batch (${DEFAULT-VALUE}).")
    private int batch;

    BenchAppend(RootCommand root) {
        super(root);
    }

    @Override
    void check() {
        BenchOptions.requirePositive("--records", records);
        BenchOptions.requirePositive("--senders", senders);
        if (batch < BATCH_MIN) {
            throw CommandException.usage("--batch: " + batch + " bytes is too small", "use " + BATCH_MIN + " or more");
        }
    }

    @Override
    Measurement measure(BenchTopic topic) throws Exception {
        ConcurrentHistogram latencies = new ConcurrentHistogram(3);
        long begin = System.nanoTime();
        try (Producer<byte[], byte[]> producer =
                topic.muster().producer(topic.name()).batchBytes(batch).open()) {
            sendAll(producer, latencies);
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        requireAll(topic);
        return new Measurement(
                title(), settings(), records, records * options().size(), seconds, "acknowledged after", latencies);
    }

    private void sendAll(Producer<byte[], byte[]> producer, ConcurrentHistogram latencies) throws Exception {
        RecordMaker maker = options().maker();
        List<Future<?>> running = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(senders)) {
            for (int i = 0; i < senders; i++) {
                long from = records * i / senders;
                long to = records * (i + 1) / senders;
                running.add(threads.submit(() -> send(producer, maker, from, to, latencies)));
            }
            for (Future<?> sender : running) {
                sender.get();
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof CommandException command ? command : e;
        }
    }

    private void send(
            Producer<byte[], byte[]> producer, RecordMaker maker, long from, long to, ConcurrentHistogram latencies) {
        for (long number = from; number < to; number++) {
            boolean timed = wait || number % STREAM_TIMED_EVERY == 0;
            long sentAt = timed ? System.nanoTime() : 0;
            CompletableFuture<Position> sent = producer.send(maker.make(number, sentAt));
            if (timed) {
                sent.thenRun(() -> latencies.recordValue(System.nanoTime() - sentAt));
                endWhenAsked();
            }
            if (wait) {
                sent.join();
            }
        }
    }

    /** Checks that all records are there. Not every future was checked, and a rate with failed records is worthless. */
    private void requireAll(BenchTopic topic) {
        long found = topic.muster().topics().partition(topic.name(), 0).endOffset();
        if (found != records) {
            throw new IllegalStateException("sent " + records + " records, " + found + " are there");
        }
    }

    private String title() {
        return "append " + options().size() + " B at sync=" + options().sync() + ", " + senders
                + (senders == 1 ? " sender" : " senders") + (wait ? ", each waiting for each record" : "");
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("bench", "append");
        settings.put("size", options().size());
        settings.put("sync", options().sync().toString());
        settings.put("senders", senders);
        settings.put("wait", wait);
        settings.put("batch", batch);
        return settings;
    }
}
