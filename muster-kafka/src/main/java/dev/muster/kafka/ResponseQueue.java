package dev.muster.kafka;

import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.RequestHead;
import dev.muster.kafka.api.Response;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Sends the responses of one connection in the order of their requests. The thread that reads requests sends a response
 * itself if none is in line and the response is there. A second thread sends all others. It ends when it was idle for a
 * while, and another one is started when it is needed.
 */
final class ResponseQueue {
    private static final int PIPELINE_MAX = 64;
    private static final int IDLE_MS_MAX = 1_600;

    private final SocketChannel channel;
    private final Supplier<Thread> senders;
    private final Runnable onBytes;

    private final BlockingQueue<Pending> pipeline = new ArrayBlockingQueue<>(PIPELINE_MAX);
    /** The responses that the second thread has still to send. The first thread may send only when there are none. */
    private final AtomicInteger inLine = new AtomicInteger();

    /** Null while there is nothing to send. Guarded by the pipeline, as is the growth of {@link #inLine}. */
    private Thread sender;

    /** Guarded by the pipeline. */
    private boolean closed;

    /** True while a response is being written; the client has to take it. */
    private volatile boolean sending;

    private record Pending(RequestHead head, PendingResponse response) {}

    /**
     * @param senders makes a thread, not started, that calls {@link #sendInTurn}
     * @param onBytes called when a response begins, and whenever the client has taken some of it
     */
    ResponseQueue(SocketChannel channel, Supplier<Thread> senders, Runnable onBytes) {
        this.channel = channel;
        this.senders = senders;
        this.onBytes = onBytes;
    }

    /** True if no response is in line for the second thread. */
    boolean isEmpty() {
        return inLine.get() == 0;
    }

    boolean isSending() {
        return sending;
    }

    /** Sends the response now, or puts it in line; waits while the line is full. For the thread that reads requests. */
    void add(RequestHead head, PendingResponse response) throws IOException, InterruptedException {
        if (isEmpty()) {
            Optional<Response> ready = response.now();
            if (ready.isPresent()) {
                send(head, ready.get());
                return;
            }
        }
        synchronized (pipeline) {
            if (closed) {
                // A sender that is started now would not be interrupted, and stay.
                throw new ClosedChannelException();
            }
            inLine.incrementAndGet();
            if (sender == null) {
                sender = senders.get();
                sender.start();
            }
        }
        pipeline.put(new Pending(head, response));
    }

    /** Sends the responses in line. Returns when there was none for some time. */
    void sendInTurn() throws IOException, InterruptedException {
        for (Pending next = next(); next != null; next = next()) {
            send(next.head(), next.response().await());
            inLine.decrementAndGet();
        }
    }

    /** Null if there was no response for some time; then the thread must end. */
    private Pending next() throws InterruptedException {
        while (true) {
            Pending next = pipeline.poll(IDLE_MS_MAX, TimeUnit.MILLISECONDS);
            if (next != null) {
                return next;
            }
            synchronized (pipeline) {
                if (isEmpty()) {
                    sender = null;
                    return null;
                }
            }
        }
    }

    private void send(RequestHead head, Response response) throws IOException {
        try {
            if (!response.isNothing()) {
                onBytes.run();
                sending = true;
                ResponseParts.of(head, response.message()).sendTo(channel, onBytes);
            }
        } finally {
            sending = false;
            response.sent().run();
        }
    }

    /** Starts no more threads. Returns the one that sends, to be interrupted, or null. */
    Thread close() {
        synchronized (pipeline) {
            closed = true;
            return sender;
        }
    }
}
