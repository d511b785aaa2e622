package dev.muster.kafka;

import dev.muster.core.MusterException;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.ApiVersionsApi;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
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
 *
 * <p>Both are there only while there is something to do. A client that says nothing is waited for by a virtual thread,
 * which does nothing else and hands over to a platform thread at the first byte: calls into the store would hold its
 * carrier.
 */
final class Connection {
    private static final System.Logger LOG = System.getLogger(Connection.class.getName());
    private static final int PIPELINE_MAX = 64;
    private static final int SMALL_FRAME = 16 << 10;
    private static final int LENGTH_BYTES = 4;
    private static final long LOOK_NANOS = 1_000_000;
    /** More than this a large request gets when it has come so far. */
    private static final int FIRST_ROOM = 1 << 20;
    /** The same where memory is short. */
    private static final int FIRST_ROOM_SCARCE = 64 << 10;
    /** Of large requests so much is read at once: the JDK copies it through memory of the thread, and keeps that. */
    private static final int READ_BYTES_MAX = 256 << 10;
    /** A new client keeps its thread through a pause of this length: it may have come only to be there. */
    private static final int FIRST_PAUSE_MS = 100;

    /** One that came back: longer than between two heartbeats of most groups where something goes on. */
    private static final int PAUSE_MS = 400;

    /** One that was busy so long. */
    private static final int PAUSE_MS_MAX = 1_600;

    /** Who is slower is let go when others want the memory that its request has. */
    private static final long FAIR_BYTES_PER_SECOND = 64 << 10;

    private final SocketChannel channel;
    private final Client client;
    private final Broker broker;
    private final ThreadFactory threads;
    private final Consumer<Connection> onClose;
    private final AtomicBoolean closed = new AtomicBoolean();

    // What was read from the socket and not used yet, from position to limit. Small frames are used where they stand.
    // It belongs to the thread that reads; while nobody does there is none.
    private ByteBuffer input;

    /** Whether it has been silent before. Belongs to the thread that reads, too. */
    private boolean cameBack;

    private final BlockingQueue<Pending> pipeline = new ArrayBlockingQueue<>(PIPELINE_MAX);
    /** Answers that the sending thread has still to send. The reading thread may send only when there are none. */
    private final AtomicInteger inLine = new AtomicInteger();

    private volatile Thread reader;
    /** Null while there is nothing to send. Changed only under the lock of the pipeline, as {@link #inLine} grows. */
    private volatile Thread sender;

    /** Whether an answer is on its way: then it is the client that is waited for. */
    private volatile boolean sending;

    private volatile long lastActiveNanos = System.nanoTime();
    /** Whether the client owes us the rest of a frame. */
    private volatile boolean inFrame;

    /** A large frame that is arriving. */
    private volatile Arriving arriving;

    private volatile boolean finishing;

    /** An answer in its turn. */
    private record Pending(RequestHead head, Answer answer) {}

    private record Arriving(long sinceNanos, long bytes) {}

    /** What came of waiting for the client. */
    private enum Heard {
        BYTES,
        SILENCE,
        END
    }

    /** A time during which one thread reads. */
    private interface Watch {
        /** @return whether the connection goes on, on another thread */
        boolean keep() throws IOException, InterruptedException;
    }

    Connection(
            SocketChannel channel, Client client, Broker broker, ThreadFactory threads, Consumer<Connection> onClose) {
        this.channel = channel;
        this.client = client;
        this.broker = broker;
        this.threads = threads;
        this.onClose = onClose;
    }

    /** Serves the client, on threads of its own, until one side ends it. */
    void start() {
        doze();
    }

    /** Nobody needs a thread of the system to wait for a client that says nothing. */
    private void doze() {
        Thread thread = Thread.ofVirtual()
                .name("muster-kafka-idle-" + client.connection())
                .unstarted(() -> during(this::awaitFirstBytes));
        reader = thread;
        thread.start();
    }

