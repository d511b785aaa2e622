package dev.muster.embedded;

import dev.muster.core.TopicPartition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A member of a group: reads the partitions that the group gives it, and commits how far it came. For one thread at a
 * time: a second one gets an {@link IllegalStateException} that names both. Only {@link #close}, {@link #wakeup},
 * {@link #ack} and {@link #assignment} may be called from anywhere.
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
 * <p>Every record is processed at least once: a partition goes on at the last commit, whoever owns it. With auto-commit
 * (the default, every five seconds, when partitions leave and at close) what {@code poll} returned counts as processed
 * when {@code poll} is called again. At close it counts as far as a loop over it, or a stream, came: all of it after
 * the last record, else what came before the record in hand. Whoever gets records by their index commits them before.
 *
 * <p>Ownership is a lease. A process that is stopped longer than its session hands out nothing more when it goes on,
 * its commits are refused, and it joins again. What your code does with a record that it had in hand cannot be
 * prevented.
 */
public interface GroupConsumer<K, V> extends AutoCloseable {
    /**
     * The next records of the partitions this member owns, in order within a partition. Joins the group at the first
     * call; calls the {@link RebalanceListener} when partitions come or go. Returns as soon as there is something;
     * empty after the timeout, after {@link #wakeup}, or, with the flag still set, when the thread is interrupted.
     *
     * @throws FencedMemberException when another process came with the same instance id
     */
    List<Received<K, V>> poll(Duration timeout);

    /**
     * Commits what was processed: with acks, what is acknowledged in order without a gap; else everything that
     * {@link #poll} returned. Returns when it is durable.
     *
     * @throws CommitRefusedException when this member no longer owns a partition; nothing was committed for it
     */
    void commit();

    /** Commits these: for each partition the offset of the next record to process. All or none. */
    void commit(Map<TopicPartition, Long> next);

    /** As {@link #commit()}, without waiting. */
    CompletableFuture<Void> commitAsync();

    /**
     * Says that a record is processed; with {@code ackEach()} only. Commits follow the acks in order: a record counts
     * once all before it, in its partition, are acknowledged too.
     */
    void ack(Received<K, V> record);

    /** Where {@link #poll} goes on; the partition must be owned. */
    void seek(TopicPartition partition, long offset);

    /** Goes to the first record of each owned partition. */
    void seekToStart();

    /** Goes behind the last visible record of each owned partition. */
    void seekToEnd();

    /** Goes, in each owned partition, to the first record of this time or later; to the end if there is none. */
    void seek(Instant time);

    /** Hands out nothing from these until {@link #resume}. They stay owned. */
    void pause(Set<TopicPartition> partitions);

    void resume(Set<TopicPartition> partitions);

    Set<TopicPartition> paused();

    /** The partitions this member owns, the generation it knows, and its id. Empty before the first poll. */
    GroupAssignment assignment();

    /** The offset of the next record to be handed out, for each owned partition. */
    Map<TopicPartition, Long> positions();

    /** What the group has committed for these; a partition without a commit is missing. */
    Map<TopicPartition, Long> committed(Set<TopicPartition> partitions);

    /** Lets a waiting {@link #poll}, or the next one that would wait, return early. From any thread. */
    void wakeup();

    /** Commits (unless by hand), lets go of the partitions and leaves the group at once. From any thread. */
    @Override
    void close();
}
