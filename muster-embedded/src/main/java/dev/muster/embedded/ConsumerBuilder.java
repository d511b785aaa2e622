package dev.muster.embedded;

import dev.muster.core.TopicName;
import dev.muster.core.assign.Assignor;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.GroupName;
import dev.muster.engine.group.service.GroupService;
import dev.muster.store.DamagedLogException;
import dev.muster.store.ReadOnlyException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/** Describes a member of a group. Each method returns a new description; nothing happens before {@link #open}. */
public final class ConsumerBuilder<K, V> {
    private static final Duration A_YEAR = Duration.ofDays(365);

    private final Muster muster;
    private final Codec<K> keys;
    private final Codec<V> values;
    private final ConsumerPlan plan;

    private ConsumerBuilder(Muster muster, Codec<K> keys, Codec<V> values, ConsumerPlan plan) {
        this.muster = muster;
        this.keys = Objects.requireNonNull(keys, "keys");
        this.values = Objects.requireNonNull(values, "values");
        this.plan = plan;
    }

    static ConsumerBuilder<byte[], byte[]> of(Muster muster, String group, List<String> topics) {
        ConsumerPlan plan = new ConsumerPlan(
                new GroupName(group), topics.stream().map(TopicName::new).toList());
        return new ConsumerBuilder<>(muster, Codec.BYTES, Codec.BYTES, plan);
    }

    private ConsumerBuilder<K, V> with(java.util.function.Consumer<ConsumerPlan> choice) {
        return new ConsumerBuilder<>(muster, keys, values, plan.with(choice));
    }

    public <T> ConsumerBuilder<T, V> keys(Codec<T> codec) {
        return new ConsumerBuilder<>(muster, codec, values, plan);
    }

    public <T> ConsumerBuilder<K, T> values(Codec<T> codec) {
        return new ConsumerBuilder<>(muster, keys, codec, plan);
    }

    /** Also all topics whose whole name matches, those made later too. */
    public ConsumerBuilder<K, V> pattern(String regex) {
        Pattern.compile(regex);
        return with(it -> it.pattern = Optional.of(regex));
    }

