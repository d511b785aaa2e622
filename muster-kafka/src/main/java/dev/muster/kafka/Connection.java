package dev.muster.kafka;

import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.ApiVersionsApi;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * One client. A thread reads its requests and begins them in order; what can be answered at once it answers itself.
 * Where an answer must wait, for a sync or for records, it goes to a second thread, which sends answers in order, and
 * the first one reads on: so requests that follow share the sync, and a parked fetch delays only what stands behind it.
 */
final class Connection {
    private static final System.Logger LOG = System.getLogger(Connection.class.getName());
    private static final int PIPELINE_MAX = 64;
    private static final int SMALL_FRAME = 16 << 10;
    private static final int LENGTH_BYTES = 4;
    private static final long LOOK_NANOS = 1_000_000;
    /** More than this a large request gets when it has come so far. */
    private static final int FIRST_ROOM = 1 << 20;

    private final SocketChannel channel;
    private final Client client;
    private final Broker broker;
    private final ThreadFactory threads;
    private final Consumer<Connection> onClose;
    private final AtomicBoolean closed = new AtomicBoolean();

    // What was read from the socket and not used yet, from position to limit. Small frames are used where they stand.
    private final ByteBuffer input = ByteBuffer.allocate(SMALL_FRAME).flip();

    private final BlockingQueue<Pending> pipeline = new ArrayBlockingQueue<>(PIPELINE_MAX);
    /** Answers that the sending thread has still to send. The reading thread may send only when there are none. */
    private final AtomicInteger inLine = new AtomicInteger();

    private volatile Thread reader;
    private volatile Thread sender;
    private volatile long lastActiveNanos = System.nanoTime();
    /** Whether the client owes us the rest of a frame. */
    private volatile boolean inFrame;

    private volatile boolean finishing;

    /** An answer in its turn. */
    private record Pending(RequestHead head, Answer answer) {}

    Connection(
            SocketChannel channel, Client client, Broker broker, ThreadFactory threads, Consumer<Connection> onClose) {
        this.channel = channel;
        this.client = client;
        this.broker = broker;
        this.threads = threads;
        this.onClose = onClose;
    }

