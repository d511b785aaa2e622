package dev.muster.it.kafka;

import dev.muster.embedded.Codec;
import dev.muster.embedded.Muster;
import dev.muster.embedded.RebalanceListener;
import dev.muster.embedded.Received;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * A process with one member of a group, of any kind. It prints its events, a line each, with the machine's clock:
 * {@code <nanos> <what> <more>}. It prints a partition before it hands out its records. For a release it commits,
 * prints a line, and only then informs the group. It leaves when its input has a line, or ends.
 *
 * <p>Arguments: kind ({@code embedded}, {@code modern}, {@code eager}, {@code cooperative}), group, topic, the
 * directory or the server's address.
 */
final class MixedMember {
    private static final FileOutputStream OUT = new FileOutputStream(FileDescriptor.out);

    private MixedMember() {}

    public static void main(String[] arguments) throws Exception {
        try {
            if (arguments[0].equals("embedded")) {
                new Embedded().run(arguments[1], arguments[2], Path.of(arguments[3]));
            } else {
                new Remote().run(arguments[0], arguments[1], arguments[2], arguments[3]);
            }
            say("left", "");
        } catch (RuntimeException e) {
            say("trouble", e.toString());
            throw e;
        }
    }

    private static void whenTold(Runnable leave) {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                boolean told = System.in.read() >= 0;
                leave.run();
                if (!told) {
                    // The process that started this one is gone.
                    Runtime.getRuntime().halt(3);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static void say(String what, String more) {
        try {
            // One write: a line is complete or missing, even if the process is killed.
            OUT.write((System.nanoTime() + " " + what + " " + more + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Embedded implements RebalanceListener {
        private volatile boolean leaving;

        void run(String group, String topic, Path directory) {
            try (Muster muster = Muster.open(directory);
                    var consumer = muster.consumer(group, topic)
                            .values(Codec.STRING)
                            .id("embedded")
                            .listener(this)
                            .commitByHand()
                            .open()) {
                whenTold(() -> {
                    leaving = true;
                    consumer.wakeup();
                });
                while (!leaving) {
                    SortedMap<Integer, long[]> ranges = new TreeMap<>();
                    Map<dev.muster.core.TopicPartition, Long> next = new HashMap<>();
                    for (Received<byte[], String> record : consumer.poll(Duration.ofMillis(200))) {
                        note(ranges, record.partition(), record.offset());
                        next.put(record.topicPartition(), record.offset() + 1);
                    }
                    if (!next.isEmpty()) {
                        say("polled", text(ranges));
                        consumer.commit(next);
                        say("committed", text(ranges));
                    }
                }
            }
        }

        private static String numbers(Set<dev.muster.core.TopicPartition> partitions) {
            return partitions.stream()
                    .map(one -> Integer.toString(one.partition()))
                    .collect(Collectors.joining(","));
        }

        @Override
        public void assigned(long generation, Set<dev.muster.core.TopicPartition> partitions) {
            say("assigned", numbers(partitions));
        }

        @Override
        public void revoked(long generation, Set<dev.muster.core.TopicPartition> partitions) {
            say("revoked", numbers(partitions));
        }

        @Override
        public void lost(long generation, Set<dev.muster.core.TopicPartition> partitions) {
            say("lost", numbers(partitions));
        }
    }

    private static final class Remote implements ConsumerRebalanceListener {
        private final Map<TopicPartition, OffsetAndMetadata> uncommitted = new HashMap<>();
        private KafkaConsumer<String, String> consumer;
        private volatile boolean leaving;

        void run(String kind, String group, String topic, String address) {
            try (KafkaConsumer<String, String> opened =
                    Door.consumerOf(address, settings(kind, group).toArray(String[]::new))) {
                consumer = opened;
                whenTold(() -> {
                    leaving = true;
                    opened.wakeup();
                });
                consumer.subscribe(List.of(topic), this);
                // During a rebalance a client cannot commit. If it left then, its records would be delivered again.
                while (!leaving || !uncommitted.isEmpty()) {
                    try {
                        pollAndCommit();
                    } catch (WakeupException e) {
                        // The wake-up asks the member to leave.
                        continue;
                    }
                }
            }
        }

        private void pollAndCommit() {
            SortedMap<Integer, long[]> ranges = new TreeMap<>();
            for (var record : consumer.poll(Duration.ofMillis(200))) {
                note(ranges, record.partition(), record.offset());
                uncommitted.put(
                        new TopicPartition(record.topic(), record.partition()),
                        new OffsetAndMetadata(record.offset() + 1));
            }
            if (!ranges.isEmpty()) {
                say("polled", text(ranges));
            }
            commit("committed");
        }

        private static List<String> settings(String kind, String group) {
            List<String> common = List.of(
                    "group.id=" + group,
                    "client.id=" + kind,
                    "enable.auto.commit=false",
                    "auto.offset.reset=earliest",
                    "reconnect.backoff.ms=10",
                    "reconnect.backoff.max.ms=100",
                    "retry.backoff.ms=20");
            List<String> own = switch (kind) {
                case "modern" -> List.of("group.protocol=consumer");
                case "eager" ->
                    List.of(
                            "heartbeat.interval.ms=300",
                            "session.timeout.ms=45000",
                            "partition.assignment.strategy=org.apache.kafka.clients.consumer.RangeAssignor");
                case "cooperative" ->
                    List.of(
                            "heartbeat.interval.ms=300",
                            "session.timeout.ms=45000",
                            "partition.assignment.strategy="
                                    + "org.apache.kafka.clients.consumer.CooperativeStickyAssignor");
                default -> throw new IllegalArgumentException(kind);
            };
            return Stream.concat(common.stream(), own.stream()).toList();
        }

        /** Commits. A failed commit is repeated, at the latest when its partition is released. */
        private void commit(String word) {
            if (uncommitted.isEmpty()) {
                return;
            }
            try {
                consumer.commitSync(uncommitted, Duration.ofMinutes(1));
                say(word, numbers(uncommitted.keySet()));
                uncommitted.clear();
            } catch (CommitFailedException | RebalanceInProgressException | RetriableException e) {
                say("refused", e.getClass().getSimpleName() + " " + numbers(uncommitted.keySet()));
            }
        }

        private static String numbers(Collection<TopicPartition> partitions) {
            return partitions.stream()
                    .map(one -> Integer.toString(one.partition()))
                    .collect(Collectors.joining(","));
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            say("assigned", numbers(partitions));
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            try {
                commit("committed");
            } catch (WakeupException e) {
                // The single wake-up may arrive during this commit.
                commit("committed");
            }
            uncommitted.keySet().removeAll(partitions);
            say("revoked", numbers(partitions));
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            uncommitted.keySet().removeAll(partitions);
            say("lost", numbers(partitions));
        }
    }

    private static void note(SortedMap<Integer, long[]> ranges, int partition, long offset) {
        long[] range = ranges.computeIfAbsent(partition, any -> new long[] {offset, offset - 1});
        if (offset != range[1] + 1) {
            say("gap", partition + ": " + offset + " came after " + range[1]);
        }
        range[1] = offset;
    }

    private static String text(SortedMap<Integer, long[]> ranges) {
        return ranges.entrySet().stream()
                .map(one -> one.getKey() + "=" + one.getValue()[0] + "-" + one.getValue()[1])
                .collect(Collectors.joining(","));
    }
}
