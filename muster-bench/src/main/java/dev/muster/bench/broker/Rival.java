package dev.muster.bench.broker;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A broker used in one way: what {@code acks=all} means is a setting of the topic.
 *
 * @param topicSettings for every topic of this rival
 */
public record Rival(String label, Broker broker, Map<String, String> topicSettings) {
    private static final AtomicInteger NAMES = new AtomicInteger();

    /** A name, of a topic or a group, that nobody had before. */
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
