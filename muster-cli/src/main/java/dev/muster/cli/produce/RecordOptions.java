package dev.muster.cli.produce;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.command.StopSignal;
import dev.muster.cli.text.Escapes;
import dev.muster.cli.text.Lines;
import dev.muster.cli.text.Moments;
import dev.muster.core.Header;
import dev.muster.core.Topic;
import dev.muster.embedded.Message;
import dev.muster.store.TopicNotFoundException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of {@code produce} for the content of records. */
final class RecordOptions {
    /** A line of JSON is longer than the record it describes: base64, escapes, names. */
    private static final int JSON_GROWTH = 7;

    private static final int LINE_BYTES_SPARE = 64 << 10;

    @Option(
            names = "--in",
            paramLabel = "FORMAT",
            description = "text: a record per line (default); jsonl: an object per line; raw: the whole input.")
    private String format = "text";

    @Option(
            names = {"-p", "--partition"},
            paramLabel = "N",
            description = "The partition for all records.")
    private Integer partition;

    @Option(
            names = {"-k", "--key"},
            paramLabel = "KEY",
            description = "The key of records without one.")
    private String key;

    @Option(
            names = {"-K", "--key-separator"},
            paramLabel = "SEP",
            description = "Splits a line into key and value (\\t, \\x1f work).")
    private String separator;

    @Option(
            names = {"-H", "--header"},
            paramLabel = "NAME=VALUE",
            description = "A header for all records; may be repeated.")
    private List<String> headers = List.of();

    @Option(
            names = {"-Z", "--null"},
            description = "An empty value is null, a tombstone.")
    private boolean emptyIsNull;

    @Option(
            names = "--timestamp",
            paramLabel = "TIME",
            description = "The time of records without one: -5h, @MILLIS, ISO (default: now).")
    private String timestamp;

    @Option(names = "--keep-partitions", description = "With --in jsonl: send each record to the partition it names.")
    private boolean keepPartitions;

    private Instant time;
    private TextRecord shape;

    /** Checks all that can be checked without a topic. */
    void validate(Clock clock) {
        if (!List.of("text", "jsonl", "raw").contains(format)) {
            throw CommandException.usage("--in: there is no input format \"" + format + "\"", "use text, jsonl or raw");
        }
        if (keepPartitions && (!format.equals("jsonl") || partition != null)) {
            throw CommandException.usage("--keep-partitions needs --in jsonl and no --partition", null);
        }
        if (separator != null && (!format.equals("text") || separator.isEmpty())) {
            throw CommandException.usage("--key-separator needs --in text and at least one character", null);
        }
        if (partition != null && partition < 0) {
            throw CommandException.usage("--partition: a partition number is not negative: " + partition, null);
        }
        time = RootCommand.argument(
                "--timestamp", timestamp, text -> Moments.parse(text, clock.instant(), clock.getZone()));
        shape = new TextRecord(
                partition,
                time,
                key == null ? null : key.getBytes(StandardCharsets.UTF_8),
                RootCommand.argument("--key-separator", separator, Escapes::bytes),
                emptyIsNull,
                parseHeaders());
    }

    private List<Header> parseHeaders() {
        List<Header> parsed = new ArrayList<>();
        for (String header : headers) {
            int equals = header.indexOf('=');
            if (equals == 0 || header.isEmpty()) {
                throw CommandException.usage("--header: \"" + header + "\" has no name", "write -H name=value");
            }
            String name = equals < 0 ? header : header.substring(0, equals);
            byte[] value = equals < 0 ? null : header.substring(equals + 1).getBytes(StandardCharsets.UTF_8);
            parsed.add(new Header(name, value));
        }
        return List.copyOf(parsed);
    }

    void checkPartition(Topic topic) {
        if (partition != null && partition >= topic.partitions()) {
            throw new TopicNotFoundException(
                    "partition " + partition + " of topic \"" + topic.name() + "\", which has " + topic.partitions());
        }
    }

    RecordSource source(InputStream in, Topic topic, StopSignal stop) {
        int recordMax = topic.settings().messageBytesMax();
        return switch (format) {
            case "jsonl" ->
                RecordSource.jsonLines(new Lines(in, lineMax(recordMax, JSON_GROWTH)), this::complete, stop::isRaised);
            case "raw" -> RecordSource.raw(in, recordMax, shape, stop::isRaised);
            default -> RecordSource.text(new Lines(in, lineMax(recordMax, 1)), shape, stop::isRaised);
        };
    }

    private static int lineMax(int recordMax, int growth) {
        return (int) Math.min(1L << 30, (long) recordMax * growth + LINE_BYTES_SPARE);
    }

    /** Adds the options to a record from JSON, where the record has no value of its own. */
    private Message<byte[], byte[]> complete(Message<byte[], byte[]> record) {
        List<Header> all = new ArrayList<>(record.headers());
        all.addAll(shape.headers());
        boolean tombstone = emptyIsNull && record.value() != null && record.value().length == 0;
        return new Message<>(
                keepPartitions ? record.partition() : partition,
                record.timestamp() == null ? time : record.timestamp(),
                record.key() == null ? shape.key() : record.key(),
                tombstone ? null : record.value(),
                all);
    }
}
