package dev.muster.kafka;

import dev.muster.kafka.api.BadRequestException;
import dev.muster.kafka.api.Client;
import dev.muster.kafka.api.RequestLog;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The connection of one client: its threads, and when it ends. One thread reads requests ({@link RequestInput}), begins
 * them in order ({@link RequestStart}), and sends the responses that are there at once. A response that must wait, for
 * a sync or for records, goes to a second thread ({@link ResponseQueue}), and the first thread reads on. So the
 * requests that follow share the sync, and a parked fetch delays only the responses behind it.
 *
 * <p>Both threads exist only while there is work. A virtual thread waits for a silent client. It does nothing else, and
 * starts a platform thread at the first byte: calls into the store would hold its carrier.
 */
final class Connection {
    private static final System.Logger LOG = System.getLogger(Connection.class.getName());
    private static final long LOOK_NANOS = 1_000_000;
    /** The silence after which the thread of a new client ends: the client may only have connected. */
    private static final int FIRST_PAUSE_MS = 100;

    /** The same for a client that came back: longer than the heartbeat interval of most busy groups. */
    private static final int PAUSE_MS = 400;

    /** The same for a client that was busy for so long. */
    private static final int PAUSE_MS_MAX = 1_600;

    private final SocketChannel channel;
    private final Client client;
    private final Services services;
    private final ThreadFactory threads;
    private final Consumer<Connection> onClose;
    private final RequestInput input;
    private final RequestStart requests;
    private final ResponseQueue responses;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** True if the client was silent before. For the thread that reads. */
    private boolean cameBack;

    private volatile Thread reader;
    private volatile long lastActiveNanos = System.nanoTime();
    private volatile boolean finishing;

    /** The work of one thread that reads. */
    private interface ReadTask {
        /** @return true if the connection continues, on another thread */
        boolean run() throws IOException, InterruptedException;
    }

    Connection(
            SocketChannel channel,
            Client client,
            Services services,
            ThreadFactory threads,
            Consumer<Connection> onClose) {
        this.channel = channel;
        this.client = client;
        this.services = services;
        this.threads = threads;
        this.onClose = onClose;
        this.input =
                new RequestInput(channel, client.login(), services.requests(), services.requestBytesMax(), this::touch);
        this.requests = new RequestStart(client, services.apis());
        this.responses = new ResponseQueue(channel, () -> thread("answers", this::sendInTurn), this::touch);
    }

    private void touch() {
        lastActiveNanos = System.nanoTime();
    }

    private Thread thread(String task, Runnable work) {
        Thread thread = threads.newThread(work);
        thread.setName("muster-kafka-" + task + "-" + client.connection());
        return thread;
    }

    /** Serves the client, on threads of its own, until one side ends it. */
    void start() {
        awaitClient();
    }

    /** Waits for a silent client without a platform thread. */
    private void awaitClient() {
        Thread thread = Thread.ofVirtual()
                .name("muster-kafka-idle-" + client.connection())
                .unstarted(() -> run(this::awaitFirstBytes));
        reader = thread;
        thread.start();
    }

    private boolean awaitFirstBytes() throws IOException {
        if (!input.awaitFirstBytes()) {
            return false;
        }
        Thread thread = thread("client", () -> run(this::serve));
        reader = thread;
        thread.start();
        return true;
    }

    private boolean serve() throws IOException, InterruptedException {
        long wokenNanos = System.nanoTime();
        lastActiveNanos = wokenNanos;
        int pauseMs = cameBack ? PAUSE_MS : FIRST_PAUSE_MS;
        cameBack = true;
        channel.socket().setSoTimeout(pauseMs);
        InputStream fromClient = channel.socket().getInputStream();
        while (client.login().refusal().isEmpty()) {
            RequestInput.WaitResult result = input.listen(fromClient);
            if (result != RequestInput.WaitResult.BYTES) {
                input.release();
                if (result == RequestInput.WaitResult.SILENCE) {
                    awaitClient();
                }
                return result == RequestInput.WaitResult.SILENCE;
            }
            input.readRequest(this::handle);
            lastActiveNanos = System.nanoTime();
            if (pauseMs < PAUSE_MS_MAX && lastActiveNanos - wokenNanos > TimeUnit.MILLISECONDS.toNanos(pauseMs)) {
                pauseMs *= 2;
                channel.socket().setSoTimeout(pauseMs);
            }
        }
        return false;
    }

