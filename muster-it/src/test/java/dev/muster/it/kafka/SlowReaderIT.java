package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.it.Rounds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Responses of many megabytes, sent from files: exact for slow readers, and freed when a client disconnects. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class SlowReaderIT {
    private static final int PARTITIONS = 8;
    private static final int RECORDS = 12;
    private static final int VALUE_BYTES = 80_000;
    private static final int LEAVERS = Rounds.count(60);
    /** The number of threads that the JVM itself may add. */
    private static final int SPARE_THREADS = 10;

    private static final String TOPIC = "large";

    @TempDir
    private Path directory;

    @Test
    void aSlowReaderGetsALargeResponseUnchanged() throws Exception {
        Random random = Rounds.random("SlowReaderIT");
        try (ServerProcess server = ServerProcess.start(directory, 0);
                Crowd crowd = new Crowd(server.port())) {
            List<List<String>> written = fill(server.address());
            SocketChannel fast = crowd.join();
            Crowd.say(fast, Crowd.frame(fetchAll(), 12));
            ByteBuffer expected = Crowd.hear(fast);
            assertThat(expected.remaining()).as("bytes of the answer").isGreaterThan(5 << 20);
            assertThat(valuesIn(expected.duplicate())).isEqualTo(written);

            SocketChannel slow = crowd.joinAsNonReader();
            Crowd.say(slow, Crowd.frame(fetchAll(), 12));
            // A second answer follows the first: it must begin at the end of the first one.
            Crowd.say(slow, Crowd.frame(fetchAll(), 12));
            for (int answer = 0; answer < 2; answer++) {
                ByteBuffer read = readSlowly(slow, random);
                assertThat(read.mismatch(expected))
                        .as("the first byte that is different")
                        .isNegative();
            }
            Crowd.askVersions(slow);
        }
    }

    @Test
    void aDisconnectDuringAResponseFreesItsMemory() throws Exception {
        Random random = Rounds.random("SlowReaderIT");
        try (ServerProcess server = ServerProcess.start(directory, 0)) {
            fill(server.address());
            long sockets = awaitStable(server::sockets);
            leaveInTheMiddle(server, random);
            long files = awaitStable(server::openFiles);
            long threads = awaitStable(server::threads);
            for (int i = 0; i < LEAVERS; i++) {
                leaveInTheMiddle(server, random);
            }
            await("connections to be closed", () -> server.sockets() <= sockets);
            await("files to be closed", () -> server.openFiles() <= files);
            await("threads to end", () -> server.threads() <= threads + SPARE_THREADS);
        }
    }

    private static void leaveInTheMiddle(ServerProcess server, Random random) throws IOException {
        try (Crowd crowd = new Crowd(server.port())) {
            SocketChannel leaver = crowd.joinAsNonReader();
            Crowd.say(leaver, Crowd.frame(fetchAll(), 12));
            ByteBuffer some = ByteBuffer.allocate(1 + random.nextInt(200_000));
            while (some.hasRemaining()) {
                assertThat(leaver.read(some)).isPositive();
            }
        }
    }

    /** Reads in pieces of any size, with pauses. */
    private static ByteBuffer readSlowly(SocketChannel channel, Random random) throws IOException {
        ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
        while (length.hasRemaining()) {
            assertThat(channel.read(length)).isPositive();
        }
        ByteBuffer answer = ByteBuffer.allocate(length.getInt(0));
        int sinceRest = 0;
        while (answer.hasRemaining()) {
            answer.limit(Math.min(answer.capacity(), answer.position() + 1 + random.nextInt(60_000)));
            int count = channel.read(answer);
            assertThat(count).as("bytes read").isPositive();
            answer.limit(answer.capacity());
            sinceRest += count;
            if (sinceRest > 200_000) {
                sinceRest = 0;
                Rounds.letTimePass(random.nextInt(20));
            }
        }
        return answer.flip();
    }

    private static List<List<String>> valuesIn(ByteBuffer answer) {
        // Behind the correlation id and a header without tagged fields.
        answer.position(Integer.BYTES + 1);
        FetchResponseData fetched = new FetchResponseData(new ByteBufferAccessor(answer), (short) 12);
        List<List<String>> values = new ArrayList<>();
        for (PartitionData partition : fetched.responses().getFirst().partitions()) {
            List<String> ofPartition = new ArrayList<>();
            for (Record each : ((MemoryRecords) partition.records()).records()) {
                ofPartition.add(StandardCharsets.UTF_8.decode(each.value()).toString());
            }
            values.add(ofPartition);
        }
        return values;
    }

    /** @return the values of each partition */
    private static List<List<String>> fill(String address) throws Exception {
        List<List<String>> written = new ArrayList<>();
        try (Admin admin = Admin.create(Door.configuration(address));
                KafkaProducer<String, String> producer = Door.producerOf(address, "batch.size=300000")) {
            admin.createTopics(List.of(new NewTopic(TOPIC, Optional.of(PARTITIONS), Optional.empty())))
                    .all()
                    .get();
            for (int partition = 0; partition < PARTITIONS; partition++) {
                List<String> values = new ArrayList<>();
                for (int i = 0; i < RECORDS; i++) {
                    String word = partition + "/" + i + " ";
                    values.add(word.repeat(VALUE_BYTES / word.length()));
                    producer.send(new ProducerRecord<>(TOPIC, partition, null, values.getLast()));
                }
                written.add(values);
            }
        }
        return written;
    }

    private static FetchRequestData fetchAll() {
        FetchTopic topic = new FetchTopic().setTopic(TOPIC);
        for (int partition = 0; partition < PARTITIONS; partition++) {
            topic.partitions()
                    .add(new FetchPartition()
                            .setPartition(partition)
                            .setFetchOffset(0)
                            .setPartitionMaxBytes(10 << 20));
        }
        return new FetchRequestData()
                .setMaxWaitMs(1_000)
                .setMinBytes(1)
                .setMaxBytes(50 << 20)
                .setSessionEpoch(-1)
                .setTopics(List.of(topic));
    }

    /** Waits until a number has been the same for a while. */
    private static long awaitStable(Callable<Long> number) throws Exception {
        long last = number.call();
        int same = 0;
        while (same < 10) {
            Rounds.letTimePass(50);
            long now = number.call();
            same = now == last ? same + 1 : 0;
            last = now;
        }
        return last;
    }

    private static void await(String what, Callable<Boolean> holds) throws Exception {
        long deadline = System.nanoTime() + Duration.ofMinutes(3).toNanos();
        while (!holds.call()) {
            assertThat(System.nanoTime()).as("time to wait for " + what).isLessThan(deadline);
            Rounds.letTimePass(20);
        }
    }
}
