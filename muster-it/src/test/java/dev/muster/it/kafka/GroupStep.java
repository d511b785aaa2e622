package dev.muster.it.kafka;

import java.util.function.Function;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * One request of a script.
 *
 * @param client who sends it; one of whom an answer is awaited sends nothing
 * @param request what it is to one of the brokers: ids differ
 * @param words what it is, for people
 */
record GroupStep(String client, int version, Function<BrokerSide, ApiMessage> request, String words) {
    @Override
    public String toString() {
        return client + ": " + words + " v" + version;
    }
}
