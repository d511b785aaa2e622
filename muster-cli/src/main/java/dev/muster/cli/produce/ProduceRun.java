package dev.muster.cli.produce;

import dev.muster.cli.command.PlacedException;
import dev.muster.cli.command.ProgressLine;
import dev.muster.core.MusterException;
import dev.muster.embedded.Message;
import dev.muster.embedded.Producer;
import java.io.IOException;

/**
 * Sends the records of one source after another, and stops at the first failure. In any case it waits for all records
 * that were handed over, and reports all acknowledgements.
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
     * Sends all records of the source; false if no more may be sent.
     *
     * @param where the source, for messages; may be empty
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

    /** Waits for records in flight, reports them, and throws the first failure, if there was one. */
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