    /** Serves the client until one side ends it. */
    void run() {
        reader = Thread.currentThread();
        try {
            while (client.login().refusal().isEmpty() && readRequest()) {
                lastActiveNanos = System.nanoTime();
            }
            client.login()
                    .refusal()
                    .ifPresent(why -> LOG.log(System.Logger.Level.INFO, "{0} is not let in: {1}", client, why));
            if (finishing || client.login().refusal().isPresent()) {
                awaitAnswers();
            }
        } catch (EOFException | ClosedChannelException e) {
            LOG.log(System.Logger.Level.DEBUG, "{0} is gone", client);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "{0} is gone: {1}", client, e.getMessage());
        } catch (BadRequestException e) {
            LOG.log(System.Logger.Level.WARNING, "closing the connection of {0}: {1}", client, e.getMessage());
        } catch (InterruptedException e) {
            LOG.log(System.Logger.Level.DEBUG, "{0} is let go", client);
        } catch (RuntimeException | OutOfMemoryError e) {
            LOG.log(System.Logger.Level.ERROR, "closing the connection of " + client + " after an unexpected error", e);
        } finally {
            close();
        }
    }

    /** Reads no more requests; those that were begun are answered, then the connection ends. */
    void finish() {
        finishing = true;
        try {
            channel.shutdownInput();
        } catch (IOException e) {
            close();
        }
    }

    private void awaitAnswers() {
        while (inLine.get() > 0 && !closed.get()) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /**
     * Whether the client is to be let go: it owes us a request, or the rest of one, or its name, for longer than it
     * may. Who waits for an answer owes nothing.
     */
    boolean isOverdue(long now, long idleNanosMax, long frameNanosMax) {
        long silent = now - lastActiveNanos;
        boolean late = silent > idleNanosMax
                || inFrame && silent > frameNanosMax
                || client.login().isLate();
        return inLine.get() == 0 && late;
    }

    // ---- reading

    private boolean readRequest() throws IOException, InterruptedException {
        if (!fill(LENGTH_BYTES)) {
            return false;
        }
        int size = input.getInt(input.position());
        checkSize(size);
        inFrame = true;
        input.position(input.position() + LENGTH_BYTES);
        if (size <= SMALL_FRAME) {
            if (!fill(size)) {
                throw new EOFException();
            }
            inFrame = false;
            int end = input.position() + size;
            begin(ByteBuffer.wrap(input.array(), input.position(), size).slice());
            input.position(end);
        } else {
            readLarge(size);
        }
        return true;
    }

    private void checkSize(int size) {
        boolean known = client.login().isDone();
        int max = client.login().frameBytesMax(broker.config().requestBytesMax());
        int min = client.login().expectsBareToken() ? 0 : RequestHead.FIXED_BYTES;
        if (size < min || size > max) {
            throw new BadRequestException("a request of " + size + " bytes, " + max + " are allowed ("
                    + (known ? "socket.request.max.bytes)" : "sasl.server.max.receive.size, until it has logged in)"));
        }
    }

    /** The memory grows with what has come: whoever only promises much gets little. */
    private void readLarge(int size) throws IOException, InterruptedException {
        int room = Math.min(size, FIRST_ROOM);
        byte[] array = broker.frames().take(room).orElseThrow(Connection::noMemory);
        try {
            int there = Math.min(room, input.remaining());
            input.get(array, 0, there);
            while (there < size) {
                if (there == room) {
                    int more = (int) Math.min(size, 2L * room);
                    array = broker.frames().grow(array, room, more).orElseThrow(Connection::noMemory);
                    room = more;
                }
                int count = channel.read(ByteBuffer.wrap(array, there, room - there));
                if (count < 0) {
                    throw new EOFException();
                }
                there += count;
                lastActiveNanos = System.nanoTime();
            }
            inFrame = false;
            begin(ByteBuffer.wrap(array, 0, size));
        } finally {
            broker.frames().giveBack(array, room);
        }
    }

    private static BadRequestException noMemory() {
        return new BadRequestException("no memory for its request: others have it all (queued.max.request.bytes)");
    }

    /** Reads until so many bytes are there; false when the client ended the connection before the first. */
    private boolean fill(int wanted) throws IOException {
        if (input.remaining() >= wanted) {
            return true;
        }
        if (input.capacity() - input.position() < wanted || !input.hasRemaining()) {
            input.compact().flip();
        }
        boolean nothing = !input.hasRemaining();
        while (input.remaining() < wanted) {
            int from = input.position();
            input.position(input.limit()).limit(input.capacity());
            int count = channel.read(input);
            input.limit(input.position()).position(from);
            if (count < 0) {
                if (nothing) {
                    return false;
                }
                throw new EOFException();
            }
            nothing = false;
        }
        return true;
    }

    // ---- beginning

    private void begin(ByteBuffer frame) throws IOException, InterruptedException {
        if (client.login().expectsBareToken()) {
            answerToken(frame);
            return;
        }
        short key = RequestHead.key(frame);
        Api<?> api = broker.apis().find(key).orElse(null);
        if (api == null) {
            throw new BadRequestException("API key " + key + " is not served");
        }
        if (!client.login().admits(api.key())) {
            throw new BadRequestException("it asks for " + api.key() + " and is not logged in");
        }
        short version = RequestHead.version(frame);
        if (!api.serves(version)) {
            if (api.key() != ApiKeys.API_VERSIONS) {
                throw new BadRequestException("version " + version + " of " + api.key() + " is not served");
            }
            // The client is to choose one from the list and ask again; only version 0 is sure to be understood.
            RequestHead head = new RequestHead(api.key(), (short) 0, RequestHead.correlationId(frame), "");
            answer(head, Answer.of(((ApiVersionsApi) api).refusal()));
            return;
        }
        begin(api, frame);
    }

    private <T extends ApiMessage> void begin(Api<T> api, ByteBuffer frame) throws IOException, InterruptedException {
        RequestHead head;
        T body;
        try {
            head = RequestHead.read(api.key(), frame);
            body = api.read(new FrameReader(frame), head.version());
        } catch (RuntimeException e) {
            // The generated readers throw anything at bytes that are not theirs.
            throw new BadRequestException(
                    "a " + api.key() + " request that cannot be understood: " + e.getMessage(), e);
        }
        answer(head, api.begin(new Request<>(head, body, client)));
    }

    /** Before there were requests for them, tokens were sent as they are, between two lengths. */
    private void answerToken(ByteBuffer frame) throws IOException, InterruptedException {
        byte[] token = new byte[frame.remaining()];
        frame.get(token);
        Optional<byte[]> said = client.login().bareToken(token);
        if (said.isEmpty()) {
            Thread.sleep(client.login().failureDelay());
            return;
        }
        ByteBuffer reply = ByteBuffer.allocate(LENGTH_BYTES + said.get().length);
        reply.putInt(said.get().length).put(said.get()).flip();
        while (reply.hasRemaining()) {
            channel.write(reply);
        }
    }

    // ---- answering

    private void answer(RequestHead head, Answer answer) throws IOException, InterruptedException {
        if (inLine.get() == 0) {
            Optional<Reply> reply = answer.now();
            if (reply.isPresent()) {
                send(head, reply.get());
                return;
            }
        }
        inLine.incrementAndGet();
        if (sender == null) {
            Thread thread = threads.newThread(this::sendInTurn);
            thread.setName("muster-kafka-answers-" + client.connection());
            sender = thread;
            thread.start();
        }
        pipeline.put(new Pending(head, answer));
    }

    private void sendInTurn() {
        try {
            while (!closed.get()) {
                Pending next = pipeline.take();
                send(next.head(), next.answer().await());
                inLine.decrementAndGet();
            }
        } catch (InterruptedException e) {
            LOG.log(System.Logger.Level.DEBUG, "{0} left before it was answered", client);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "{0} is gone: {1}", client, e.getMessage());
        } catch (RuntimeException | OutOfMemoryError e) {
            LOG.log(System.Logger.Level.ERROR, "closing the connection of " + client + " after an unexpected error", e);
        } finally {
            close();
        }
    }

    private void send(RequestHead head, Reply reply) throws IOException {
        try {
            if (!reply.isNothing()) {
                ReplyParts.of(head, reply.message()).sendTo(channel);
            }
        } finally {
            reply.sent().run();
        }
    }

    /** Ends the connection; answers that were not sent never are. */
    void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            channel.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "closing {0}: {1}", client, e.getMessage());
        }
        // Whoever waits on behalf of the client need not any more.
        interrupt(reader);
        interrupt(sender);
        onClose.accept(this);
    }

    private static void interrupt(Thread thread) {
        if (thread != null && thread != Thread.currentThread()) {
            thread.interrupt();
        }
    }
}