    private void handle(ByteBuffer frame) throws IOException, InterruptedException {
        if (client.login().expectsBareToken()) {
            answerToken(frame);
            return;
        }
        RequestStart.Begun begun = requests.begin(frame);
        responses.add(begun.head(), begun.response());
    }

    /** Answers a token of version 0 of the handshake: it comes between two lengths, without a request around it. */
    private void answerToken(ByteBuffer frame) throws IOException, InterruptedException {
        byte[] token = new byte[frame.remaining()];
        frame.get(token);
        Optional<byte[]> answer = client.login().bareToken(token);
        if (answer.isEmpty()) {
            Thread.sleep(client.login().failureDelay());
            return;
        }
        ByteBuffer reply = ByteBuffer.allocate(RequestInput.LENGTH_BYTES + answer.get().length);
        reply.putInt(answer.get().length).put(answer.get()).flip();
        while (reply.hasRemaining()) {
            channel.write(reply);
        }
    }

    private void run(ReadTask task) {
        boolean goesOn = false;
        try {
            goesOn = task.run();
            if (!goesOn && isToBeAnswered()) {
                awaitResponses();
            } else if (!goesOn) {
                hungUp("it closed the connection");
            }
        } catch (ClosedChannelException | InterruptedException e) {
            LOG.log(System.Logger.Level.DEBUG, "the connection of {0} is closed", client);
        } catch (IOException e) {
            hungUp(e.getMessage());
        } catch (BadRequestException e) {
            RequestLog.badRequest(client, e);
        } catch (RuntimeException | OutOfMemoryError e) {
            RequestLog.unexpected(client, e);
        } finally {
            if (!goesOn) {
                close();
            }
        }
    }

    private void sendInTurn() {
        boolean goesOn = false;
        try {
            responses.sendInTurn();
            goesOn = true;
        } catch (InterruptedException e) {
            LOG.log(System.Logger.Level.DEBUG, "{0} left before it was answered", client);
        } catch (ClosedChannelException e) {
            LOG.log(System.Logger.Level.DEBUG, "the connection of {0} is closed", client);
        } catch (IOException e) {
            hungUp(e.getMessage());
        } catch (RuntimeException | OutOfMemoryError e) {
            RequestLog.unexpected(client, e);
        } finally {
            if (!goesOn) {
                close();
            }
        }
    }

    /** True if requests in progress are answered although none is read any more: at shutdown, or after a refusal. */
    private boolean isToBeAnswered() {
        Optional<String> refusal = client.login().refusal();
        refusal.ifPresent(why -> RequestLog.refused(client, why));
        return finishing || refusal.isPresent();
    }

    /** The client ended the connection. */
    private void hungUp(String how) {
        LOG.log(System.Logger.Level.DEBUG, "{0} disconnected: {1}", client, how);
        if (!closed.get() && !finishing) {
            services.hungUp(client);
        }
    }

    /** Reads no more requests. Those in progress are answered, then the connection ends. */
    void finish() {
        finishing = true;
        try {
            channel.shutdownInput();
        } catch (IOException e) {
            close();
        }
    }

    private void awaitResponses() {
        while (!responses.isEmpty() && !closed.get()) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /**
     * True if the client takes too long for its next request, the rest of one, its login, or the response that is being
     * sent. A client that waits for a response is not overdue.
     */
    boolean isOverdue(long now, long idleNanosMax, long frameNanosMax) {
        long silent = now - lastActiveNanos;
        boolean late = silent > idleNanosMax || input.isInFrame() && silent > frameNanosMax;
        boolean answered = responses.isEmpty();
        return (answered || responses.isSending()) && late
                || answered && client.login().isLate();
    }

    /** See {@link RequestInput#isTooSlow}. */
    boolean isTooSlow(long now) {
        return input.isTooSlow(now);
    }

    /** Ends the connection. Responses that were not sent are dropped. */
    void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            channel.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "closing {0}: {1}", client, e.getMessage());
        }
        // Both threads may wait on behalf of the client.
        interrupt(reader);
        interrupt(responses.close());
        onClose.accept(this);
    }

    private static void interrupt(Thread thread) {
        if (thread != null && thread != Thread.currentThread()) {
            thread.interrupt();
        }
    }
}
