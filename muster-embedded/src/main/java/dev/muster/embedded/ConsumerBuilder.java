package dev.muster.embedded;

import dev.muster.core.assign.Assignor;
import dev.muster.embedded.admin.Groups;
import dev.muster.store.DamagedLogException;
import dev.muster.store.ReadOnlyException;
import java.time.Duration;

/**
 * Describes a member of a group. Each method returns a new description. Nothing happens before {@link #open},
 * {@link #run} or {@link #runBatches}.
 */
public interface ConsumerBuilder<K, V> {
    <T> ConsumerBuilder<T, V> keys(Codec<T> codec);

    <T> ConsumerBuilder<K, T> values(Codec<T> codec);

    /** Reads also all topics whose whole name matches, including topics that are created later. */
    ConsumerBuilder<K, V> pattern(String regex);

    /**
     * The name of the member that people see, in {@code group members} for instance. The default is {@code consumer},
     * the id of the process and a counter.
     */
    ConsumerBuilder<K, V> id(String name);

    /** Makes the member static: it may leave and come back within its session without a rebalance. */
    ConsumerBuilder<K, V> instance(String instanceId);

    /**
     * The place to begin at in a partition without a commit; {@link Start#earliest()} by default. Partitions and topics
     * that are created later are always read from their first record, so that no record that arrives while the group
     * reads is left out.
     */
    ConsumerBuilder<K, V> from(Start start);

    /** The time without a sign of life from its process after which the member is expelled; 30 s by default. */
    ConsumerBuilder<K, V> session(Duration time);

    /** The interval between signs of life; 5 s by default, or a third of the session if that is shorter. */
    ConsumerBuilder<K, V> heartbeat(Duration interval);

    /** The time within which a revoked partition must be released; 30 s by default. */
    ConsumerBuilder<K, V> revokeTimeout(Duration time);

    /**
     * The longest time between two polls, or that a handler may take for one call; 5 min by default. After it the
     * member leaves the group.
     */
    ConsumerBuilder<K, V> maxPollInterval(Duration time);

    /** Like {@link #expectedMembers(int, Duration)}, for ten seconds at most. */
    ConsumerBuilder<K, V> expectedMembers(int count);

    /**
     * Delays the first assignment of a group whose first member this is. Partitions are assigned when this many members
     * have joined, or this time has passed, or {@link Groups#complete} is called. Once the group has formed, members
     * come and go without such a delay. A setting by {@link Groups#expect} takes precedence.
     */
    ConsumerBuilder<K, V> expectedMembers(int count, Duration within);

    /**
     * The assignor by name: {@code sticky} (the default), {@code range}, {@code roundrobin}, or one of your own that
     * this process knows already.
     */
    ConsumerBuilder<K, V> assignor(String name);

    /** An assignor of your own. Every process of the group must have it. */
    ConsumerBuilder<K, V> assignor(Assignor own);

    /** The interval of automatic commits; five seconds by default. Zero commits with every poll. */
    ConsumerBuilder<K, V> commitEvery(Duration interval);

    /** Turns automatic commits off: only {@code commit} commits. */
    ConsumerBuilder<K, V> commitByHand();

    /**
     * Counts a record as processed when {@link GroupConsumer#ack} acknowledges it. Without this, returned records count
     * as processed when poll is called again.
     */
    ConsumerBuilder<K, V> ackEach();

    ConsumerBuilder<K, V> listener(RebalanceListener listener);

    /** The most records that one {@code poll} returns; 500 by default. */
    ConsumerBuilder<K, V> maxRecords(int count);

    /** The reaction to damaged bytes; {@link OnDamage#STOP} by default. */
    ConsumerBuilder<K, V> onDamage(OnDamage choice);

    /** Like {@link #onDamage(OnDamage)}; the listener is called for each skipped damage, on the thread that polls. */
    ConsumerBuilder<K, V> onDamage(OnDamage choice, java.util.function.Consumer<DamagedLogException> listener);

    /**
     * True (the default) if the consumer closes itself when the process ends by SIGTERM or {@code System.exit}. Then
     * processed records are committed, and the partitions get new owners at once.
     */
    ConsumerBuilder<K, V> closeOnShutdown(boolean choice);

    /**
     * Opens the consumer. It joins the group with the first {@code poll}.
     *
     * @throws ReadOnlyException if this process may not write here: a member has to write that it joins
     * @throws IllegalArgumentException if the choices contradict each other
     */
    GroupConsumer<K, V> open();

    /**
     * Processes the records with a handler, on virtual threads: partitions in parallel, the records of a partition in
     * order. Commits processed records. Starts at once; ends with {@link RunningConsumer#close}.
     */
    RunningConsumer run(Handler<K, V> handler);

    /**
     * Like {@link #run(Handler)}, with options. Creates the topic for dead letters if it does not exist.
     *
     * @throws ReadOnlyException if this process may not write here
     * @throws IllegalArgumentException if the choices contradict each other, or if the group reads the topic of its own
     *     dead letters
     */
    RunningConsumer run(HandlerOptions options, Handler<K, V> handler);

    /** Like {@link #runBatches(HandlerOptions, BatchHandler)}, with the default options. */
    RunningConsumer runBatches(BatchHandler<K, V> handler);

    /**
     * Processes the records with a handler that takes all waiting records of a partition at once, for instance for one
     * transaction of a database. Partitions are processed in parallel on virtual threads. A batch counts as processed
     * when its handler has returned.
     *
     * @throws ReadOnlyException if this process may not write here
     * @throws IllegalArgumentException if the choices contradict each other; {@link HandlerOptions#orderByKey} is not
     *     possible with batches
     */
    RunningConsumer runBatches(HandlerOptions options, BatchHandler<K, V> handler);
}
