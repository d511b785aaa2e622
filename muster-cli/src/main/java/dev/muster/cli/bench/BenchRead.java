package dev.muster.cli.bench;

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
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code muster bench read}: one reader from the first record to the last. */
@Command(
        name = "read",
        description = "Measure how many records a second can be read.",
        footer = {"", "Example:", "  muster bench read -o json"})
@Formats({OutputFormat.TABLE, OutputFormat.JSON, OutputFormat.JSONL})
final class BenchRead extends MeasureCommand {
    private static final int LOOK_EVERY = 1024;

    @Option(
            names = {"-n", "--records"},
            paramLabel = "N",
            defaultValue = "1000000",
            description = "How many records to write, then read (${DEFAULT-VALUE}).")
    private long records;

    BenchRead(RootCommand root) {
        super(root);
    }

    @Override
    void check() {
        BenchOptions.requirePositive("--records", records);
    }

    @Override
    Measurement measure(BenchTopic topic) {
        write(topic);
        Histogram polls = new Histogram(3);
        long begin = System.nanoTime();
        read(topic, polls);
        double seconds = (System.nanoTime() - begin) / 1e9;
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("bench", "read");
        settings.put("size", options().size());
        String title = "read " + options().size() + " B, just written, so from memory";
        return new Measurement(title, settings, records, records * options().size(), seconds, "one poll", polls);
    }

    private void write(BenchTopic topic) {
        RecordMaker maker = options().maker();
        try (Producer<byte[], byte[]> producer =
                topic.muster().producer(topic.name()).open()) {
            for (long number = 0; number < records; number++) {
                producer.send(maker.make(number, 0));
                if (number % LOOK_EVERY == 0) {
                    endWhenAsked();
                }
            }
        }
    }

    /**
     * Reads all records. A record that is missing or in the wrong place is an error, because it makes the rate
     * worthless.
     */
    private void read(BenchTopic topic, Histogram polls) {
        try (Reader<byte[], byte[]> reader = topic.muster().reader(topic.name()).open()) {
            for (long next = 0; next < records; ) {
                endWhenAsked();
                long begin = System.nanoTime();
                List<Received<byte[], byte[]>> polled = reader.poll(Duration.ZERO);
                polls.recordValue(System.nanoTime() - begin);
                if (polled.isEmpty()) {
                    throw new IllegalStateException("wrote " + records + " records, read " + next);
                }
                for (Received<byte[], byte[]> received : polled) {
                    if (RecordMaker.number(received.value()) != next++) {
                        throw new IllegalStateException("a wrong record at offset " + received.offset());
                    }
                }
            }
        }
    }
}
