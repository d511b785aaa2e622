package dev.muster.embedded;

import dev.muster.core.TopicPartition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Reads partitions from a chosen place, without a group. It writes nothing to disk. Only one thread at a time may use
 * it: a second one gets an {@link IllegalStateException} that names both threads. {@link #close} and {@link #wakeup}
 * may be called from any thread.
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
     * Returns the next records, in order within a partition. The partitions take turns. Returns as soon as there are
     * records, of other processes too. Returns an empty list after the timeout, after {@link #wakeup}, and if the
     * thread is interrupted; its interrupt flag stays set. Waiting uses no CPU.
     *
     * <p>Records before a problem are returned first; the next call throws. The position stays at the problem, so every
     * further call throws again until you {@code seek}.
     *
     * @throws UndecodableRecordException if a codec refused a record
     * @throws dev.muster.store.DamagedLogException if the log is damaged, unless damage is skipped
     * @throws dev.muster.store.OffsetOutOfRangeException if the position is not in the log and the builder chose no
     *     place to continue
     * @throws dev.muster.store.TopicDeletedException if a topic was deleted
     * @throws dev.muster.store.StoreClosedException after close
     */
    List<Received<K, V>> poll(Duration timeout);

    /** True if {@link #poll} has returned every record that is visible at this moment. */
    boolean atEnd();

    /** Sets the offset at which the next {@link #poll} continues. For readers of a single topic. */
    void seek(int partition, long offset);

    /** Sets the offset at which the next {@link #poll} continues. */
    void seek(TopicPartition partition, long offset);

    /** Continues at the first record of each partition. */
    void seekToStart();

    /** Continues behind the last visible record of each partition. */
    void seekToEnd();

    /** Continues at the first record of this time or later in each partition; at the end if there is none. */
    void seek(Instant time);

    /** The offset of the next record that {@link #poll} returns, for each partition. */
    Map<TopicPartition, Long> positions();

    /** Makes a waiting {@link #poll}, or the next one that would wait, return early. From any thread. */
    void wakeup();

    /** Closes the reader. From any thread: a waiting {@link #poll} returns promptly. */
    @Override
    void close();
}
