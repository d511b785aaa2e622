package dev.muster.it.kafka;

import java.util.function.Function;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * One request of a script.
 *
 * @param client the sender; a client with a parked request sends nothing
 * @param request the request for one of the brokers, whose ids differ
 * @param words a description for people
 */
record GroupStep(String client, int version, Function<BrokerSide, ApiMessage> request, String words) {
    @Override
    public String toString() {
        return client + ": " + words + " v" + version;
    }
}
