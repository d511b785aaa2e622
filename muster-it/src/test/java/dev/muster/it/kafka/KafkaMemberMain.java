package dev.muster.it.kafka;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * A process with one consumer of Kafka's own client. It prints its events as embedded members do, a line each, with the
 * common clock of the machine: {@code <nanos> <what> <more>}. It prints a partition before it hands out its records,
 * and a release before the server learns of it. It commits by hand after each poll. It repeats a failed commit, at the
 * latest when it releases a partition.
 *
 * <p>Arguments: the address, the topic, then settings of the consumer. From its input it reads {@code leave}.
 */
public final class KafkaMemberMain {
    private static final Duration COMMIT_PATIENCE = Duration.ofSeconds(8);
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(3);

    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);
    private final KafkaConsumer<String, String> consumer;
    private final Map<TopicPartition, OffsetAndMetadata> uncommitted = new HashMap<>();
    private volatile boolean leaving;

    private KafkaMemberMain(Map<String, Object> settings) {
        this.consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    public static void main(String[] args) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", args[0]);
        settings.put("enable.auto.commit", "false");
        settings.put("auto.offset.reset", "earliest");
        settings.put("reconnect.backoff.ms", "20");
        settings.put("reconnect.backoff.max.ms", "200");
        settings.put("retry.backoff.ms", "20");
        for (String setting : List.of(args).subList(2, args.length)) {
            settings.put(setting.substring(0, setting.indexOf('=')), setting.substring(setting.indexOf('=') + 1));
        }
        new KafkaMemberMain(settings).run(args[1]);
    }

    private void run(String topic) {
        try {
            consumer.subscribe(List.of(topic), new Listener());
            Thread.ofPlatform().daemon().start(this::listen);
            say(
                    System.nanoTime(),
                    "ready",
                    Long.toString(ProcessHandle.current().pid()));
            while (!leaving) {
                work();
            }
            consumer.close(CloseOptions.timeout(CLOSE_PATIENCE));
            say(System.nanoTime(), "left", "");
        } catch (Throwable e) {
            say(System.nanoTime(), "trouble", e.toString());
            throw e;
        }
    }

    private void work() {
        try {
            ConsumerRecords<String, String> records = consumer.poll(Duration.ofMillis(200));
            long at = System.nanoTime();
            if (!records.isEmpty()) {
                tell(at, records);
                uncommitted.putAll(records.nextOffsets());
            }
            // Includes offsets of the last failed commit: during a rebalance a commit fails.
            commit();
        } catch (UnknownMemberIdException e) {
            // The member fetched offsets before it learned of its expulsion. With the next heartbeat it learns of it,
            // and joins.
            say(System.nanoTime(), "unknown", e.getMessage());
        } catch (WakeupException e) {
            // The wake-up asks the member to leave.
            return;
        }
    }

    private void tell(long at, ConsumerRecords<String, String> records) {
        StringBuilder ranges = new StringBuilder();
        for (TopicPartition partition : records.partitions()) {
            List<ConsumerRecord<String, String>> its = records.records(partition);
            int first = 0;
            for (int i = 0; i < its.size(); i++) {
                ConsumerRecord<String, String> record = its.get(i);
                if (!record.value().equals("#" + record.offset())) {
                    say(at, "wrong", record.partition() + "=" + record.offset() + " is " + record.value());
                }
                if (i + 1 == its.size() || its.get(i + 1).offset() != record.offset() + 1) {
                    ranges.append(ranges.isEmpty() ? "" : ",").append(partition.partition());
                    ranges.append('=').append(its.get(first).offset());
                    ranges.append('-').append(record.offset());
                    first = i + 1;
                }
            }
        }
        say(at, "polled", ranges.toString());
    }

    private void commit() {
        if (uncommitted.isEmpty()) {
            return;
        }
        try {
            consumer.commitSync(uncommitted, leaving ? CLOSE_PATIENCE : COMMIT_PATIENCE);
            say(
                    System.nanoTime(),
                    "committed",
                    uncommitted.entrySet().stream()
                            .map(one -> one.getKey().partition() + "="
                                    + one.getValue().offset())
                            .collect(Collectors.joining(",")));
            uncommitted.clear();
        } catch (CommitFailedException | RebalanceInProgressException | RetriableException | WakeupException e) {
            say(
                    System.nanoTime(),
                    "refused",
                    numbers(uncommitted.keySet()) + " " + e.getClass().getSimpleName() + ": " + e.getMessage());
        }
    }

    private static String numbers(Collection<TopicPartition> partitions) {
        return partitions.stream()
                .map(partition -> Integer.toString(partition.partition()))
                .collect(Collectors.joining(","));
    }

    private final class Listener implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            tell("assigned", partitions);
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            commit();
            tell("revoked", partitions);
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            tell("lost", partitions);
        }

        private void tell(String what, Collection<TopicPartition> partitions) {
            if (!what.equals("assigned")) {
                uncommitted.keySet().removeAll(partitions);
            }
            if (!partitions.isEmpty()) {
                say(System.nanoTime(), what, "- " + numbers(partitions));
            }
        }
    }

    private void listen() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals("leave")) {
                    leaving = true;
                    consumer.wakeup();
                }
            }
            // The process that started this one is gone.
            Runtime.getRuntime().halt(3);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void say(long at, String what, String more) {
        try {
            // One write: a line is complete or missing, even if the process is killed.
            out.write((at + " " + what + " " + more + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
