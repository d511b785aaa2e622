package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.it.Rounds;
import dev.muster.testkit.kafka.LoopbackPorts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.TopicExistsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Idempotent producers begin to send while their topic is created, with several requests in flight from the start. In
 * every order of metadata, creation and first batches, and if the server dies meanwhile, each record is acknowledged
 * and in the log once, in order.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class FreshTopicIT {
    private static final int TOPICS = Rounds.count(6);
    private static final int TOPICS_UNDER_FIRE = Rounds.count(3);
    private static final int AT_A_TIME = 4;
    private static final int PARTITIONS = 3;
    private static final int RECORDS = 60;
    /** Settings by which nearly each record is a request, with five in flight. */
    private static final String[] EAGER = {"linger.ms=0", "batch.size=100", "max.in.flight.requests.per.connection=5"};

    private static final String[] NO_AUTO_CREATION = {"auto.create.topics.enable=false"};
    private static final String[] AUTO_CREATION = {"num.partitions=" + PARTITIONS};

    @TempDir
    private Path directory;

    /** Creates a topic, or lets the producers create it. */
    private interface Creation {
        void create(String address, String topic) throws Exception;
    }

    /** A topic and its producers. */
    private record Filled(String topic, List<NumberedProducer> producers) {}

    @Test
    void producersStartWhileTheirTopicIsCreated() throws Exception {
        try (ServerProcess server = ServerProcess.start(directory, 0, NO_AUTO_CREATION)) {
            List<Filled> topics = fillAll(TOPICS, server.address(), FreshTopicIT::createTopic, new AtomicLong());
            judge(server.address(), topics, "by CreateTopics");
        }
    }

    @Test
    void producersCreateTheirTopicByTheFirstSend() throws Exception {
        try (ServerProcess server = ServerProcess.start(directory, 0, AUTO_CREATION)) {
            List<Filled> topics = fillAll(TOPICS, server.address(), (_, _) -> {}, new AtomicLong());
            judge(server.address(), topics, "by themselves");
        }
    }

    @Test
    void producersStartWhileTheirTopicIsCreatedAndTheServerDies() throws Exception {
        fillAllUnderFire(FreshTopicIT::createTopic, "by CreateTopics", NO_AUTO_CREATION);
    }

    @Test
    void producersCreateTheirTopicWhileTheServerDies() throws Exception {
        fillAllUnderFire((_, _) -> {}, "by themselves", AUTO_CREATION);
    }

    private void fillAllUnderFire(Creation creation, String how, String... settings) throws Exception {
        Random random = Rounds.random("FreshTopicIT");
        int kills = 0;
        AtomicLong acknowledged = new AtomicLong();
        ServerProcess server = ServerProcess.start(directory, LoopbackPorts.free(), settings);
        try (ExecutorService background = Executors.newSingleThreadExecutor()) {
            String address = server.address();
            Future<List<Filled>> all =
                    background.submit(() -> fillAll(TOPICS_UNDER_FIRE, address, creation, acknowledged));
            while (kills < TOPICS_UNDER_FIRE) {
                awaitTimeToDie(random, acknowledged, all::isDone);
                if (all.isDone()) {
                    break;
                }
                server.kill();
                kills++;
                server = ServerProcess.start(directory, server.port(), settings);
            }
            judge(address, all.get(), how + ", " + kills + " kills meanwhile");
        } finally {
            server.close();
        }
    }

    /**
     * Waits for a random moment, possibly before the first answer. But half of the servers first acknowledge records:
     * if none lived long enough, clients would rightly give up.
     */
    private static void awaitTimeToDie(Random random, AtomicLong acknowledged, BooleanSupplier over) {
        if (random.nextBoolean()) {
            Rounds.letTimePass(random.nextInt(450));
            return;
        }
        long enough = acknowledged.get() + 1 + random.nextInt(RECORDS);
        while (!over.getAsBoolean() && acknowledged.get() < enough) {
            Rounds.letTimePass(1);
        }
    }

    private static List<Filled> fillAll(int count, String address, Creation creation, AtomicLong acknowledged)
            throws Exception {
        List<Future<Filled>> topics = new ArrayList<>();
        try (ExecutorService workers = Executors.newFixedThreadPool(AT_A_TIME)) {
            for (int i = 0; i < count; i++) {
                String topic = "fresh-" + i;
                topics.add(workers.submit(() -> fill(address, topic, creation, acknowledged)));
            }
        }
        List<Filled> filled = new ArrayList<>();
        for (Future<Filled> topic : topics) {
            filled.add(topic.get());
        }
        return filled;
    }

    private static Filled fill(String address, String topic, Creation creation, AtomicLong acknowledged)
            throws Exception {
        try (NumberedProducer one = new NumberedProducer(address, "one", topic, PARTITIONS, acknowledged, EAGER);
                NumberedProducer two = new NumberedProducer(address, "two", topic, PARTITIONS, acknowledged, EAGER);
                ExecutorService creator = Executors.newSingleThreadExecutor()) {
            List<NumberedProducer> producers = List.of(one, two);
            Future<?> created = creator.submit(() -> {
                creation.create(address, topic);
                return null;
            });
            // Without a topic each send would wait for a minute.
            for (int i = 0; i < RECORDS && created.state() != Future.State.FAILED; i++) {
                producers.forEach(NumberedProducer::send);
            }
            created.get();
            producers.forEach(NumberedProducer::flush);
            return new Filled(topic, producers);
        }
    }

    private static void judge(String address, List<Filled> topics, String how) {
        long records = 0;
        for (Filled filled : topics) {
            WholeTopic whole = WholeTopic.read(address, filled.topic());
            whole.assertHoldsExactly(filled.producers());
            assertThat(whole.size())
                    .isEqualTo((long) RECORDS * filled.producers().size());
            records += whole.size();
        }
        System.out.printf("FreshTopicIT: %d topics %s, %d records, each once%n", topics.size(), how, records);
    }

    private static void createTopic(String address, String topic) throws Exception {
        NewTopic wanted = new NewTopic(topic, Optional.of(PARTITIONS), Optional.empty());
        try (Admin admin = Admin.create(Door.configuration(
                address,
                "reconnect.backoff.ms=10",
                "reconnect.backoff.max.ms=50",
                "retry.backoff.ms=20",
                "retry.backoff.max.ms=100",
                "default.api.timeout.ms=300000"))) {
            admin.createTopics(List.of(wanted)).all().get(Duration.ofMinutes(5).toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            // The server created the topic and died before its answer.
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw e;
            }
        }
    }
}
