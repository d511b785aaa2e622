package dev.muster.embedded;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Sends records to one topic. Thread-safe: share one producer between all threads that send.
 *
 * <p>A record sent to an idle producer is written at once. Records sent during a write gather in the next batch.
 *
 * <p>The future completes when the record is as safe as the topic's sync level promises. If it fails, its
 * {@link dev.muster.core.MusterException} says whether the record may have been written nevertheless. Records sent
 * after a failed one are still sent.
 *
 * <p>A platform thread that waits in {@code join()} or {@code get()} writes the batch itself if no other thread is
 * writing. This saves a single caller the hand-over to another thread.
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
    /** Sends a record without a key. The producer fills a batch for one partition, then one for the next. */
    CompletableFuture<Position> send(V value);

    /** Sends a record to the partition of its key. It is the same one that Kafka chooses. */
    CompletableFuture<Position> send(K key, V value);

    /**
     * Sends a record with a chosen partition, timestamp or headers. If this method throws, the record is not buffered.
     *
     * @throws dev.muster.store.RecordTooLargeException if the record is larger than the topic allows
     * @throws dev.muster.store.RecordTimestampException if the topic does not allow the record's timestamp
     * @throws dev.muster.core.BufferFullException if the buffer had no room in time
     * @throws dev.muster.store.TopicNotFoundException if the topic was deleted, or there is no such partition
     * @throws dev.muster.store.StoreClosedException after close
     */
    CompletableFuture<Position> send(Message<K, V> message);

    /** Waits until every record sent before this call is acknowledged or has failed. */
    void flush();

    /** Flushes, then closes the producer. */
    @Override
    void close();

    /** Like {@link #close()}, but waits at most this long. Records not acknowledged by then fail. */
    void close(Duration timeout);
}
