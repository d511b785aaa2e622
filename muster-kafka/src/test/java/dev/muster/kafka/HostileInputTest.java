package dev.muster.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A hostile connection does not affect others, and memory stays bounded. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class HostileInputTest {
    private static final int ROUNDS = 400;

    private final MemoryBroker broker = new MemoryBroker(Map.of("queued.max.request.bytes", "16777216"));
    private final long seed = Long.getLong("muster.seed", new Random().nextLong());
    private final Random random = new Random(seed);

    @AfterEach
    void close() {
        broker.close();
    }

    @Test
    void garbageEndsAtMostItsOwnConnection() throws IOException {
        System.out.println("HostileInputTest, garbage: -Dmuster.seed=" + seed);
        broker.topic("orders");
        try (WireClient good = new WireClient(broker.address())) {
            for (int round = 0; round < ROUNDS; round++) {
                try (WireClient bad = new WireClient(broker.address())) {
                    sendQuietly(bad, hostile());
                }
                if (round % 20 == 0) {
                    assertServed(good);
                }
            }
            assertServed(good);
        }
    }

    @Test
    void announcedLengthsCostNoMemoryUntilBytesArrive() throws IOException {
        List<WireClient> waiting = new ArrayList<>();
        try (WireClient good = new WireClient(broker.address())) {
            long before = used();
            // Each announces 100 MiB, together far more than the heap, and sends a little of it.
            for (int i = 0; i < 10; i++) {
                WireClient bad = new WireClient(broker.address());
                waiting.add(bad);
                bad.sendBytes(ByteBuffer.allocate(1_000).putInt(100 << 20).array());
            }
            assertServed(good);
            int id = good.send(Batches.produce("good", -1, Batches.of("a".repeat(900_000))), 9);
            good.receive(id, ApiKeys.PRODUCE, 9, ProduceResponseData::new);
            assertThat(used() - before).isLessThan(32L << 20);
        } finally {
            for (WireClient each : waiting) {
                each.close();
            }
        }
    }

    @Test
    void aRequestWithMillionsOfFieldsIsRefused() throws IOException {
        // A Metadata request that names 900,000 topics without names, in 12 MiB; and one with arrays in arrays.
        byte[] frame = new byte[12 << 20];
        ByteBuffer bytes = ByteBuffer.wrap(frame);
        bytes.putInt(frame.length - 4)
                .putShort(ApiKeys.METADATA.id)
                .putShort((short) 1)
                .putInt(1);
        bytes.putShort((short) -1).putInt(frame.length);
        try (WireClient good = new WireClient(broker.address());
                WireClient bad = new WireClient(broker.address())) {
            sendQuietly(bad, frame);
            assertThat(bad.isClosedByServer()).isTrue();
            assertServed(good);
        }
    }

    private byte[] hostile() {
        byte[] good = WireClient.frame(1, Batches.produce("orders", -1, Batches.of("a", "b")), 9);
        return switch (random.nextInt(6)) {
            case 0 -> randomBytes(random.nextInt(2_000));
            case 1 -> framed(randomBytes(1 + random.nextInt(500)));
            case 2 -> {
                // A served API, a version that may be valid, and random bytes.
                byte[] body = randomBytes(8 + random.nextInt(300));
                ByteBuffer.wrap(body).putShort((short) random.nextInt(80)).putShort((short) random.nextInt(14));
                yield framed(body);
            }
            case 3 -> Arrays.copyOf(good, random.nextInt(good.length));
            case 4 -> {
                byte[] flipped = good.clone();
                for (int i = 0; i < 1 + random.nextInt(4); i++) {
                    flipped[4 + random.nextInt(flipped.length - 4)] = (byte) random.nextInt();
                }
                yield flipped;
            }
            default -> {
                byte[] longer = Arrays.copyOf(good, good.length + 20);
                ByteBuffer.wrap(longer).putInt(good.length - 4 + random.nextInt(1 << 20));
                yield longer;
            }
        };
    }

    private byte[] randomBytes(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] framed(byte... body) {
        return ByteBuffer.allocate(4 + body.length)
                .putInt(body.length)
                .put(body)
                .array();
    }

    /** The server may close the connection before it has read everything. */
    private static void sendQuietly(WireClient client, byte... bytes) throws IOException {
        try {
            client.sendBytes(bytes);
        } catch (SocketException e) {
            assertThat(e).hasMessageMatching("(?i).*(broken pipe|reset).*");
        }
    }

    private static void assertServed(WireClient client) throws IOException {
        int id = client.send(new MetadataRequestData().setTopics(null), 9);
        client.receive(id, ApiKeys.METADATA, 9, MetadataResponseData::new);
        id = client.send(Batches.produce("good", -1, Batches.of("a")), 9);
        client.receive(id, ApiKeys.PRODUCE, 9, ProduceResponseData::new);
    }

    private static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
