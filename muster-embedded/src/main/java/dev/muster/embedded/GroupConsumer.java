package dev.muster.embedded;

import dev.muster.core.TopicPartition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A member of a group: reads the partitions that the group assigns to it, and commits their offsets. Only one thread at
 * a time may use it: a second one gets an {@link IllegalStateException} that names both threads. {@link #close},
 * {@link #wakeup}, {@link #ack} and {@link #assignment} may be called from any thread.
 *
 * <pre>{@code
 * try (GroupConsumer<String, String> orders = muster.consumer("billing", "orders").keys(STRING).values(STRING).open()) {
 *     while (running) {
 *         for (Received<String, String> order : orders.poll(Duration.ofSeconds(1))) {
 *             bill(order.value());
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>Every record is processed at least once: each owner of a partition continues at the last commit. Automatic commits
 * are the default: every five seconds, when partitions are revoked, and at close. Records that {@code poll} returned
 * count as processed when {@code poll} is called again.
 *
 * <p>At close, the records before the one that a loop or a stream is at count as processed; if the loop came to its
 * end, all of them do. Records that the application gets by their index do not count at close: commit them before.
 *
 * <p>Ownership is a lease. If a process is stopped for longer than its session, then after it continues the member
 * returns no more records of its old partitions, its commits are refused, and it joins again. Muster cannot prevent
 * application code from finishing a record that it was already processing.
 */
public interface GroupConsumer<K, V> extends AutoCloseable {
    /**
     * Returns the next records of the partitions that this member owns, in order within a partition. The first call
     * joins the group. Calls the {@link RebalanceListener} when partitions are assigned, revoked or lost.
     *
     * <p>Returns as soon as there are records. Returns an empty list after the timeout, after {@link #wakeup}, and if
     * the thread is interrupted; its interrupt flag stays set.
     *
     * @throws FencedMemberException if another process has joined with the same instance id
     */
    List<Received<K, V>> poll(Duration timeout);

    /**
     * Commits processed records. With acks these are the records up to the first one that is not acknowledged; else all
     * records that {@link #poll} returned. Returns when the commit is durable.
     *
     * @throws CommitRefusedException if this member no longer owns some partitions; nothing was committed for those
     */
    void commit();

    /**
     * Commits these offsets, all or none.
     *
     * @param next offset of the next record to process, for each partition
     */
    void commit(Map<TopicPartition, Long> next);

    /** Like {@link #commit()}, without waiting. */
    CompletableFuture<Void> commitAsync();

    /**
     * Acknowledges that a record is processed; only for consumers with {@code ackEach()}. Commits follow the order of
     * the partition: a record counts once all records before it are acknowledged too.
     */
    void ack(Received<K, V> record);

    /** Sets the offset at which {@link #poll} continues. This member must own the partition. */
    void seek(TopicPartition partition, long offset);

    /** Continues at the first record of each owned partition. */
    void seekToStart();

    /** Continues behind the last visible record of each owned partition. */
    void seekToEnd();

    /** Continues at the first record of this time or later in each owned partition; at the end if there is none. */
    void seek(Instant time);

    /** Returns no records of these partitions until {@link #resume}. This member still owns them. */
    void pause(Set<TopicPartition> partitions);

    /** Ends {@link #pause} for these partitions. */
    void resume(Set<TopicPartition> partitions);

    /** The partitions that are paused. */
    Set<TopicPartition> paused();

    /** The partitions that this member owns, the generation it knows, and its id. Empty before the first poll. */
    GroupAssignment assignment();

    /** The offset of the next record that {@link #poll} returns, for each owned partition. */
    Map<TopicPartition, Long> positions();

    /** The committed offsets of these partitions. A partition without a commit is not in the map. */
    Map<TopicPartition, Long> committed(Set<TopicPartition> partitions);

    /** Makes a waiting {@link #poll}, or the next one that would wait, return early. From any thread. */
    void wakeup();

    /**
     * Commits (unless commits are made by hand), releases the partitions and leaves the group at once. From any thread.
     */
    @Override
    void close();
}
