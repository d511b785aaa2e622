package dev.muster.cli.produce;

import dev.muster.cli.command.PlacedException;
import dev.muster.cli.command.ProgressLine;
import dev.muster.core.MusterException;
import dev.muster.embedded.Message;
import dev.muster.embedded.Producer;
import java.io.IOException;

/**
 * Sends the records of one source after another and stops at the first that cannot be sent. Whatever ends it, every
 * record that was handed over is waited for, and every acknowledgement is told.
 */
final class ProduceRun {
    private final Producer<byte[], byte[]> producer;
    private final Acknowledgements acknowledgements;
    private final RateLimit pace;
    private final ProgressLine progress;

    ProduceRun(
            Producer<byte[], byte[]> producer,
            Acknowledgements acknowledgements,
            RateLimit pace,
            ProgressLine progress) {
        this.producer = producer;
        this.acknowledgements = acknowledgements;
        this.pace = pace;
        this.progress = progress;
    }

    /**
     * Sends all records of the source; false when there is a reason to send no more.
     *
     * @param where the source, in front of a place in it; may be empty
     */
    boolean send(RecordSource source, String where) {
        try {
            Message<byte[], byte[]> record;
            while (!acknowledgements.isBroken() && (record = source.next()) != null) {
                if (!pace.await()) {
                    return false;
                }
                acknowledgements.expect(producer.send(record));
                progress.advance();
            }
        } catch (MusterException | IOException e) {
            acknowledgements.failed(where + source.place(), e);
        }
        return !acknowledgements.isBroken();
    }

    /** Waits for what is on its way, tells it, and throws what went wrong, if something did. */
    void finish() {
        try {
            producer.flush();
        } catch (MusterException e) {
            acknowledgements.failed("flush", e);
        }
        acknowledgements.close();
        progress.clear();
        Acknowledgements.Failure failure = acknowledgements.failure();
        if (failure != null) {
            throw new PlacedException(failure.place(), failure.cause());
        }
    }
}
