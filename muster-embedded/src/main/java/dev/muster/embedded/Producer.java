package dev.muster.embedded;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Sends records to one topic. Share one between all threads that send.
 *
 * <p>Records gather in batches while the one before is being written; a record sent to an idle producer is written at
 * once. The future completes when the record is as safe as the topic's sync level promises. It fails with a
 * {@link dev.muster.core.MusterException} that says whether the record can still be there; records behind a failed one
 * are sent nevertheless. A platform thread that waits in {@code join()} or {@code get()} does the writing itself when
 * nobody else is at it, so that a lone caller pays for no hand-over.
 *
 * <p>Actions chained to a future without {@code Async} run on the thread that writes: keep them short.
 *
 * <pre>{@code
 * try (Producer<String, String> orders = muster.producer("orders", Codec.STRING, Codec.STRING)) {
 *     Position at = orders.send("cust-7", "3 apples").join();
 * }
 * }</pre>
 */
public interface Producer<K, V> extends AutoCloseable {
    /** Sends a record without a key: to one partition for a batch, then to the next. */
    CompletableFuture<Position> send(V value);

    /** Sends a record to the partition of its key, the one Kafka would choose. */
    CompletableFuture<Position> send(K key, V value);

    /**
     * Sends a record with all that can be said about it.
     *
     * @throws dev.muster.store.RecordTooLargeException before anything is buffered
     * @throws dev.muster.store.RecordTimestampException if the topic does not allow the record's timestamp, before
     *     anything is buffered
     * @throws dev.muster.core.BufferFullException when there was no room in time; nothing was buffered
     * @throws dev.muster.store.TopicNotFoundException when the topic is gone, or there is no such partition
     * @throws dev.muster.store.StoreClosedException after close
     */
    CompletableFuture<Position> send(Message<K, V> message);

    /** Waits until everything sent before this call is acknowledged or has failed. */
    void flush();

    /** Flushes, then lets go. */
    @Override
    void close();

    /** As {@link #close()}, but gives up after this time: what is not acknowledged by then fails. */
    void close(Duration timeout);
}
