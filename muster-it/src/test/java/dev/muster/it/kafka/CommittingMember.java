package dev.muster.it.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * A member of a group on a thread of its own, which commits its records. The records of all members go into one
 * {@link Ledger}.
 */
final class CommittingMember {
    /** The records and the commits of a group, and a check that they match. */
    static final class Ledger {
        private final Map<TopicPartition, Long> committed = new HashMap<>();
        private final Map<TopicPartition, Long> seenEnd = new HashMap<>();
        private final StringBuilder faults = new StringBuilder();
        private long handedOut;
        private long commits;

        /** The offsets that are certainly committed now. */
        private synchronized Map<TopicPartition, Long> committed() {
            return new HashMap<>(committed);
        }

        /** @param before the commits before the poll of the records */
        private synchronized void seen(ConsumerRecords<String, String> records, Map<TopicPartition, Long> before) {
            for (ConsumerRecord<String, String> each : records) {
                TopicPartition partition = new TopicPartition(each.topic(), each.partition());
                long end = seenEnd.getOrDefault(partition, 0L);
                if (each.offset() < before.getOrDefault(partition, 0L)) {
                    fault(partition + "@" + each.offset() + " came again, " + before.get(partition) + " was committed");
                }
                if (each.offset() > end) {
                    fault(partition + "@" + end + " was skipped, " + each.offset() + " came");
                }
                seenEnd.put(partition, Math.max(end, each.offset() + 1));
                handedOut++;
            }
        }

        private synchronized void committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
            commits++;
            offsets.forEach((partition, offset) -> {
                long before = committed.getOrDefault(partition, 0L);
                if (offset.offset() < before) {
                    fault(partition + ": commit " + offset.offset() + " was taken behind " + before);
                }
                committed.put(partition, Math.max(before, offset.offset()));
            });
        }

        private synchronized void fault(String what) {
            if (faults.length() < 2_000) {
                faults.append(what).append('\n');
            }
        }

        /** The number of committed records in all partitions. */
        synchronized long committedRecords() {
            return committed.values().stream().mapToLong(Long::longValue).sum();
        }

        synchronized String faults() {
            return faults.toString();
        }

        @Override
        public synchronized String toString() {
            return handedOut + " records handed out, " + commits + " commits";
        }
    }

    private final KafkaConsumer<String, String> consumer;
    private final Ledger ledger;
    private final Thread thread;

    CommittingMember(String address, String group, String topic, Ledger ledger) {
        this.ledger = ledger;
        this.consumer = Door.consumerOf(
                address,
                "group.id=" + group,
                "enable.auto.commit=false",
                "auto.offset.reset=earliest",
                "reconnect.backoff.ms=10",
                "reconnect.backoff.max.ms=50",
                "retry.backoff.ms=20",
                "heartbeat.interval.ms=300");
        consumer.subscribe(List.of(topic));
        this.thread = Thread.ofPlatform().daemon().name("member of " + group).start(this::run);
    }

    private void run() {
        try (consumer) {
            while (true) {
                Map<TopicPartition, Long> before = ledger.committed();
                ConsumerRecords<String, String> records = consumer.poll(Duration.ofMillis(200));
                ledger.seen(records, before);
                if (!records.isEmpty()) {
                    commit(records.nextOffsets());
                }
            }
        } catch (WakeupException e) {
            // The wake-up asks the member to leave.
            return;
        } catch (RuntimeException e) {
            ledger.fault("a member ended: " + e);
        }
    }

    private void commit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        try {
            consumer.commitSync(offsets, Duration.ofSeconds(30));
            ledger.committed(offsets);
        } catch (CommitFailedException | RebalanceInProgressException | RetriableException e) {
            // The member is no longer the owner, or the commit was lost: the owner gets the records again.
            return;
        }
    }

    void leave() throws InterruptedException {
        consumer.wakeup();
        thread.join();
    }
}
