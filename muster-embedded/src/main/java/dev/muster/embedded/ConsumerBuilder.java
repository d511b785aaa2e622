package dev.muster.embedded;

import dev.muster.core.assign.Assignor;
import java.time.Duration;

/** Describes a member of a group. Each method returns a new description; nothing happens before {@link #open}. */
public final class ConsumerBuilder<K, V> {
    private ConsumerBuilder() {}

    public <T> ConsumerBuilder<T, V> keys(Codec<T> codec) {
        throw new UnsupportedOperationException("to be written");
    }

    public <T> ConsumerBuilder<K, T> values(Codec<T> codec) {
        throw new UnsupportedOperationException("to be written");
    }

    /** Also all topics whose whole name matches, those made later too. */
    public ConsumerBuilder<K, V> pattern(String regex) {
        throw new UnsupportedOperationException("to be written");
    }

    /** A name for people, in {@code group members}; the process's name and number unless told. */
    public ConsumerBuilder<K, V> id(String name) {
        throw new UnsupportedOperationException("to be written");
    }

    /** A static member: may go and come back within its session without a rebalance. */
    public ConsumerBuilder<K, V> instance(String instanceId) {
        throw new UnsupportedOperationException("to be written");
    }

    /** Where to begin in a partition without a commit; {@link Start#earliest()} unless told. */
    public ConsumerBuilder<K, V> from(Start start) {
        throw new UnsupportedOperationException("to be written");
    }

    /** 30 s unless told. */
    public ConsumerBuilder<K, V> session(Duration time) {
        throw new UnsupportedOperationException("to be written");
    }

    /** 5 s unless told; at most a third of the session. */
    public ConsumerBuilder<K, V> heartbeat(Duration interval) {
        throw new UnsupportedOperationException("to be written");
    }

    /** How long letting go of a partition may take; 30 s unless told. */
    public ConsumerBuilder<K, V> revokeTimeout(Duration time) {
        throw new UnsupportedOperationException("to be written");
    }

    /** A member that neither polls nor finishes for longer leaves; 5 min unless told. */
    public ConsumerBuilder<K, V> maxPollInterval(Duration time) {
        throw new UnsupportedOperationException("to be written");
    }

    /** {@code sticky} unless told; {@code range}, {@code roundrobin}. */
    public ConsumerBuilder<K, V> assignor(String name) {
        throw new UnsupportedOperationException("to be written");
    }

    /** An assignor of your own. Every process of the group needs it. */
    public ConsumerBuilder<K, V> assignor(Assignor own) {
        throw new UnsupportedOperationException("to be written");
    }

    /** Every five seconds unless told; zero: after every poll. */
    public ConsumerBuilder<K, V> commitEvery(Duration interval) {
        throw new UnsupportedOperationException("to be written");
    }

    /** Only {@code commit} commits. */
    public ConsumerBuilder<K, V> commitByHand() {
        throw new UnsupportedOperationException("to be written");
    }

    /** Records count as processed when they are acknowledged by {@link Consumer#ack}, not when poll is called again. */
    public ConsumerBuilder<K, V> ackEach() {
        throw new UnsupportedOperationException("to be written");
    }

    public ConsumerBuilder<K, V> listener(RebalanceListener listener) {
        throw new UnsupportedOperationException("to be written");
    }

    /** The most records that one {@code poll} returns; 500 unless told. */
    public ConsumerBuilder<K, V> maxRecords(int count) {
        throw new UnsupportedOperationException("to be written");
    }

    /** What to do at damaged bytes; {@link OnDamage#STOP} unless told. */
    public ConsumerBuilder<K, V> onDamage(OnDamage choice) {
        throw new UnsupportedOperationException("to be written");
    }

    public Consumer<K, V> open() {
        throw new UnsupportedOperationException("to be written");
    }

    /**
     * Works the records with a handler, partitions in parallel on virtual threads, in order within a partition; commits
     * what is done. Starts at once; ends with {@link Running#close}.
     */
    public Running run(Handler<K, V> handler) {
        throw new UnsupportedOperationException("to be written");
    }

    /** As {@link #run(Handler)}, as the options say. */
    public Running run(HandlerOptions options, Handler<K, V> handler) {
        throw new UnsupportedOperationException("to be written");
    }
}
