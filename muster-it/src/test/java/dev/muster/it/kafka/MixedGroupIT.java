package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testkit.kafka.LoopbackPorts;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One group with members of all kinds, under load: processes that embed the library, and Kafka's own clients of the new
 * and of the classic protocol, in processes of their own.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class MixedGroupIT {
    private static final String GROUP = "workers";
    private static final String TOPIC = "orders";
    private static final int PARTITIONS = 10;

    @TempDir
    private Path data;

    /** Sends records to all partitions in turn, and counts acknowledged ones. */
    private static final class Load implements AutoCloseable {
        private final AtomicLongArray ends = new AtomicLongArray(PARTITIONS);
        private final KafkaProducer<String, String> producer;
        private final Thread thread;
        private volatile boolean stops;

        Load(String address) {
            producer = Door.producerOf(address, "linger.ms=5");
            thread = Thread.ofPlatform().daemon().name("load").start(this::run);
        }

        private void run() {
            for (int i = 0; !stops; i++) {
                int partition = i % PARTITIONS;
                producer.send(new ProducerRecord<>(TOPIC, partition, null, Integer.toString(i)), (sent, failure) -> {
                    if (failure == null) {
                        ends.accumulateAndGet(partition, sent.offset() + 1, Math::max);
                    }
                });
                if (partition == PARTITIONS - 1) {
                    LockSupport.parkNanos(5_000_000);
                }
            }
        }

        /** @return the end of each partition */
        long[] stop() throws InterruptedException {
            stops = true;
            thread.join();
            producer.flush();
            long[] all = new long[PARTITIONS];
            for (int i = 0; i < PARTITIONS; i++) {
                all[i] = ends.get(i);
            }
            return all;
        }

        @Override
        public void close() {
            stops = true;
            producer.close();
        }
    }

    private static void createTopic(String address) throws Exception {
        try (Admin admin = Admin.create(Door.configuration(address))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, PARTITIONS, (short) 1)))
                    .all()
                    .get();
        }
    }

    private static long sum(long[] numbers) {
        return Arrays.stream(numbers).sum();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cooperative", "eager"})
    void membersOfAllKindsShareAGroupAndAreReplacedWhenKilled(String classic) throws Exception {
        try (Door door = Door.open(data);
                MixedCrew crew = new MixedCrew(PARTITIONS)) {
            String address = door.address();
            createTopic(address);
            long[] ends;
            try (Load load = new Load(address)) {
                MixedCrew.Hand embedded = crew.start("embedded", GROUP, TOPIC, data);
                MixedCrew.Hand modern = crew.start("modern", GROUP, TOPIC, address);
                MixedCrew.Hand embeddedToo = crew.start("embedded", GROUP, TOPIC, data);
                MixedCrew.Hand modernToo = crew.start("modern", GROUP, TOPIC, address);
                MixedCrew.Hand old = crew.start(classic, GROUP, TOPIC, address);
                crew.awaitShared(embedded, embeddedToo, modern, modernToo, old);
                leftTo("embedded -> others", embeddedToo, crew, embedded, modern, modernToo, old);
                MixedCrew.Hand oldToo = crew.start(classic, GROUP, TOPIC, address);
                crew.awaitShared(embedded, modern, modernToo, old, oldToo);
                assertThat(crew.fouls()).isEmpty();
                assertThat(crew.doubled())
                        .as(() -> "handed out twice" + crew.doubledBy())
                        .isZero();

                takenOver("embedded -> others", embedded, crew, modern, modernToo, old, oldToo);
                takenOver(classic + " -> others", oldToo, crew, modern, modernToo, old);
                takenOver("modern -> others", modernToo, crew, modern, old);
                ends = load.stop();
            }
            crew.awaitAll(ends);
            assertThat(crew.fouls()).isEmpty();
            System.out.printf(
                    "%s: %d records, %d of them twice after three kills%n", classic, sum(ends), crew.doubled());
        }
    }

    private interface Going {
        void go() throws Exception;
    }

    private static void takenOver(String what, MixedCrew.Hand victim, MixedCrew crew, MixedCrew.Hand... heirs)
            throws Exception {
        takesOver("killed " + what, victim, victim::kill, crew, heirs);
    }

    private static void leftTo(String what, MixedCrew.Hand leaver, MixedCrew crew, MixedCrew.Hand... heirs)
            throws Exception {
        takesOver("left " + what, leaver, leaver::leave, crew, heirs);
    }

    private static void takesOver(String what, MixedCrew.Hand one, Going going, MixedCrew crew, MixedCrew.Hand... heirs)
            throws Exception {
        int had = one.owned().size();
        long begin = System.nanoTime();
        going.go();
        crew.awaitShared(heirs);
        System.out.printf("%s (%d partitions): %.0f ms%n", what, had, (System.nanoTime() - begin) / 1e6);
    }

    @ParameterizedTest
    @ValueSource(strings = {"cooperative", "eager"})
    void aGroupIsRolledFromTheClassicToTheNewProtocolAndBack(String classic) throws Exception {
        try (Door door = Door.open(data);
                MixedCrew crew = new MixedCrew(PARTITIONS)) {
            String address = door.address();
            createTopic(address);
            long[] ends;
            try (Load load = new Load(address)) {
                MixedCrew.Hand first = crew.start(classic, GROUP, TOPIC, address);
                MixedCrew.Hand second = crew.start(classic, GROUP, TOPIC, address);
                crew.awaitShared(first, second);
                assertThat(type(door)).isEqualTo(GroupType.CLASSIC);

                MixedCrew.Hand third = crew.start("modern", GROUP, TOPIC, address);
                crew.awaitShared(first, second, third);
                assertThat(type(door)).isEqualTo(GroupType.CONSUMER);
                first.leave();
                MixedCrew.Hand fourth = crew.start("modern", GROUP, TOPIC, address);
                crew.awaitShared(second, third, fourth);
                leftTo(classic + " -> modern", second, crew, third, fourth);

                MixedCrew.Hand fifth = crew.start(classic, GROUP, TOPIC, address);
                crew.awaitShared(third, fourth, fifth);
                third.leave();
                MixedCrew.Hand sixth = crew.start(classic, GROUP, TOPIC, address);
                crew.awaitShared(fourth, fifth, sixth);
                assertThat(type(door)).isEqualTo(GroupType.CONSUMER);
                leftTo("modern -> " + classic, fourth, crew, fifth, sixth);
                assertThat(type(door)).isEqualTo(GroupType.CLASSIC);

                MixedCrew.Hand embedded = crew.start("embedded", GROUP, TOPIC, data);
                crew.awaitShared(fifth, sixth, embedded);
                assertThat(type(door)).isEqualTo(GroupType.CONSUMER);
                leftTo("embedded -> " + classic, embedded, crew, fifth, sixth);
                assertThat(type(door)).isEqualTo(GroupType.CLASSIC);
                ends = load.stop();
            }
            crew.awaitAll(ends);
            assertThat(crew.fouls()).isEmpty();
            assertThat(crew.doubled())
                    .as(() -> "handed out twice" + crew.doubledBy())
                    .isZero();
            System.out.printf(
                    "%s -> modern -> %s: %d records, each once, %d commits at the wrong moment%n",
                    classic, classic, sum(ends), crew.count("refused"));
        }
    }

    private static GroupType type(Door door) throws Exception {
        try (Admin admin = door.admin()) {
            return admin.listGroups().all().get().iterator().next().type().orElseThrow();
        }
    }

    @Test
    void membersOfAllKindsContinueAtTheNextServer() throws Exception {
        ServerProcess server = ServerProcess.start(data, LoopbackPorts.free());
        try (MixedCrew crew = new MixedCrew(PARTITIONS)) {
            String address = server.address();
            createTopic(address);
            long[] ends;
            try (Load load = new Load(address)) {
                MixedCrew.Hand embedded = crew.start("embedded", GROUP, TOPIC, data);
                MixedCrew.Hand modern = crew.start("modern", GROUP, TOPIC, address);
                MixedCrew.Hand old = crew.start("cooperative", GROUP, TOPIC, address);
                crew.awaitShared(embedded, modern, old);
                server.kill();
                server = ServerProcess.start(data, server.port());
                MixedCrew.Hand more = crew.start("cooperative", GROUP, TOPIC, address);
                crew.awaitShared(embedded, modern, old, more);
                embedded.leave();
                crew.awaitShared(modern, old, more);
                ends = load.stop();
            }
            crew.awaitAll(ends);
            System.out.printf("server killed: %d records, %d of them twice%n", sum(ends), crew.doubled());
            assertThat(crew.fouls()).isEmpty();
        } finally {
            server.close();
        }
    }
}
