package dev.muster.embedded.internal;

import dev.muster.core.Header;
import dev.muster.core.MusterException;
import dev.muster.embedded.Message;
import dev.muster.embedded.Position;
import dev.muster.embedded.Producer;
import dev.muster.embedded.Received;
import dev.muster.embedded.admin.TopicSpec;
import dev.muster.store.RecordTimestampException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The topic for the records at which a group's handler failed to the end. Thread-safe.
 *
 * <p>A missing topic is created when the handler starts, so that it exists at the first failure. It has one partition,
 * in which the records keep the order of their failures. It has no retention, because a person has to look at them. It
 * takes records of any size, because a dead letter is larger than its record.
 */
final class DeadLetters implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(DeadLetters.class.getName());
    private static final int ERROR_LENGTH_MAX = 4000;

    private final String topic;
    private final String group;
    private final Producer<byte[], byte[]> producer;

    private DeadLetters(String topic, String group, Producer<byte[], byte[]> producer) {
        this.topic = topic;
        this.group = group;
        this.producer = producer;
    }

    /**
     * Opens the topic; creates a missing one.
     *
     * @throws IllegalArgumentException if the group reads the topic itself: a failing record would come back for ever
     */
    static DeadLetters open(OpenMuster muster, ConsumerPlan plan, String topic) {
        String group = plan.group.value();
        boolean readsIt = plan.topics.stream().anyMatch(name -> name.value().equals(topic))
                || plan.pattern.filter(topic::matches).isPresent();
        if (readsIt) {
            throw new IllegalArgumentException("group \"" + group + "\" reads topic \"" + topic
                    + "\" itself, so its dead letters cannot be written there: a failing record would be"
                    + " consumed for ever");
        }
        if (muster.topics().find(topic).isEmpty()) {
            muster.topics().ensure(topic, DeadLetters::described);
            LOG.log(
                    Level.INFO,
                    "group {0}: created topic {1} for dead letters (1 partition, records are kept for ever)",
                    group,
                    topic);
        }
        return new DeadLetters(topic, group, muster.producer(topic).open());
    }

    private static TopicSpec described(TopicSpec spec) {
        return spec.partitions(1)
                .set("retention.ms", "-1")
                .set("max.message.bytes", Integer.toString(Integer.MAX_VALUE));
    }

    /**
     * Sends a copy of a record; returns when the copy is durable.
     *
     * @param attempts number of failed attempts
     */
    void send(Received<byte[], byte[]> record, Throwable problem, int attempts) {
        String place = record.topicPartition() + "@" + record.offset();
        try {
            sending(letter(record, problem, attempts)).join();
        } catch (MusterException e) {
            throw failure(place, e);
        } catch (CompletionException e) {
            throw failure(place, e.getCause());
        }
        LOG.log(Level.WARNING, "group {0}: {1} goes to dead-letter topic {2}: {3}", group, place, topic, problem);
    }

    /**
     * Sends a dead letter with the timestamp of its record. If the topic does not allow that timestamp, the letter gets
     * the time of sending, and a header with the timestamp of the record.
     */
    private CompletableFuture<Position> sending(Message<byte[], byte[]> letter) {
        try {
            return producer.send(letter);
        } catch (RecordTimestampException e) {
            LOG.log(Level.DEBUG, "group {0}: {1}", group, e.getMessage());
            String time = Long.toString(letter.timestamp().toEpochMilli());
            return producer.send(new Message<>(null, null, letter.key(), letter.value(), letter.headers())
                    .withHeader("muster.dead-letter.timestamp", text(time)));
        }
    }

    private MusterException failure(String place, Throwable cause) {
        return new MusterException(
                "the dead letter of " + place + " cannot be written to topic \"" + topic + "\": " + cause.getMessage(),
                "the group continues at this record once it runs again",
                cause);
    }

    private Message<byte[], byte[]> letter(Received<byte[], byte[]> record, Throwable problem, int attempts) {
        Message<byte[], byte[]> letter =
                Message.of(record.key(), record.value()).withTimestamp(record.timestamp());
        for (Header header : record.headers()) {
            letter = letter.withHeader(header.key(), header.value());
        }
        String error = problem.toString();
        return letter.withHeader("muster.dead-letter.topic", text(record.topic()))
                .withHeader("muster.dead-letter.partition", text(Integer.toString(record.partition())))
                .withHeader("muster.dead-letter.offset", text(Long.toString(record.offset())))
                .withHeader("muster.dead-letter.group", text(group))
                .withHeader("muster.dead-letter.attempts", text(Integer.toString(attempts)))
                .withHeader(
                        "muster.dead-letter.error",
                        text(error.substring(0, Math.min(ERROR_LENGTH_MAX, error.length()))));
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        producer.close();
    }
}
