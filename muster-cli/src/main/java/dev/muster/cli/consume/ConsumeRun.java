package dev.muster.cli.consume;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.OutputClosedException;
import dev.muster.cli.command.ProgressLine;
import dev.muster.cli.command.StopSignal;
import dev.muster.cli.command.TimeLimit;
import dev.muster.cli.text.ByteSink;
import dev.muster.cli.text.RecordWriter;
import dev.muster.embedded.Reader;
import dev.muster.embedded.Received;
import dev.muster.store.OffsetOutOfRangeException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Reads records and writes them, until the bounds, the count, the time or the signal ends it. For one thread. */
final class ConsumeRun {
    private static final Duration LONGEST_POLL = Duration.ofMinutes(1);

    private final Reader<byte[], byte[]> reader;
    private final ByteSink out;
    private final RecordWriter writer;
    private final StopSignal stop;
    private final Gaps gaps;
    private final ProgressLine progress;
    private final TimeLimit limit;
    private long remaining;

    /** @param countMax the most records */
    ConsumeRun(
            Reader<byte[], byte[]> reader,
            ByteSink out,
            RecordWriter writer,
            StopSignal stop,
            Gaps gaps,
            ProgressLine progress,
            long countMax,
            TimeLimit limit) {
        this.reader = reader;
        this.out = out;
        this.writer = writer;
        this.stop = stop;
        this.gaps = gaps;
        this.progress = progress;
        this.remaining = countMax;
        this.limit = limit;
        stop.onRaise(reader::wakeup);
    }

    /** Writes records up to the bounds. */
    void writeUntil(Bounds bounds) {
        while (remaining > 0 && !isStopped() && !isReached(bounds)) {
            write(next(bounds), bounds);
        }
    }

    /** Collects the newest records up to the bounds. */
    void collectUntil(Bounds bounds, LastRecords last) {
        while (!isStopped() && !isReached(bounds)) {
            for (Received<byte[], byte[]> record : next(bounds)) {
                if (bounds.admit(record)) {
                    last.offer(record);
                }
            }
        }
    }

    void write(List<Received<byte[], byte[]>> records, Bounds bounds) {
        try {
            for (Received<byte[], byte[]> record : records) {
                if (remaining > 0 && bounds.admit(record)) {
                    writer.write(out, record);
                    remaining--;
                    progress.advance();
                }
            }
        } catch (IOException e) {
            throw new OutputClosedException(e);
        }
    }

    /**
     * True if the signal was raised or the thread was interrupted. An interrupted thread never waits in poll again, so
     * continuing would be a busy loop.
     */
    private boolean isStopped() {
        if (Thread.currentThread().isInterrupted()) {
            throw new CommandException(ExitCode.INTERRUPTED, "interrupted", null);
        }
        return stop.isRaised();
    }

    private boolean isReached(Bounds bounds) {
        return !bounds.isNone() && bounds.isReached(reader.positions());
    }

    /**
     * The records that are there, or, after flushing, the next that come. Empty if the caller must check its bounds.
     */
    private List<Received<byte[], byte[]>> next(Bounds bounds) {
        List<Received<byte[], byte[]>> records = poll(Duration.ZERO);
        // Where the last records are damaged, the reader skips them and reaches the end without a record.
        if (!records.isEmpty() || isReached(bounds)) {
            return records;
        }
        flush();
        long leftNanos = limit.leftNanos();
        if (leftNanos <= 0) {
            throw limit.passed("no more records", "a longer --timeout, or --exit");
        }
        return poll(Duration.ofNanos(Math.min(leftNanos, LONGEST_POLL.toNanos())));
    }

    private List<Received<byte[], byte[]>> poll(Duration wait) {
        try {
            return reader.poll(wait);
        } catch (OffsetOutOfRangeException e) {
            if (!gaps.skip(reader)) {
                throw e;
            }
            return List.of();
        }
    }

    void flush() {
        try {
            out.flush();
        } catch (IOException e) {
            throw new OutputClosedException(e);
        }
    }
}
