package dev.muster.embedded;

import dev.muster.core.assign.Assignor;
import dev.muster.embedded.admin.Groups;
import dev.muster.store.DamagedLogException;
import dev.muster.store.ReadOnlyException;
import java.time.Duration;

/** Describes a member of a group. Each method returns a new description; nothing happens before {@link #open}. */
public interface ConsumerBuilder<K, V> {
    <T> ConsumerBuilder<T, V> keys(Codec<T> codec);

    <T> ConsumerBuilder<K, T> values(Codec<T> codec);

    /** Also all topics whose whole name matches, those made later too. */
    ConsumerBuilder<K, V> pattern(String regex);

    /** A name for people, in {@code group members}; {@code consumer}, the process's number and a count unless told. */
    ConsumerBuilder<K, V> id(String name);

    /** A static member: may go and come back within its session without a rebalance. */
    ConsumerBuilder<K, V> instance(String instanceId);

    /**
     * Where to begin in a partition without a commit; {@link Start#earliest()} unless told. Partitions and topics that
     * are made later are read from their first record whatever this says: nothing that comes while the group reads is
     * left out.
     */
    ConsumerBuilder<K, V> from(Start start);

    /** A member whose process gives no sign of life for so long is out; 30 s unless told. */
    ConsumerBuilder<K, V> session(Duration time);

    /** How often the process gives a sign of life; 5 s unless told, and at most a third of the session. */
    ConsumerBuilder<K, V> heartbeat(Duration interval);

    /** How long letting go of a partition may take; 30 s unless told. */
    ConsumerBuilder<K, V> revokeTimeout(Duration time);

    /** A member that neither polls nor finishes for longer leaves; 5 min unless told. */
    ConsumerBuilder<K, V> maxPollInterval(Duration time);

    /** As {@link #expectedMembers(int, Duration)}, for ten seconds at most. */
    ConsumerBuilder<K, V> expectedMembers(int count);

    /**
     * Should this be the first member of the group, nobody is given anything before so many are there, or this time has
     * passed, or {@link Groups#complete} is called. It is about forming: once the group has formed, members come and go
     * as ever. What {@link Groups#expect} said comes before it.
     */
    ConsumerBuilder<K, V> expectedMembers(int count, Duration within);

    /** {@code sticky} unless told; {@code range}, {@code roundrobin}, or one of your own that is known already. */
    ConsumerBuilder<K, V> assignor(String name);

    /** An assignor of your own. Every process of the group needs it. */
    ConsumerBuilder<K, V> assignor(Assignor own);

    /** Every five seconds unless told; zero: with every poll. */
    ConsumerBuilder<K, V> commitEvery(Duration interval);

    /** Only {@code commit} commits. */
    ConsumerBuilder<K, V> commitByHand();

    /**
     * Records count as processed when they are acknowledged by {@link GroupConsumer#ack}, not when poll is called
     * again.
     */
    ConsumerBuilder<K, V> ackEach();

    ConsumerBuilder<K, V> listener(RebalanceListener listener);

    /** The most records that one {@code poll} returns; 500 unless told. */
    ConsumerBuilder<K, V> maxRecords(int count);

    /** What to do at damaged bytes; {@link OnDamage#STOP} unless told. */
    ConsumerBuilder<K, V> onDamage(OnDamage choice);

    /** As {@link #onDamage(OnDamage)}; the listener hears of what is skipped, on the thread that polls. */
    ConsumerBuilder<K, V> onDamage(OnDamage choice, java.util.function.Consumer<DamagedLogException> listener);

    /**
     * Whether the consumer closes itself when the process is told to end (SIGTERM, {@code System.exit}), so that its
     * partitions move at once and what was processed is committed; true unless told.
     */
    ConsumerBuilder<K, V> closeOnShutdown(boolean choice);

    /**
     * @throws ReadOnlyException when nothing may be written here, so that nobody can be told of this member
     * @throws IllegalArgumentException when the choices do not go together
     */
    GroupConsumer<K, V> open();

    /**
     * Works the records with a handler, partitions in parallel on virtual threads, in order within a partition; commits
     * what is done. Starts at once; ends with {@link RunningConsumer#close}.
     */
    RunningConsumer run(Handler<K, V> handler);

    /**
     * As {@link #run(Handler)}, as the options say. Makes the topic for dead letters when it is not there.
     *
     * @throws ReadOnlyException when nothing may be written here
     * @throws IllegalArgumentException when the choices do not go together, or the group reads the topic of its dead
     *     letters
     */
    RunningConsumer run(HandlerOptions options, Handler<K, V> handler);

    /** As {@link #runBatches(HandlerOptions, BatchHandler)}, with the default options. */
    RunningConsumer runBatches(BatchHandler<K, V> handler);

    /**
     * Works the records with a handler that takes all waiting records of a partition at once, for instance for one
     * transaction of a database. Partitions are worked in parallel on virtual threads; a batch is committed when its
     * handler returned.
     *
     * @throws dev.muster.store.ReadOnlyException when nothing may be written here
     * @throws IllegalArgumentException when the choices do not go together, {@link HandlerOptions#orderByKey} among
     *     them
     */
    RunningConsumer runBatches(HandlerOptions options, BatchHandler<K, V> handler);
}
