package dev.muster.bench.broker;

import dev.muster.bench.broker.ProduceMeasure.Produced;
import dev.muster.bench.measure.Payload;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The time from the start of a server's process, after {@code kill -9}, until an older producer has a record
 * acknowledged. Afterwards all acknowledged records are read back.
 *
 * @param mib the size of the log, in one partition
 */
public record RestartMeasure(int mib, long seed) {
    private static final int SIZE = 1024;
    private static final Duration FILL_TIME_MAX = Duration.ofMinutes(5);
    private static final long PATIENCE_S = 100;
    /** The producer that outlives the server; the producer 0 fills the log. */
    private static final int SURVIVOR = 1;

    /** @return milliseconds */
    public double run(Rival rival) throws Exception {
        try (BrokerTopic topic = rival.newTopic(1);
                Producer<byte[], byte[]> survivor = rival.clients().promptProducer()) {
            Produced filled = new ProduceMeasure(1, SIZE, FILL_TIME_MAX, mib * 1024L, seed).run(rival, topic);
            send(survivor, topic, 0);
            rival.broker().process().kill();
            rival.broker().process().launch();
            send(survivor, topic, 1);
            double millis = rival.broker().process().sinceLaunch().toNanos() / 1e6;
            new ConsumeMeasure(SIZE, Duration.ZERO).run(rival, topic, filled.records(), 2);
            return millis;
        }
    }

    private void send(Producer<byte[], byte[]> producer, BrokerTopic topic, long number) throws Exception {
        byte[] record = new byte[SIZE];
        new Payload(seed, SIZE).fill(record, SURVIVOR, number);
        producer.send(new ProducerRecord<>(topic.name(), record)).get(PATIENCE_S, TimeUnit.SECONDS);
    }
}