    private boolean awaitFirstBytes() throws IOException {
        ByteBuffer first = ByteBuffer.allocate(LENGTH_BYTES);
        if (channel.read(first) < 0) {
            return false;
        }
        input = ByteBuffer.allocate(SMALL_FRAME).put(first.flip()).flip();
        Thread thread = threads.newThread(() -> during(this::serve));
        thread.setName("muster-kafka-client-" + client.connection());
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
            Heard heard = input.hasRemaining() ? Heard.BYTES : listen(fromClient);
            if (heard != Heard.BYTES) {
                input = null;
                if (heard == Heard.SILENCE) {
                    doze();
                }
                return heard == Heard.SILENCE;
            }
            readRequest();
            lastActiveNanos = System.nanoTime();
            if (pauseMs < PAUSE_MS_MAX && lastActiveNanos - wokenNanos > TimeUnit.MILLISECONDS.toNanos(pauseMs)) {
                pauseMs *= 2;
                channel.socket().setSoTimeout(pauseMs);
            }
        }
        return false;
    }

    private void during(Watch watch) {
        boolean goesOn = false;
        try {
            goesOn = watch.keep();
            if (!goesOn && isToBeAnswered()) {
                awaitAnswers();
            } else if (!goesOn) {
                hungUp("it closed the connection");
            }
        } catch (ClosedChannelException e) {
            LOG.log(System.Logger.Level.DEBUG, "{0} is let go", client);
        } catch (IOException e) {
            hungUp(e.getMessage());
        } catch (BadRequestException e) {
            RequestLog.badRequest(client, e);
        } catch (InterruptedException e) {
            LOG.log(System.Logger.Level.DEBUG, "{0} is let go", client);
        } catch (RuntimeException | OutOfMemoryError e) {
            RequestLog.unexpected(client, e);
        } finally {
            if (!goesOn) {
                close();
            }
        }
    }

    /** Whether what was begun is answered though nothing is read any more: we end it, or do not let the client in. */
    private boolean isToBeAnswered() {
        Optional<String> refusal = client.login().refusal();
        refusal.ifPresent(why -> RequestLog.refused(client, why));
        return finishing || refusal.isPresent();
    }

    /** The far side ended it. */
    private void hungUp(String how) {
        LOG.log(System.Logger.Level.DEBUG, "{0} is gone: {1}", client, how);
        if (!closed.get() && !finishing) {
            broker.hungUp(client);
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
     * Whether the client is to be let go: for longer than it may, it owes us a request, or the rest of one, or its
     * name, or does not take what we send. Who waits for an answer owes nothing.
     */
    boolean isOverdue(long now, long idleNanosMax, long frameNanosMax) {
        long silent = now - lastActiveNanos;
        boolean late = silent > idleNanosMax || inFrame && silent > frameNanosMax;
        boolean answered = inLine.get() == 0;
        return (answered || sending) && late || answered && client.login().isLate();
    }

    /** Whether it has memory for a request that comes more slowly than is fair to those who wait for memory. */
    boolean isDawdling(long now) {
        Arriving frame = arriving;
        if (frame == null) {
            return false;
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(now - frame.sinceNanos());
        return millis > 1_000 && frame.bytes() * 1_000 / millis < FAIR_BYTES_PER_SECOND;
    }

    // ---- reading

    /** Waits for the first bytes of a request, as long as a pause may be. */
    private Heard listen(InputStream fromClient) throws IOException {
        try {
            int count = fromClient.read(input.array());
            input.position(0).limit(Math.max(0, count));
            return count < 0 ? Heard.END : Heard.BYTES;
        } catch (SocketTimeoutException e) {
            return Heard.SILENCE;
        }
    }

    private void readRequest() throws IOException, InterruptedException {
        lastActiveNanos = System.nanoTime();
        inFrame = true;
        fill(LENGTH_BYTES);
        int size = input.getInt(input.position());
        checkSize(size);
        input.position(input.position() + LENGTH_BYTES);
        if (size <= SMALL_FRAME) {
            fill(size);
            inFrame = false;
            int end = input.position() + size;
            begin(ByteBuffer.wrap(input.array(), input.position(), size).slice());
            input.position(end);
        } else {
            readLarge(size);
        }
    }

    private void checkSize(int size) {
        boolean known = client.login().isDone();
        int max = client.login().frameBytesMax(broker.requestBytesMax());
        int min = client.login().expectsBareToken() ? 0 : RequestHead.FIXED_BYTES;
        if (size < min || size > max) {
            throw new BadRequestException("a request of " + size + " bytes, " + max + " are allowed ("
                    + (known
                            ? "socket.request.max.bytes, and an eighth of the heap)"
                            : "sasl.server.max.receive.size, until it has logged in)"));
        }
    }

    /** The memory grows with what has come: whoever only promises much gets little. */
    private void readLarge(int size) throws IOException, InterruptedException {
        int room = Math.min(size, broker.frames().isScarce() ? FIRST_ROOM_SCARCE : FIRST_ROOM);
        byte[] array = broker.frames().take(room).orElseThrow(Connection::noMemory);
        try {
            int there = Math.min(room, input.remaining());
            input.get(array, 0, there);
            long sinceNanos = System.nanoTime();
            while (there < size) {
                if (there == room) {
                    // Who waits for memory does not dawdle.
                    arriving = null;
                    long waitingNanos = System.nanoTime();
                    int more = (int) Math.min(size, 2L * room);
                    array = broker.frames().grow(array, room, more).orElseThrow(Connection::noMemory);
                    room = more;
                    sinceNanos += System.nanoTime() - waitingNanos;
                }
                arriving = new Arriving(sinceNanos, there);
                int count = channel.read(ByteBuffer.wrap(array, there, Math.min(room - there, READ_BYTES_MAX)));
                if (count < 0) {
                    throw new EOFException();
                }
                there += count;
                lastActiveNanos = System.nanoTime();
            }
            arriving = null;
            inFrame = false;
            begin(ByteBuffer.wrap(array, 0, size));
        } finally {
            arriving = null;
            broker.frames().giveBack(array, room);
        }
    }

    private static BadRequestException noMemory() {
        return new BadRequestException("no memory for its request: others have it all (queued.max.request.bytes)");
    }

    /** Reads until so many bytes are there. */
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
            // One for both: what the header has counts too.
            FrameReader fields = new FrameReader(frame);
            head = RequestHead.read(api.key(), RequestHead.version(frame), fields);
            body = api.read(fields, head.version());
        } catch (RuntimeException e) {
            // The generated readers throw anything at bytes that are not theirs.
            throw new BadRequestException(
                    "a " + api.key() + " request that cannot be understood: " + e.getMessage(), e);
        }
        Answer answer;
        try {
            answer = api.begin(new Request<>(head, body, client));
        } catch (MusterException e) {
            answer = Answer.of(FailedRequest.reply(head, body, e));
        }
        answer(head, FailedRequest.answered(answer, head, body));
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
        synchronized (pipeline) {
            if (closed.get()) {
                // Who closed it has looked for a sender to end, or is about to: one that begins now would stay.
                throw new ClosedChannelException();
            }
            inLine.incrementAndGet();
            if (sender == null) {
                Thread thread = threads.newThread(this::sendInTurn);
                thread.setName("muster-kafka-answers-" + client.connection());
                sender = thread;
                thread.start();
            }
        }
        pipeline.put(new Pending(head, answer));
    }

    private void sendInTurn() {
        boolean goesOn = false;
        try {
            for (Pending next = nextInTurn(); next != null; next = nextInTurn()) {
                send(next.head(), next.answer().await());
                inLine.decrementAndGet();
            }
            goesOn = true;
        } catch (InterruptedException e) {
            LOG.log(System.Logger.Level.DEBUG, "{0} left before it was answered", client);
        } catch (ClosedChannelException e) {
            LOG.log(System.Logger.Level.DEBUG, "{0} is let go", client);
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

    /**
     * Null when nothing was to be sent for some time: then the thread is to end, and another one is started in need.
     */
    private Pending nextInTurn() throws InterruptedException {
        while (true) {
            Pending next = pipeline.poll(PAUSE_MS_MAX, TimeUnit.MILLISECONDS);
            if (next != null) {
                return next;
            }
            synchronized (pipeline) {
                if (inLine.get() == 0) {
                    sender = null;
                    return null;
                }
            }
        }
    }

    private void send(RequestHead head, Reply reply) throws IOException {
        try {
            if (!reply.isNothing()) {
                lastActiveNanos = System.nanoTime();
                sending = true;
                ReplyParts.of(head, reply.message()).sendTo(channel, () -> lastActiveNanos = System.nanoTime());
            }
        } finally {
            sending = false;
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
        Thread answering;
        synchronized (pipeline) {
            answering = sender;
        }
        interrupt(answering);
        onClose.accept(this);
    }

    private static void interrupt(Thread thread) {
        if (thread != null && thread != Thread.currentThread()) {
            thread.interrupt();
        }
    }
}
