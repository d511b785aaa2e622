package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.it.Figures;
import dev.muster.it.Rounds;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Thousands of clients, many of them misbehaving, and a server with a small heap that exits when the heap is exhausted.
 * The server must survive, serve other clients in time, and lose no record.
 */
@Tag("figures")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class CrowdIT {
    private static final int CONNECTIONS = Integer.getInteger("muster.connections", 5_000);
    private static final int NON_READERS = 300;
    private static final int DAWDLERS = 300;
    private static final int SPARE_FILES = 1_000;
    private static final List<String> SMALL_HEAP = List.of("-Xmx128m", "-XX:+ExitOnOutOfMemoryError");
    /** The whole heap is resident from the start, so uncollected garbage does not change the measurement. */
    private static final List<String> TOUCHED_HEAP =
            List.of("-Xms128m", "-Xmx128m", "-XX:+AlwaysPreTouch", "-XX:+ExitOnOutOfMemoryError");

    private static final long MIB = 1 << 20;
    /** The memory of a JVM with that heap, including code, classes, threads and buffers. */
    private static final long RESIDENT_MAX = 400 * MIB;

    private static final long IDLE_BYTES_MAX = 20 << 10;
    private static final double LATENCY_P99_MILLIS = 250;
    private static final Duration IDLE = Duration.ofMillis(2_500);
    private static final String LARGE = "large";
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    private Path directory;

    @Test
    void idleConnectionsCostLittleMemoryAndNoThread() throws Exception {
        int count = connectionsPossible();
        try (ServerProcess server = ServerProcess.start(TOUCHED_HEAP, directory, 0);
                Crowd crowd = new Crowd(server.port())) {
            for (int i = 0; i < 200; i++) {
                Crowd.askVersions(crowd.join());
            }
            await("threads to end", () -> threads(server) < 100);
            long threadsBefore = server.threads();
            long heapBefore = server.liveHeapBytes();
            long before = server.residentBytes();
            long begun = System.nanoTime();
            for (int i = 0; i < count; i++) {
                SocketChannel one = crowd.join();
                if (i % 2 == 0) {
                    Crowd.askVersions(one);
                }
            }
            double seconds = (System.nanoTime() - begun) / 1e9;
            // Connections are accepted in order: when the last one is answered all are there.
            Crowd.askVersions(crowd.join());
            await("threads to end", () -> threads(server) <= threadsBefore + 20);
            long heap = server.liveHeapBytes();
            long resident = server.residentBytes();
            long each = (heap - heapBefore + resident - before) / count;
            System.out.printf(
                    "CrowdIT: %d idle connections in %.1f s: %d threads before, %d with them; %d KiB of heap in use"
                            + " before, %d with them; %d KiB resident before, %d with them: %d bytes each%n",
                    count,
                    seconds,
                    threadsBefore,
                    server.threads(),
                    heapBefore >> 10,
                    heap >> 10,
                    before >> 10,
                    resident >> 10,
                    each);
            assertThat(each).as("bytes for each connection").isLessThan(IDLE_BYTES_MAX);
            assertThat(server.isAlive()).isTrue();
        }
    }

    @Test
    void badClientsDoNotHinderAGoodOneAndMemoryIsBounded() throws Exception {
        int count = connectionsPossible() / 2;
        try (ServerProcess server = ServerProcess.start(SMALL_HEAP, directory, 0);
                Crowd crowd = new Crowd(server.port());
                ExecutorService background = Executors.newCachedThreadPool()) {
            fillLarge(server.address());
            for (int i = 0; i < count; i++) {
                crowd.join();
            }
            byte[] fetch = Crowd.frame(fetchAll(), 12);
            for (int i = 0; i < NON_READERS; i++) {
                SocketChannel one = crowd.joinAsNonReader();
                for (int repeat = 0; repeat < 5; repeat++) {
                    Crowd.say(one, fetch);
                }
            }
            AtomicBoolean enough = new AtomicBoolean();
            Future<?> dawdling = background.submit(() -> dawdle(server.port(), enough));
            AtomicLong bombs = new AtomicLong();
            List<byte[]> packed = bombs();
            Future<?> bombing = background.submit(() -> bomb(server.port(), packed, bombs, enough));
            try {
                AtomicLong peak = new AtomicLong();
                Figures latency = serveGoodClient(server, peak, () -> bombs.get() == 0 && !bombing.isDone());
                System.out.printf(
                        "CrowdIT: %d idle, %d that do not read, %d that dawdle, %d bombs: a good client waited %s for"
                                + " its acknowledgements; at most %d MiB resident, %d threads%n",
                        count, NON_READERS, DAWDLERS, bombs.get(), latency, peak.get() / MIB, server.threads());
                assertThat(bombs.get()).as("bombs that were sent meanwhile").isPositive();
                Figures.assertBelow("p99 of ms to an acknowledgement", latency.p99Millis(), LATENCY_P99_MILLIS);
                assertThat(peak.get()).as("resident bytes").isLessThan(RESIDENT_MAX);
            } finally {
                enough.set(true);
            }
            dawdling.get();
            bombing.get();
            assertThat(server.isAlive()).as("the server is still there").isTrue();
        }
    }

    /**
     * Sends small and large records, one at a time, for some seconds and until the condition is met. Then all must be
     * in the log.
     */
    private static Figures serveGoodClient(ServerProcess server, AtomicLong peak, BooleanSupplier missing)
            throws Exception {
        AtomicLong count = new AtomicLong();
        List<Long> nanos = new ArrayList<>();
        String ballast = "x".repeat(100_000);
        long until = System.nanoTime() + Duration.ofSeconds(5).toNanos();
        try (NumberedProducer small = new NumberedProducer(server.address(), "good", "good", 1, count);
                KafkaProducer<String, String> large = Door.producerOf(server.address(), "acks=all")) {
            small.send();
            small.flush();
            while (System.nanoTime() < until || missing.getAsBoolean()) {
                long begun = System.nanoTime();
                small.send();
                small.flush();
                nanos.add(System.nanoTime() - begun);
                begun = System.nanoTime();
                large.send(new ProducerRecord<>("ballast", ballast)).get(5, TimeUnit.MINUTES);
                nanos.add(System.nanoTime() - begun);
                peak.accumulateAndGet(server.residentBytes(), Math::max);
            }
            WholeTopic.read(server.address(), "good").assertHoldsExactly(List.of(small));
        }
        return Figures.of(nanos);
    }

    /** Clients that send small or large requests byte by byte. */
    private static void dawdle(int port, AtomicBoolean enough) {
        byte[] small = Crowd.frame(fetchAll(), 12);
        byte[] large = ByteBuffer.allocate(1 << 20)
                .putInt(8 << 20)
                .putShort(ApiKeys.PRODUCE.id)
                .putShort((short) 9)
                .array();
        int[] said = new int[DAWDLERS];
        List<SocketChannel> channels = new ArrayList<>();
        try (Crowd crowd = new Crowd(port)) {
            for (int i = 0; i < DAWDLERS; i++) {
                channels.add(crowd.join());
            }
            while (!enough.get()) {
                for (int i = 0; i < DAWDLERS; i++) {
                    byte[] all = i % 2 == 0 ? small : large;
                    try {
                        Crowd.say(channels.get(i), all[said[i]++ % all.length]);
                    } catch (IOException e) {
                        // The server disconnected the client rightly. The client connects again.
                        channels.set(i, crowd.join());
                        said[i] = 0;
                    }
                }
                Rounds.letTimePass(1);
            }
        } catch (IOException e) {
            throw new AssertionError("the server lets nobody in any more", e);
        }
    }

    /** Requests of at most a megabyte that would unpack to hundreds of them. */
    private static List<byte[]> bombs() {
        return List.of(
                Crowd.frame(produceOf(packed(CompressionType.GZIP, 200)), 9),
                Crowd.frame(produceOf(packed(CompressionType.ZSTD, 1_024)), 9),
                Crowd.frame(produceOf(packed(CompressionType.LZ4, 200)), 9));
    }

    private static void bomb(int port, List<byte[]> bombs, AtomicLong count, AtomicBoolean enough) {
        byte[] manyTopics = manyTopics(900_000);
        byte[] promise = manyTopics.clone();
        ByteBuffer.wrap(promise).putInt(14, Integer.MAX_VALUE);
        while (!enough.get()) {
            for (byte[] frame : bombs) {
                try (Crowd crowd = new Crowd(port)) {
                    SocketChannel one = crowd.join();
                    Crowd.say(one, frame);
                    assertThat(errorOf(Crowd.hear(one))).isNotEqualTo(Errors.NONE);
                    count.incrementAndGet();
                } catch (IOException e) {
                    throw new AssertionError("a bomb ends nothing: it is answered", e);
                }
            }
            for (byte[] frame : List.of(manyTopics, promise)) {
                try (Crowd crowd = new Crowd(port)) {
                    SocketChannel one = crowd.join();
                    sayQuietly(one, frame);
                    assertThat(Crowd.isEnded(one, PATIENCE)).isTrue();
                } catch (IOException e) {
                    throw new AssertionError("the server lets nobody in any more", e);
                }
            }
        }
    }

    /** Sends bytes; the server may close the connection before it has read all. */
    private static void sayQuietly(SocketChannel channel, byte... bytes) {
        try {
            Crowd.say(channel, bytes);
        } catch (IOException e) {
            assertThat(e).hasMessageMatching("(?i).*(broken pipe|reset).*");
        }
    }

    private static Errors errorOf(ByteBuffer answer) {
        // Behind the correlation id and a header without tagged fields.
        answer.position(Integer.BYTES + 1);
        ProduceResponseData produced = new ProduceResponseData(new ByteBufferAccessor(answer), (short) 9);
        return Errors.forCode(produced.responses()
                .iterator()
                .next()
                .partitionResponses()
                .getFirst()
                .errorCode());
    }

    /** A Metadata request with this number of topics, all with an empty name. */
    private static byte[] manyTopics(int count) {
        int head = 18;
        byte[] frame = new byte[head + Short.BYTES * count];
        ByteBuffer.wrap(frame)
                .putInt(frame.length - Integer.BYTES)
                .putShort(ApiKeys.METADATA.id)
                .putShort((short) 1)
                .putInt(1)
                .putShort((short) -1)
                .putInt(count);
        return frame;
    }

    /** A batch whose one record has this many MiB of zeros. */
    private static byte[] packed(CompressionType kind, int mib) {
        ByteBufferOutputStream body = new ByteBufferOutputStream(1 << 20);
        byte[] zeros = new byte[1 << 20];
        try (OutputStream packing = Compression.of(kind).build().wrapForOutput(body, (byte) 2)) {
            for (int i = 0; i < mib; i++) {
                packing.write(zeros);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        ByteBuffer packed = body.buffer().flip();
        ByteBuffer batch = ByteBuffer.allocate(61 + packed.remaining());
        batch.putLong(0).putInt(batch.capacity() - 12).putInt(-1).put((byte) 2).putInt(0);
        batch.putShort((short) kind.id).putInt(0).putLong(1_000).putLong(1_000);
        batch.putLong(-1).putShort((short) -1).putInt(-1).putInt(1).put(packed);
        CRC32C crc = new CRC32C();
        crc.update(batch.array(), 21, batch.capacity() - 21);
        batch.putInt(17, (int) crc.getValue());
        return batch.array();
    }

    private static ProduceRequestData produceOf(byte... batch) {
        TopicProduceData topic = new TopicProduceData().setName(LARGE);
        topic.partitionData()
                .add(new PartitionProduceData()
                        .setIndex(0)
                        .setRecords(MemoryRecords.readableRecords(ByteBuffer.wrap(batch))));
        ProduceRequestData request =
                new ProduceRequestData().setAcks((short) -1).setTimeoutMs(1_000);
        request.topicData().add(topic);
        return request;
    }

    private static FetchRequestData fetchAll() {
        FetchTopic topic = new FetchTopic().setTopic(LARGE);
        topic.partitions()
                .add(new FetchPartition().setPartition(0).setFetchOffset(0).setPartitionMaxBytes(50 << 20));
        return new FetchRequestData()
                .setMaxWaitMs(1_000)
                .setMinBytes(1)
                .setMaxBytes(50 << 20)
                .setSessionEpoch(-1)
                .setTopics(List.of(topic));
    }

    private static void fillLarge(String address) {
        String value = "y".repeat(100_000);
        try (KafkaProducer<String, String> producer = Door.producerOf(address, "batch.size=500000", "linger.ms=5")) {
            for (int i = 0; i < 320; i++) {
                producer.send(new ProducerRecord<>(LARGE, value));
            }
        }
    }

    @Test
    void connectionsBeyondTheLimitAreRefusedAndOpenOnesServed() throws Exception {
        try (ServerProcess server = ServerProcess.start(directory, 0, "max.connections=20");
                Crowd crowd = new Crowd(server.port())) {
            List<SocketChannel> guests = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                guests.add(crowd.join());
                Crowd.askVersions(guests.getLast());
            }
            for (int i = 0; i < 5; i++) {
                assertThat(Crowd.isEnded(crowd.join(), PATIENCE)).isTrue();
            }
            for (SocketChannel guest : guests) {
                Crowd.askVersions(guest);
            }
            guests.getFirst().close();
            await("a place to be free", () -> isLetIn(crowd));
        }
    }

    private static boolean isLetIn(Crowd crowd) {
        try {
            Crowd.askVersions(crowd.join());
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void onlyASilentConnectionIsClosed() throws Exception {
        try (ServerProcess server = ServerProcess.start(directory, 0, "connections.max.idle.ms=" + IDLE.toMillis());
                Crowd crowd = new Crowd(server.port())) {
            long listening = server.sockets();
            fillLarge(server.address());
            await("the producer to be gone", () -> sockets(server) == listening);
            List<SocketChannel> guests = letAllIn(crowd);
            AtomicReference<SocketChannel> talking = new AtomicReference<>(guests.removeLast());
            AtomicLong spoke = new AtomicLong(System.nanoTime());
            await("all but one to be let go", () -> {
                talk(crowd, talking, spoke);
                return sockets(server) == listening + 1;
            });
            for (SocketChannel gone : guests) {
                assertThat(Crowd.isEnded(gone, PATIENCE)).isTrue();
            }
            talk(crowd, talking, spoke);
        }
    }

    /**
     * Connects all clients. Repeats it if the machine paused so long that the first ones were disconnected before the
     * last one connected.
     */
    private static List<SocketChannel> letAllIn(Crowd crowd) throws IOException {
        while (true) {
            List<SocketChannel> guests = new ArrayList<>();
            long begun = System.nanoTime();
            try {
                letIn(crowd, guests);
                return guests;
            } catch (IOException e) {
                if (System.nanoTime() - begun < IDLE.toNanos() / 2) {
                    throw e;
                }
                for (SocketChannel guest : guests) {
                    guest.close();
                }
            }
        }
    }

    /** Connects four clients that will be silent in different ways, and one that continues to send. */
    private static void letIn(Crowd crowd, List<SocketChannel> guests) throws IOException {
        SocketChannel silent = crowd.join();
        guests.add(silent);
        SocketChannel asked = crowd.join();
        guests.add(asked);
        Crowd.askVersions(asked);
        SocketChannel unfinished = crowd.join();
        guests.add(unfinished);
        Crowd.say(unfinished, new byte[] {0, 0, 0});
        SocketChannel nonReader = crowd.joinAsNonReader();
        guests.add(nonReader);
        for (int i = 0; i < 50; i++) {
            Crowd.say(nonReader, Crowd.frame(fetchAll(), 12));
        }
        SocketChannel talking = crowd.join();
        guests.add(talking);
        // Connections are accepted in order: when the last one is answered all are there.
        Crowd.askVersions(talking);
    }

    /** Sends a request. A client that was silent for too long because the machine paused may connect again. */
    private static void talk(Crowd crowd, AtomicReference<SocketChannel> talking, AtomicLong spoke) {
        try {
            Crowd.askVersions(talking.get());
        } catch (IOException e) {
            // The time is read only now: the machine may have paused at any point before.
            assertThat(System.nanoTime() - spoke.get())
                    .as("nanoseconds of silence of one who was let go: %s", e)
                    .isGreaterThanOrEqualTo(IDLE.toNanos() / 2);
            talking.set(joinAnew(crowd));
        }
        spoke.set(System.nanoTime());
    }

    private static SocketChannel joinAnew(Crowd crowd) {
        try {
            return crowd.join();
        } catch (IOException e) {
            throw new AssertionError("the server lets nobody in any more", e);
        }
    }

    /** The number of connections that the limit of open files allows; printed if it is less than wanted. */
    private static int connectionsPossible() throws IOException {
        long files = Files.readAllLines(Path.of("/proc/self/limits")).stream()
                .filter(line -> line.startsWith("Max open files"))
                .map(line -> line.split(" {2,}")[2])
                .mapToLong(hard -> hard.equals("unlimited") ? Integer.MAX_VALUE : Long.parseLong(hard))
                .findFirst()
                .orElseThrow();
        int possible = (int) Math.min(CONNECTIONS, files - SPARE_FILES);
        if (possible < CONNECTIONS) {
            System.out.printf(
                    "CrowdIT: %d connections instead of %d, a process may have %d files%n",
                    possible, CONNECTIONS, files);
        }
        return possible;
    }

    private static long sockets(ServerProcess server) {
        try {
            return server.sockets();
        } catch (IOException e) {
            throw new AssertionError("the server is gone", e);
        }
    }

    private static long threads(ServerProcess server) {
        try {
            return server.threads();
        } catch (IOException e) {
            throw new AssertionError("the server is gone", e);
        }
    }

    private static void await(String what, BooleanSupplier holds) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime()).as("time to wait for " + what).isLessThan(deadline);
            Rounds.letTimePass(20);
        }
    }
}
