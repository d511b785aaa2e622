package dev.muster.cli.produce;

import dev.muster.cli.text.ByteSink;
import dev.muster.embedded.Position;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Counts and reports acknowledgements. They arrive on the store's threads. A thread of its own writes them, one line
 * each, and always all that there are. A slow reader of stdout delays the sender ({@link #expect}), never the store.
 *
 * <p>The first failure is kept and stops the sender. Acknowledgements after it are still reported.
 */
final class Acknowledgements implements AutoCloseable {
    private static final int UNTOLD_MAX = 1 << 17;
    private static final int KEPT_BYTES_MAX = 4 << 20;

    private final OutputStream out;
    private final Thread writer;
    private Batch lines = new Batch();
    private long expected;
    private long settled;
    private long acknowledged;
    private long told;
    private Failure failure;
    private IOException outputFailure;
    private boolean closing;
    private volatile boolean broken;

    /** The first failure, and the record it is about. */
    record Failure(String place, Throwable cause) {}

    /** @param out the stream for a JSON line per acknowledgement; null to count them only */
    Acknowledgements(OutputStream out) {
        this.out = out;
        this.writer = out == null
                ? null
                : Thread.ofPlatform().daemon().name("muster-acknowledgements").start(this::writeLines);
    }

    /** Called for each record after it was sent, by one thread. May wait if too many are unreported. */
    void expect(CompletableFuture<Position> sent) {
        long number = awaitRoom();
        sent.whenComplete((position, problem) -> {
            if (problem == null) {
                settled(position);
            } else {
                failed("record " + number, problem);
            }
        });
    }

    /** The number of the record that is expected next, from 1. */
    private synchronized long awaitRoom() {
        while (expected - (out == null ? settled : told) >= UNTOLD_MAX && !broken) {
            pause();
        }
        return ++expected;
    }

    private synchronized void settled(Position position) {
        settled++;
        acknowledged++;
        if (out != null && outputFailure == null) {
            lines.add(position);
        }
        notifyAll();
    }

    synchronized void failed(String place, Throwable problem) {
        settled++;
        told++;
        if (failure == null) {
            Throwable cause =
                    problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
            failure = new Failure(place, cause);
            broken = true;
        }
        notifyAll();
    }

    private void writeLines() {
        Batch spare = new Batch();
        Batch batch;
        while ((batch = takeLines(spare)) != null) {
            write(batch);
            spare = batch.bytes.size() > KEPT_BYTES_MAX ? new Batch() : batch;
            spare.clear();
        }
    }

    /** Waits for lines and leaves an empty batch in their place; null if there will be none. */
    private synchronized Batch takeLines(Batch spare) {
        while (lines.count == 0) {
            if (closing) {
                return null;
            }
            pause();
        }
        Batch taken = lines;
        lines = spare;
        return taken;
    }

    private void write(Batch batch) {
        IOException problem = null;
        try {
            batch.writeTo(out);
            out.flush();
        } catch (IOException e) {
            problem = e;
        }
        synchronized (this) {
            told += batch.count;
            if (problem != null && outputFailure == null) {
                outputFailure = problem;
                broken = true;
            }
            notifyAll();
        }
    }

    /** True if there is no point in sending more. */
    boolean isBroken() {
        return broken;
    }

    synchronized Failure failure() {
        return failure;
    }

    synchronized IOException outputFailure() {
        return outputFailure;
    }

    synchronized long acknowledged() {
        return acknowledged;
    }

    /** Returns once all settled records are reported. Records in flight must be flushed before. */
    @Override
    public void close() {
        synchronized (this) {
            closing = true;
            notifyAll();
        }
        if (writer != null) {
            boolean interrupted = false;
            while (writer.isAlive()) {
                try {
                    writer.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void pause() {
        try {
            wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for acknowledgements", e);
        }
    }

    /** Lines to be written. */
    private static final class Batch {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(1 << 16);
        private final ByteSink sink = new ByteSink(bytes, 1 << 13);
        private long count;

        void add(Position position) {
            try {
                sink.ascii("{\"topic\":\"");
                sink.ascii(position.topic());
                sink.ascii("\",\"partition\":");
                sink.decimal(position.partition());
                sink.ascii(",\"offset\":");
                sink.decimal(position.offset());
                sink.ascii(",\"timestamp\":");
                sink.decimal(position.timestampMillis());
                sink.ascii("}\n");
                count++;
            } catch (IOException e) {
                throw new UncheckedIOException("memory does not fail to write", e);
            }
        }

        void writeTo(OutputStream out) throws IOException {
            sink.flush();
            bytes.writeTo(out);
        }

        void clear() {
            bytes.reset();
            count = 0;
        }
    }
}
