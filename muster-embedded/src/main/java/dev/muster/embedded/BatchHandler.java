package dev.muster.embedded;

import java.util.List;

/**
 * Processes records of one partition together, in their order. An exception counts for the whole batch: it is repeated,
 * and after the last retry treated as {@link HandlerOptions} says. A record that cannot be decoded is never in a batch;
 * it is treated alone.
 */
@FunctionalInterface
public interface BatchHandler<K, V> {
    /** @param records at least one, at most {@link ConsumerBuilder#maxRecords} */
    void handle(List<Received<K, V>> records) throws Exception;
}