    /** A name for people, in {@code group members}; {@code consumer}, the process's number and a count unless told. */
    public ConsumerBuilder<K, V> id(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("a name for people is not blank");
        }
        return with(it -> it.name = Optional.of(name));
    }

    /** A static member: may go and come back within its session without a rebalance. */
    public ConsumerBuilder<K, V> instance(String instanceId) {
        if (instanceId.isBlank()) {
            throw new IllegalArgumentException("an instance id is not blank");
        }
        return with(it -> it.instance = Optional.of(instanceId));
    }

    /**
     * Where to begin in a partition without a commit; {@link Start#earliest()} unless told. Partitions and topics that
     * are made later are read from their first record whatever this says: nothing that comes while the group reads is
     * left out.
     */
    public ConsumerBuilder<K, V> from(Start start) {
        Objects.requireNonNull(start, "start");
        return with(it -> it.start = start);
    }

    /** A member whose process gives no sign of life for so long is out; 30 s unless told. */
    public ConsumerBuilder<K, V> session(Duration time) {
        return with(it -> it.session = positive("session", time));
    }

    /** How often the process gives a sign of life; 5 s unless told, and at most a third of the session. */
    public ConsumerBuilder<K, V> heartbeat(Duration interval) {
        return with(it -> it.heartbeat = Optional.of(positive("heartbeat", interval)));
    }

    /** How long letting go of a partition may take; 30 s unless told. */
    public ConsumerBuilder<K, V> revokeTimeout(Duration time) {
        return with(it -> it.revoke = positive("revokeTimeout", time));
    }

    /** A member that neither polls nor finishes for longer leaves; 5 min unless told. */
    public ConsumerBuilder<K, V> maxPollInterval(Duration time) {
        return with(it -> it.maxPollInterval = positive("maxPollInterval", time));
    }

    /** As {@link #expectedMembers(int, Duration)}, for ten seconds at most. */
    public ConsumerBuilder<K, V> expectedMembers(int count) {
        return expectedMembers(count, Expectation.WITHIN);
    }

    /**
     * Should this be the first member of the group, nobody is given anything before so many are there, or this time has
     * passed, or {@link Groups#complete} is called. It is about forming: once the group has formed, members come and go
     * as ever. What {@link Groups#expect} said comes before it.
     */
    public ConsumerBuilder<K, V> expectedMembers(int count, Duration within) {
        Expectation expectation = new Expectation(count, positive("within", within));
        return with(it -> it.expects = Optional.of(expectation));
    }

    private static Duration positive(String what, Duration time) {
        if (!time.isPositive()) {
            throw new IllegalArgumentException(what + " must be positive: " + time);
        }
        return atMostAYear(time);
    }

    /** Whoever says for ever means it; but nanoseconds have to count it. */
    private static Duration atMostAYear(Duration time) {
        return time.compareTo(A_YEAR) < 0 ? time : A_YEAR;
    }

    /** {@code sticky} unless told; {@code range}, {@code roundrobin}, or one of your own that is known already. */
    public ConsumerBuilder<K, V> assignor(String name) {
        Objects.requireNonNull(name, "name");
        return with(it -> it.assignor = name);
    }

    /** An assignor of your own. Every process of the group needs it. */
    public ConsumerBuilder<K, V> assignor(Assignor own) {
        return with(it -> {
            it.assignor = own.name();
            it.ownAssignor = Optional.of(own);
        });
    }

    /** Every five seconds unless told; zero: with every poll. */
    public ConsumerBuilder<K, V> commitEvery(Duration interval) {
        if (interval.isNegative()) {
            throw new IllegalArgumentException("commitEvery must not be negative: " + interval);
        }
        return with(it -> it.commitEvery = Optional.of(atMostAYear(interval)));
    }

    /** Only {@code commit} commits. */
    public ConsumerBuilder<K, V> commitByHand() {
        return with(it -> it.commitEvery = Optional.empty());
    }

    /** Records count as processed when they are acknowledged by {@link Consumer#ack}, not when poll is called again. */
    public ConsumerBuilder<K, V> ackEach() {
        return with(it -> it.acks = true);
    }

    public ConsumerBuilder<K, V> listener(RebalanceListener listener) {
        Objects.requireNonNull(listener, "listener");
        return with(it -> it.listener = listener);
    }

    /** The most records that one {@code poll} returns; 500 unless told. */
    public ConsumerBuilder<K, V> maxRecords(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("maxRecords must be at least 1, it is " + count);
        }
        return with(it -> it.recordsMax = count);
    }

    /** What to do at damaged bytes; {@link OnDamage#STOP} unless told. */
    public ConsumerBuilder<K, V> onDamage(OnDamage choice) {
        return onDamage(choice, damage -> {});
    }

    /** As {@link #onDamage(OnDamage)}; the listener hears of what is skipped, on the thread that polls. */
    public ConsumerBuilder<K, V> onDamage(OnDamage choice, java.util.function.Consumer<DamagedLogException> listener) {
        Objects.requireNonNull(choice, "choice");
        Objects.requireNonNull(listener, "listener");
        return with(it -> {
            it.onDamage = choice;
            it.damageListener = listener;
        });
    }

    /**
     * Whether the consumer closes itself when the process is told to end (SIGTERM, {@code System.exit}), so that its
     * partitions move at once and what was processed is committed; true unless told.
     */
    public ConsumerBuilder<K, V> closeOnShutdown(boolean choice) {
        return with(it -> it.closeOnShutdown = choice);
    }

    /**
     * @throws ReadOnlyException when nothing may be written here, so that nobody can be told of this member
     * @throws IllegalArgumentException when the choices do not go together
     */
    public Consumer<K, V> open() {
        GroupService service = ready();
        GroupConsumer<K, V> consumer = muster.closesWithThis(new GroupConsumer<>(muster, service, keys, values, plan));
        if (plan.closeOnShutdown) {
            AtShutdown.close(consumer);
        }
        return consumer;
    }

    private GroupService ready() {
        if (muster.readOnly()) {
            throw new ReadOnlyException("join group \"" + plan.group + "\"");
        }
        GroupService service = muster.groupService();
        plan.ownAssignor.ifPresent(service::know);
        if (!service.knowsAssignor(plan.assignor)) {
            throw new IllegalArgumentException("there is no assignor \"" + plan.assignor + "\" here");
        }
        return service;
    }

    /**
     * Works the records with a handler, partitions in parallel on virtual threads, in order within a partition; commits
     * what is done. Starts at once; ends with {@link Running#close}.
     */
    public Running run(Handler<K, V> handler) {
        return run(HandlerOptions.DEFAULT, handler);
    }

    /**
     * As {@link #run(Handler)}, as the options say. Makes the topic for dead letters when it is not there.
     *
     * @throws ReadOnlyException when nothing may be written here
     * @throws IllegalArgumentException when the choices do not go together, or the group reads the topic of its dead
     *     letters
     */
    public Running run(HandlerOptions options, Handler<K, V> handler) {
        if (plan.commitEvery.isEmpty()) {
            throw new IllegalArgumentException("with a handler what is done is committed: not by hand");
        }
        GroupService service = ready();
        HandlerRun<K, V> run = muster.closesWithThis(
                new HandlerRun<>(muster, service, keys, values, plan.with(it -> it.acks = true), options, handler));
        if (plan.closeOnShutdown) {
            AtShutdown.close(run);
        }
        run.start();
        return run;
    }
}
