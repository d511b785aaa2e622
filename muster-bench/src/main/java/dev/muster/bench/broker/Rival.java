package dev.muster.bench.broker;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A broker with settings: the meaning of {@code acks=all} is a setting of the topic.
 *
 * @param topicSettings the settings of every topic of this rival
 */
public record Rival(String label, Broker broker, Map<String, String> topicSettings) {
    private static final AtomicInteger NAMES = new AtomicInteger();

    /** A name of a topic or group that was never used before. */
    public static String newName(String what) {
        return what + "-" + NAMES.incrementAndGet();
    }

    public Clients clients() {
        return broker.clients();
    }

    public BrokerTopic newTopic(int partitions) throws Exception {
        return BrokerTopic.create(clients(), newName("topic"), partitions, topicSettings);
    }
}
