package dev.muster.cli.consume;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.OutputClosedException;
import dev.muster.cli.command.StopSignal;
import dev.muster.cli.text.ByteSink;
import dev.muster.cli.text.RecordWriter;
import dev.muster.embedded.Received;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Sends records as a stream to the stdin of one child. A record has arrived when the child has read its last byte out
 * of the pipe. If the kernel does not tell that, it has arrived when it is written into the pipe. After the end of the
 * stream, exit code 0 means that all records have arrived. This class cannot know how the child processes a record.
 */
final class PipeDelivery implements Delivery {
    /** The largest pipe unless an administrator changed the limit: bytes written before these have been read. */
    private static final long PIPE_BYTES_MAX = 1 << 20;

    private static final Duration SETTLE_MAX = Duration.ofSeconds(10);
    private static final long LOOK_EVERY_MS = 2;
    private static final int BUFFER_BYTES = 64 << 10;

    /** @param end the position in the stream after the record's last byte */
    private record Pending(Received<byte[], byte[]> record, long end) {}

    private final String name;
    private final ChildCommand.Child child;
    private final RecordWriter writer;
    private final StopSignal stop;
    private final Consumer<Received<byte[], byte[]>> arrived;
    private final ByteSink out;
    private final PipeFill fill;
    private final Deque<Pending> pending = new ArrayDeque<>();

    PipeDelivery(
            ChildCommand command,
            RecordWriter writer,
            StopSignal stop,
            Runnable onExit,
            Consumer<Received<byte[], byte[]>> arrived) {
        this.name = command.name();
        this.child = command.start(java.util.Map.of());
        this.writer = writer;
        this.stop = stop;
        this.arrived = arrived;
        this.out = new ByteSink(child.process().getOutputStream(), BUFFER_BYTES);
        this.fill = PipeFill.of(child.process().pid());
        child.process().onExit().thenRun(onExit);
    }

    @Override
    public void hand(Received<byte[], byte[]> record) {
        try {
            writer.write(out, record);
        } catch (IOException e) {
            throw closed(e);
        }
        pending.add(new Pending(record, out.position()));
    }

    @Override
    public void look() {
        if (pending.isEmpty()) {
            return;
        }
        try {
            out.flush();
        } catch (IOException e) {
            throw closed(e);
        }
        tellUpTo(taken());
    }

    /** The child reads no more. The records that it had read at the last look have arrived. */
    private OutputClosedException closed(IOException e) {
        pending.clear();
        return new OutputClosedException(e);
    }

    /** The position up to which the child has read. */
    private long taken() {
        OptionalLong unread = fill.isKnown() ? fill.unread() : OptionalLong.of(0);
        return out.position() - unread.orElse(PIPE_BYTES_MAX);
    }

    private void tellUpTo(long position) {
        while (!pending.isEmpty() && pending.peek().end() <= position) {
            arrived.accept(pending.remove().record());
        }
    }

    @Override
    public void settle() {
        long deadlineNanos = System.nanoTime() + SETTLE_MAX.toNanos();
        look();
        while (!pending.isEmpty() && !isOver() && System.nanoTime() < deadlineNanos) {
            exitsWithin(LOOK_EVERY_MS);
            look();
        }
    }

    private boolean exitsWithin(long millis) {
        try {
            return child.process().waitFor(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException(ExitCode.INTERRUPTED, "interrupted", null);
        }
    }

    @Override
    public boolean isOver() {
        return !child.process().isAlive();
    }

    @Override
    public void finish() {
        look();
        try {
            child.process().getOutputStream().close();
        } catch (IOException e) {
            throw new OutputClosedException(e);
        }
        // Without a signal the child may take its time.
        stop.onRaise(this::endWithin);
        if (child.await() == 0) {
            tellUpTo(Long.MAX_VALUE);
        }
    }

    private void endWithin() {
        child.process()
                .onExit()
                .completeOnTimeout(child.process(), SETTLE_MAX.toMillis(), TimeUnit.MILLISECONDS)
                .thenRunAsync(child::destroy);
    }

    @Override
    public void close() {
        try {
            child.process().getOutputStream().close();
        } catch (IOException e) {
            // The child reads no more; its exit code tells the reason.
        }
        int exit = child.await();
        if (exit != 0 && !stop.isRaised()) {
            throw new CommandException(
                    ExitCode.FAILED,
                    name + " ended with " + exit + "; the records it had not read are not committed",
                    "the next member of the group gets these records again");
        }
    }
}
