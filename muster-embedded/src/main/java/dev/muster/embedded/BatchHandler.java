package dev.muster.embedded;

import java.util.List;

/**
 * Processes records of one partition together, in their order. After an exception the whole batch is tried again; after
 * the last retry it is treated as {@link HandlerOptions} says. An undecodable record is never in a batch: it is treated
 * alone.
 */
@FunctionalInterface
public interface BatchHandler<K, V> {
    /** @param records records in order; at least one, at most {@link ConsumerBuilder#maxRecords} */
    void handle(List<Received<K, V>> records) throws Exception;
}
