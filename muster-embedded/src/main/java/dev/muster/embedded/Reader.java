package dev.muster.embedded;

import dev.muster.core.TopicPartition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Reads partitions from where it is told to, without a group and without traces on disk. For one thread at a time: a
 * second one gets an {@link IllegalStateException} that names both. Only {@link #close} and {@link #wakeup} may be
 * called from anywhere.
 *
 * <pre>{@code
 * try (Reader<String, String> orders = muster.reader("orders", Codec.STRING, Codec.STRING)) {
 *     while (!orders.atEnd()) {
 *         orders.poll(Duration.ofSeconds(1)).forEach(r -> System.out.println(r.offset() + " " + r.value()));
 *     }
 * }
 * }</pre>
 */
public interface Reader<K, V> extends AutoCloseable {
    /**
     * The next records; in order within a partition, taking turns between partitions. Returns as soon as there is
     * something; empty after the timeout, after {@link #wakeup}, or, with the flag still set, when the thread is
     * interrupted. Waits without CPU, for records of other processes too.
     *
     * <p>What goes wrong is thrown when there is nothing to return before it; the position stays at it, so that the
     * next call throws again unless you {@code seek}.
     *
     * @throws UndecodableRecordException when a codec refused a record
     * @throws dev.muster.store.DamagedLogException unless damage is skipped
     * @throws dev.muster.store.OffsetOutOfRangeException unless told where to go on
     * @throws dev.muster.store.TopicDeletedException when a topic is gone
     * @throws dev.muster.store.StoreClosedException after close
     */
    List<Received<K, V>> poll(Duration timeout);

    /** Whether everything that is visible at this moment has been handed out. */
    boolean atEnd();

    /** Where the next {@link #poll} goes on, of a reader of a single topic. */
    void seek(int partition, long offset);

    void seek(TopicPartition partition, long offset);

    /** Goes to the first record of each partition. */
    void seekToStart();

    /** Goes behind the last visible record of each partition. */
    void seekToEnd();

    /** Goes, in each partition, to the first record of this time or later; to the end where there is none. */
    void seek(Instant time);

    /** The offset of the next record to be handed out, for each partition. */
    Map<TopicPartition, Long> positions();

    /** Lets a waiting {@link #poll}, or the next one that would wait, return early. From any thread. */
    void wakeup();

    /** Ends it. From any thread: a {@link #poll} that waits returns promptly. */
    @Override
    void close();
}
