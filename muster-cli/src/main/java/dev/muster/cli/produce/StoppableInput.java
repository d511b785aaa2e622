package dev.muster.cli.produce;

import dev.muster.cli.command.StopSignal;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Objects;
import java.util.Queue;

/**
 * A stream whose reader can be stopped. A thread of its own waits in the real {@code read}, which cannot be
 * interrupted. The reader waits for that thread or for the stop signal. Bytes that were read before the signal are
 * still returned.
 */
final class StoppableInput extends InputStream {
    private static final int CHUNK_BYTES = 64 << 10;
    private static final int CHUNKS_MAX = 8;

    private final InputStream in;
    private final StopSignal stop;
    private final Queue<byte[]> chunks = new ArrayDeque<>();
    private byte[] current = new byte[0];
    private int currentAt;
    private boolean ended;
    private boolean closed;
    private IOException failure;

    StoppableInput(InputStream in, StopSignal stop) {
        this.in = in;
        this.stop = stop;
        stop.onRaise(this::wake);
        Thread.ofPlatform().daemon().name("muster-input").start(this::pump);
    }

    private synchronized void wake() {
        notifyAll();
    }

    private void pump() {
        try {
            byte[] buffer = new byte[CHUNK_BYTES];
            int count = in.read(buffer);
            while (count >= 0 && offer(Arrays.copyOf(buffer, count))) {
                count = in.read(buffer);
            }
            end(null);
        } catch (IOException e) {
            end(e);
        } catch (RuntimeException e) {
            end(new IOException("cannot read the input: " + e, e));
        }
    }

    private synchronized boolean offer(byte[] chunk) throws IOException {
        while (chunks.size() == CHUNKS_MAX && !stop.isRaised() && !closed) {
            pause();
        }
        chunks.add(chunk);
        notifyAll();
        return !stop.isRaised() && !closed;
    }

    private synchronized void end(IOException problem) {
        ended = true;
        failure = problem;
        notifyAll();
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public synchronized int read(byte[] into, int from, int length) throws IOException {
        Objects.checkFromIndexSize(from, length, into.length);
        while (currentAt == current.length) {
            byte[] next = chunks.poll();
            if (next != null) {
                current = next;
                currentAt = 0;
                notifyAll();
            } else if (ended) {
                return atEnd();
            } else if (stop.isRaised()) {
                return -1;
            } else {
                pause();
            }
        }
        int count = Math.min(length, current.length - currentAt);
        System.arraycopy(current, currentAt, into, from, count);
        currentAt += count;
        return count;
    }

    private int atEnd() throws IOException {
        if (failure != null) {
            throw failure;
        }
        return -1;
    }

    /** The number of bytes that can be read without waiting; 0 at the end and after the signal. */
    @Override
    public synchronized int available() {
        int there = current.length - currentAt;
        for (byte[] chunk : chunks) {
            there += chunk.length;
        }
        return there;
    }

    private void pause() throws IOException {
        try {
            wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while reading", e);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
    }
}
