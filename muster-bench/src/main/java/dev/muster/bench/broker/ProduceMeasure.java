package dev.muster.bench.broker;

import dev.muster.bench.measure.Payload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The records per second of several producers, each with its own connection and thread, and the server's processor time
 * for them.
 *
 * @param time the time after which the producers stop
 * @param recordsMax the most records of each producer
 */
public record ProduceMeasure(int producers, int size, Duration time, long recordsMax, long seed) {
    private static final long PATIENCE_S = 60;

    /** @param seconds the time from the first send until all records were acknowledged */
    public record Produced(double seconds, Duration serverTime, long... acknowledgedByWriter) {
        public long records() {
            long sum = 0;
            for (long each : acknowledgedByWriter) {
                sum += each;
            }
            return sum;
        }

        public double perSecond() {
            return records() / seconds;
        }

        public double serverMicrosPerRecord() {
            return serverTime.toNanos() / 1e3 / records();
        }
    }

    public Produced run(Rival rival, BrokerTopic topic) throws Exception {
        AtomicReference<Duration> before = new AtomicReference<>();
        AtomicLong begin = new AtomicLong();
        CyclicBarrier start = new CyclicBarrier(producers, () -> {
            before.set(serverTime(rival));
            begin.set(System.nanoTime());
        });
        long[] acknowledged = new long[producers];
        try (ExecutorService threads = Executors.newFixedThreadPool(producers)) {
            List<Future<Long>> running = new ArrayList<>();
            for (int writer = 0; writer < producers; writer++) {
                running.add(threads.submit(sending(topic, writer, start)));
            }
            for (int writer = 0; writer < producers; writer++) {
                acknowledged[writer] = running.get(writer).get();
            }
        }
        double seconds = (System.nanoTime() - begin.get()) / 1e9;
        return new Produced(seconds, serverTime(rival).minus(before.get()), acknowledged);
    }

    private Callable<Long> sending(BrokerTopic topic, int writer, CyclicBarrier start) {
        return () -> {
            Payload payload = new Payload(seed, size);
            // The producer copies the record into a batch before send returns.
            byte[] record = new byte[size];
            LongAdder acknowledged = new LongAdder();
            AtomicReference<Exception> failure = new AtomicReference<>();
            long number = 0;
            try (Producer<byte[], byte[]> producer = topic.clients().streamingProducer()) {
                producer.partitionsFor(topic.name());
                start.await(PATIENCE_S, TimeUnit.SECONDS);
                long end = System.nanoTime() + time.toNanos();
                // The clock is read once for several records.
                while (number < recordsMax && (number % 64 != 0 || System.nanoTime() < end)) {
                    payload.fill(record, writer, number++);
                    producer.send(new ProducerRecord<>(topic.name(), record), (_, refusal) -> {
                        if (refusal == null) {
                            acknowledged.increment();
                        } else {
                            failure.compareAndSet(null, refusal);
                        }
                    });
                }
                producer.flush();
            }
            if (failure.get() != null || acknowledged.sum() != number) {
                throw new CheckFailedException("writer " + writer + ": sent " + number + " records, acknowledged "
                        + acknowledged.sum() + ", first refusal: " + failure.get());
            }
            return number;
        };
    }

    private static Duration serverTime(Rival rival) {
        return rival.broker().status().processorTime();
    }
}
