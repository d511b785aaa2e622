package dev.muster.cli.consume;

import dev.muster.cli.command.OutputClosedException;
import dev.muster.cli.text.ByteSink;
import dev.muster.cli.text.RecordWriter;
import dev.muster.embedded.Received;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Writes records to stdout. A record has arrived when it was written and flushed. */
final class StreamDelivery implements Delivery {
    private final ByteSink out;
    private final RecordWriter writer;
    private final Runnable ending;
    private final Consumer<Received<byte[], byte[]>> arrived;
    private final List<Received<byte[], byte[]>> written = new ArrayList<>();

    /** @param ending writes the end of the output */
    StreamDelivery(ByteSink out, RecordWriter writer, Runnable ending, Consumer<Received<byte[], byte[]>> arrived) {
        this.out = out;
        this.writer = writer;
        this.ending = ending;
        this.arrived = arrived;
    }

    @Override
    public void hand(Received<byte[], byte[]> record) {
        try {
            writer.write(out, record);
        } catch (IOException e) {
            throw closed(e);
        }
        written.add(record);
    }

    @Override
    public void look() {
        try {
            out.flush();
        } catch (IOException e) {
            throw closed(e);
        }
        written.forEach(arrived);
        written.clear();
    }

    /** The reader of stdout is gone. It is not known how much it read, so records in progress have not arrived. */
    private OutputClosedException closed(IOException e) {
        written.clear();
        return new OutputClosedException(e);
    }

    @Override
    public void settle() {
        look();
    }

    @Override
    public boolean isOver() {
        return false;
    }

    @Override
    public void finish() {
        ending.run();
        look();
    }

    @Override
    public void close() {}
}
