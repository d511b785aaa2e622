package dev.muster.kafka;

import dev.muster.kafka.api.BadRequestException;
import dev.muster.kafka.api.RequestHead;
import dev.muster.kafka.sasl.Login;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/**
 * Reads the requests of one connection from its socket. Small requests are used where they stand in the input buffer; a
 * large one gets memory from the server's {@link RequestBudget} as it arrives. For the thread that reads, except where
 * a method says otherwise.
 */
final class RequestInput {
    static final int LENGTH_BYTES = 4;
    private static final int SMALL_FRAME = 16 << 10;
    /** The most memory that a large request gets before its bytes arrive. */
    private static final int FIRST_ROOM = 1 << 20;
    /** The same while memory is scarce. */
    private static final int FIRST_ROOM_SCARCE = 64 << 10;
    /** The most bytes of one read: the JDK copies them through memory of the thread, and keeps that memory. */
    private static final int READ_BYTES_MAX = 256 << 10;

    /** A slower connection is closed when others want the memory of its request. */
    private static final long FAIR_BYTES_PER_SECOND = 64 << 10;

    private final SocketChannel channel;
    private final Login login;
    private final RequestBudget budget;
    private final int requestBytesMax;
    private final Runnable onBytes;

    // The bytes that were read and not used yet, from position to limit. Null while no thread reads.
    private ByteBuffer input;

    /** True while the rest of a request is missing. */
    private volatile boolean inFrame;

    /** The large request that is arriving, or null. */
    private volatile Arriving arriving;

    private record Arriving(long sinceNanos, long bytes) {}

    /** The result of waiting for the client. */
    enum WaitResult {
        BYTES,
        SILENCE,
        END
    }

    /** Takes a whole request. Its bytes are valid until the call returns. */
    interface Sink {
        void accept(ByteBuffer frame) throws IOException, InterruptedException;
    }

    /** @param onBytes called whenever a request begins, and whenever bytes of a large one arrived */
    RequestInput(SocketChannel channel, Login login, RequestBudget budget, int requestBytesMax, Runnable onBytes) {
        this.channel = channel;
        this.login = login;
        this.budget = budget;
        this.requestBytesMax = requestBytesMax;
        this.onBytes = onBytes;
    }

    /** Waits for the client without an input buffer. False if the client ended the connection. */
    boolean awaitFirstBytes() throws IOException {
        ByteBuffer first = ByteBuffer.allocate(LENGTH_BYTES);
        if (channel.read(first) < 0) {
            return false;
        }
        input = ByteBuffer.allocate(SMALL_FRAME).put(first.flip()).flip();
        return true;
    }

    /** Waits for bytes of the next request, for at most the socket's timeout. */
    WaitResult listen(InputStream fromClient) throws IOException {
        if (input.hasRemaining()) {
            return WaitResult.BYTES;
        }
        try {
            int count = fromClient.read(input.array());
            input.position(0).limit(Math.max(0, count));
            return count < 0 ? WaitResult.END : WaitResult.BYTES;
        } catch (SocketTimeoutException e) {
            return WaitResult.SILENCE;
        }
    }

    /** Gives the input buffer back, until {@link #awaitFirstBytes} makes a new one. */
    void release() {
        input = null;
    }

    /** True if the rest of a request is missing. For any thread. */
    boolean isInFrame() {
        return inFrame;
    }

    /** True if a request holds memory and arrives more slowly than is fair to others that wait. For any thread. */
    boolean isTooSlow(long now) {
        Arriving frame = arriving;
        if (frame == null) {
            return false;
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(now - frame.sinceNanos());
        return millis > 1_000 && frame.bytes() * 1_000 / millis < FAIR_BYTES_PER_SECOND;
    }

    /** Reads one request and hands it to the sink. */
    void readRequest(Sink sink) throws IOException, InterruptedException {
        onBytes.run();
        inFrame = true;
        fill(LENGTH_BYTES);
        int size = input.getInt(input.position());
        checkSize(size);
        input.position(input.position() + LENGTH_BYTES);
        if (size <= SMALL_FRAME) {
            fill(size);
            inFrame = false;
            int end = input.position() + size;
            sink.accept(ByteBuffer.wrap(input.array(), input.position(), size).slice());
            input.position(end);
        } else {
            readLarge(size, sink);
        }
    }

    private void checkSize(int size) {
        int max = login.frameBytesMax(requestBytesMax);
        int min = login.expectsBareToken() ? 0 : RequestHead.FIXED_BYTES;
        if (size < min || size > max) {
            throw new BadRequestException("a request of " + size + " bytes, " + max + " are allowed ("
                    + (login.isDone()
                            ? "socket.request.max.bytes, and an eighth of the heap)"
                            : "sasl.server.max.receive.size, until it has logged in)"));
        }
    }

    /** The memory grows with the bytes that have arrived, not with the announced length. */
    private void readLarge(int size, Sink sink) throws IOException, InterruptedException {
        int room = Math.min(size, budget.isScarce() ? FIRST_ROOM_SCARCE : FIRST_ROOM);
        byte[] array = budget.take(room).orElseThrow(RequestInput::noMemory);
        try {
            int there = Math.min(room, input.remaining());
            input.get(array, 0, there);
            long sinceNanos = System.nanoTime();
            while (there < size) {
                if (there == room) {
                    // A request that waits for memory is not too slow.
                    arriving = null;
                    long waitingNanos = System.nanoTime();
                    int more = (int) Math.min(size, 2L * room);
                    array = budget.grow(array, room, more).orElseThrow(RequestInput::noMemory);
                    room = more;
                    sinceNanos += System.nanoTime() - waitingNanos;
                }
                arriving = new Arriving(sinceNanos, there);
                int count = channel.read(ByteBuffer.wrap(array, there, Math.min(room - there, READ_BYTES_MAX)));
                if (count < 0) {
                    throw new EOFException();
                }
                there += count;
                onBytes.run();
            }
            arriving = null;
            inFrame = false;
            sink.accept(ByteBuffer.wrap(array, 0, size));
        } finally {
            arriving = null;
            budget.giveBack(array, room);
        }
    }

    private static BadRequestException noMemory() {
        return new BadRequestException("no memory for its request: others have it all (queued.max.request.bytes)");
    }

    /** Reads until the input buffer holds this number of unused bytes. */
    private void fill(int wanted) throws IOException {
        if (input.remaining() >= wanted) {
            return;
        }
        if (input.capacity() - input.position() < wanted || !input.hasRemaining()) {
            input.compact().flip();
        }
        while (input.remaining() < wanted) {
            int from = input.position();
            input.position(input.limit()).limit(input.capacity());
            int count = channel.read(input);
            input.limit(input.position()).position(from);
            if (count < 0) {
                throw new EOFException();
            }
        }
    }
}
