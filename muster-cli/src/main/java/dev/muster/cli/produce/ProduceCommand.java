package dev.muster.cli.produce;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.Formats;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.ProgressLine;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.command.Session;
import dev.muster.cli.text.OutputFormat;
import dev.muster.cli.text.Rate;
import dev.muster.core.CompressionKind;
import dev.muster.core.Counts;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.json.JsonWriter;
import dev.muster.embedded.Muster;
import dev.muster.embedded.Producer;
import dev.muster.embedded.ProducerBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster produce}. */
@Command(
        name = "produce",
        description = "Send records to a topic, which is created if it does not exist.",
        footer = {
            "",
            "Examples:",
            "  echo hello | muster produce greetings",
            "  muster produce orders -K : -H source=import orders.txt",
            "  muster consume a --exit -o jsonl | muster produce b --in jsonl",
            "  tail -f app.log | muster produce logs -o jsonl --sync interval"
        })
@Formats({OutputFormat.JSON, OutputFormat.JSONL})
public final class ProduceCommand implements Callable<Integer> {
    private static final Duration STOP_GRACE = Duration.ofSeconds(30);

    private final RootCommand root;

    @Parameters(index = "0", paramLabel = "TOPIC", description = "The topic to send to.")
    private String topic;

    @Parameters(index = "1..*", paramLabel = "FILE", description = "Files to read instead of stdin; - is stdin.")
    private List<String> files = List.of();

    @Mixin
    private final RecordOptions records = new RecordOptions();

    @Mixin
    private final TopicOptions topicOptions = new TopicOptions();

    @Option(names = "--rate", paramLabel = "N/s", description = "The highest rate of records: 200/s, 6000/m, 5/h.")
    private String rate;

    @Option(
            names = "--compression",
            paramLabel = "KIND",
            description = "none, gzip, snappy, lz4 or zstd (default: the setting of the topic).")
    private String compression;

    public ProduceCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() throws IOException {
        Session session = root.session();
        topicOptions.validate();
        CompressionKind kind = RootCommand.argument("--compression", compression, CompressionKind::parse);
        RateLimit pace = new RateLimit(RootCommand.argument("--rate", rate, Rate::parse), session.stop());
        records.validate(session.clock());
        Inputs inputs = new Inputs(files, session);
        TopicName name = new TopicName(topic);
        session.stop().allow(STOP_GRACE);
        try (Opener.Opened opened = root.open(RootCommand.Access.CREATE)) {
            Topic target = topicOptions.find(opened.muster().topics(), name.value());
            records.checkPartition(target);
            try (Producer<byte[], byte[]> producer = producer(opened.muster(), kind)) {
                return send(inputs, producer, target, pace);
            }
        }
    }

    private OutputFormat output() {
        return root.output();
    }

    private Producer<byte[], byte[]> producer(Muster muster, CompressionKind kind) {
        ProducerBuilder<byte[], byte[]> builder = muster.producer(topic);
        builder = kind == null ? builder : builder.compression(kind);
        Duration timeout = root.timeout();
        return (timeout == null ? builder : builder.deliveryTimeout(timeout).maxBlock(timeout)).open();
    }

    private int send(Inputs inputs, Producer<byte[], byte[]> producer, Topic target, RateLimit pace)
            throws IOException {
        Session session = root.session();
        OutputFormat output = output();
        ProgressLine progress = new ProgressLine(session, "records", !root.quiet());
        Acknowledgements acknowledgements = new Acknowledgements(output == OutputFormat.JSONL ? session.out() : null);
        ProduceRun run = new ProduceRun(producer, acknowledgements, pace, progress);
        try {
            inputs.forEach((name, in) -> run.send(records.source(in, target, session.stop()), name));
        } finally {
            try {
                run.finish();
            } finally {
                summarize(output, acknowledgements.acknowledged(), progress.elapsedMs());
            }
        }
        if (acknowledgements.outputFailure() != null) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "stdout was closed: acknowledgements can no longer be reported, sending stopped",
                    null,
                    acknowledgements.outputFailure());
        }
        return (session.stop().isRaised() ? ExitCode.INTERRUPTED : ExitCode.DONE).code();
    }

    private void summarize(OutputFormat output, long acknowledged, long elapsedMs) {
        switch (output) {
            case JSON ->
                root.session()
                        .print(new JsonWriter()
                                        .object()
                                        .field("topic", topic)
                                        .field("acknowledged", acknowledged)
                                        .field("elapsedMs", elapsedMs)
                                        .end()
                                + "\n");
            case JSONL -> {}
            default ->
                root.note(Counts.of(acknowledged, "record") + " acknowledged by topic " + topic + " in " + elapsedMs
                        + " ms");
        }
    }
}
