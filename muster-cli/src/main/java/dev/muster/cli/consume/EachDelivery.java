package dev.muster.cli.consume;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.command.StopSignal;
import dev.muster.cli.text.ByteSink;
import dev.muster.cli.text.RecordWriter;
import dev.muster.embedded.Received;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Runs a command for each record. A record has arrived when its command ended with 0. */
final class EachDelivery implements Delivery {
    /** The pause before the first retry. It doubles with each retry, up to a minute. */
    private static final Duration BACKOFF = Duration.ofMillis(100);

    private static final Duration BACKOFF_MAX = Duration.ofMinutes(1);
    private static final int BUFFER_BYTES = 8 << 10;

    private final RootCommand root;
    private final ChildCommand command;
    private final RecordWriter writer;
    private final int retries;
    private final StopSignal stop;
    private final Consumer<Received<byte[], byte[]>> arrived;
    private boolean stopped;

    EachDelivery(
            RootCommand root,
            ChildCommand command,
            RecordWriter writer,
            int retries,
            Consumer<Received<byte[], byte[]>> arrived) {
        this.root = root;
        this.command = command;
        this.writer = writer;
        this.retries = retries;
        this.stop = root.session().stop();
        this.arrived = arrived;
    }

    @Override
    public void hand(Received<byte[], byte[]> record) {
        long backoffMs = BACKOFF.toMillis();
        for (int attempt = 0; ; attempt++) {
            int exit = run(record);
            if (exit == 0) {
                arrived.accept(record);
                return;
            }
            String what = command.name() + " ended with " + exit + " for " + record.topicPartition() + " at offset "
                    + record.offset();
            if (attempt == retries) {
                throw new CommandException(
                        ExitCode.FAILED,
                        what + (retries == 0 ? "" : ", tried " + (retries + 1) + " times")
                                + "; the record is not committed",
                        "see what it printed; --retries N tries more often");
            }
            root.note("muster: " + what + "; trying again in " + backoffMs + " ms");
            if (stop.await(backoffMs * 1_000_000)) {
                stopped = true;
                return;
            }
            backoffMs = Math.min(2 * backoffMs, BACKOFF_MAX.toMillis());
        }
    }

    private int run(Received<byte[], byte[]> record) {
        ChildCommand.Child child = command.start(environment(record));
        try (OutputStream stdin = child.process().getOutputStream()) {
            ByteSink out = new ByteSink(stdin, BUFFER_BYTES);
            writer.write(out, record);
            out.flush();
        } catch (IOException e) {
            // The command need not read its input to the end.
        }
        return child.await();
    }

    private static Map<String, String> environment(Received<byte[], byte[]> record) {
        Map<String, String> variables = new HashMap<>();
        variables.put("MUSTER_TOPIC", record.topic());
        variables.put("MUSTER_PARTITION", Integer.toString(record.partition()));
        variables.put("MUSTER_OFFSET", Long.toString(record.offset()));
        variables.put("MUSTER_TIMESTAMP", Long.toString(record.timestampMillis()));
        if (record.key() != null) {
            // An environment variable cannot hold a zero byte. Keys with zero bytes are available with -o jsonl.
            variables.put("MUSTER_KEY", new String(record.key(), StandardCharsets.UTF_8).replace('\0', '?'));
        }
        if (record.value() == null) {
            variables.put("MUSTER_TOMBSTONE", "1");
        }
        return variables;
    }

    @Override
    public void look() {}

    @Override
    public void settle() {}

    @Override
    public boolean isOver() {
        return stopped;
    }

    @Override
    public void finish() {}

    @Override
    public void close() {}
}
