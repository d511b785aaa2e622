package dev.muster.embedded.internal;

import dev.muster.core.MusterException;
import dev.muster.embedded.Message;
import dev.muster.embedded.Position;
import dev.muster.embedded.Producer;
import dev.muster.embedded.Received;
import dev.muster.embedded.admin.TopicSpec;
import dev.muster.store.RecordTimestampException;
import dev.muster.store.batch.Header;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The topic that takes the records that a group's handler gave up. A missing topic is made when the handler starts, so
 * that the first failure finds it: with one partition, in which records keep the order they failed in; without
 * retention, because a person has to look at them; and for records of any size, because a dead letter is larger than
 * its record. For all threads.
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

    /** @throws IllegalArgumentException when the group reads the topic itself: its failures would never end */
    static DeadLetters open(OpenMuster muster, ConsumerPlan plan, String topic) {
        String group = plan.group.value();
        boolean readsIt = plan.topics.stream().anyMatch(name -> name.value().equals(topic))
                || plan.pattern.filter(topic::matches).isPresent();
        if (readsIt) {
            throw new IllegalArgumentException("group \"" + group + "\" reads topic \"" + topic
                    + "\" itself, so its dead letters cannot go there: a record that fails would come back for ever");
        }
        if (muster.topics().find(topic).isEmpty()) {
            muster.topics().ensure(topic, DeadLetters::described);
            LOG.log(
                    Level.INFO,
                    "group {0}: made topic {1} for dead letters (1 partition, records are kept for ever)",
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

    /** Returns when the letter is durable. */
    void send(Received<byte[], byte[]> record, Throwable problem, int attempts) {
        String place = record.topicPartition() + "@" + record.offset();
        try {
            sending(letter(record, problem, attempts)).join();
        } catch (MusterException e) {
            throw failure(place, e);
        } catch (CompletionException e) {
            throw failure(place, e.getCause());
        }
        LOG.log(Level.WARNING, "group {0}: {1} goes to {2}: {3}", group, place, topic, problem);
    }

    /** A letter whose time the topic does not allow has the time of sending, and its own in a header. */
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
                "the group goes on at this record once it runs again",
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
