package dev.muster.embedded.internal;

import dev.muster.core.TopicName;
import dev.muster.core.assign.Assignor;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.GroupName;
import dev.muster.embedded.BatchHandler;
import dev.muster.embedded.Codec;
import dev.muster.embedded.ConsumerBuilder;
import dev.muster.embedded.GroupConsumer;
import dev.muster.embedded.Handler;
import dev.muster.embedded.HandlerOptions;
import dev.muster.embedded.OnDamage;
import dev.muster.embedded.RebalanceListener;
import dev.muster.embedded.RunningConsumer;
import dev.muster.embedded.Start;
import dev.muster.engine.group.service.GroupService;
import dev.muster.store.DamagedLogException;
import dev.muster.store.ReadOnlyException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/** Collects the settings of a member of a group, and opens it. */
final class LocalConsumerBuilder<K, V> implements ConsumerBuilder<K, V> {
    private static final Duration A_YEAR = Duration.ofDays(365);

    private final OpenMuster muster;
    private final Codec<K> keys;
    private final Codec<V> values;
    private final ConsumerPlan plan;

    private LocalConsumerBuilder(OpenMuster muster, Codec<K> keys, Codec<V> values, ConsumerPlan plan) {
        this.muster = muster;
        this.keys = Objects.requireNonNull(keys, "keys");
        this.values = Objects.requireNonNull(values, "values");
        this.plan = plan;
    }

    static ConsumerBuilder<byte[], byte[]> of(OpenMuster muster, String group, List<String> topics) {
        ConsumerPlan plan = new ConsumerPlan(
                new GroupName(group), topics.stream().map(TopicName::new).toList());
        return new LocalConsumerBuilder<>(muster, Codec.BYTES, Codec.BYTES, plan);
    }

    private LocalConsumerBuilder<K, V> with(java.util.function.Consumer<ConsumerPlan> choice) {
        return new LocalConsumerBuilder<>(muster, keys, values, plan.with(choice));
    }

    @Override
    public <T> ConsumerBuilder<T, V> keys(Codec<T> codec) {
        return new LocalConsumerBuilder<>(muster, codec, values, plan);
    }

    @Override
    public <T> ConsumerBuilder<K, T> values(Codec<T> codec) {
        return new LocalConsumerBuilder<>(muster, keys, codec, plan);
    }

    @Override
    public ConsumerBuilder<K, V> pattern(String regex) {
        Pattern.compile(regex);
        return with(it -> it.pattern = Optional.of(regex));
    }

    @Override
    public ConsumerBuilder<K, V> id(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("the name of a member must not be blank");
        }
        return with(it -> it.name = Optional.of(name));
    }

    @Override
    public ConsumerBuilder<K, V> instance(String instanceId) {
        if (instanceId.isBlank()) {
            throw new IllegalArgumentException("an instance id must not be blank");
        }
        return with(it -> it.instance = Optional.of(instanceId));
    }

    @Override
    public ConsumerBuilder<K, V> from(Start start) {
        Objects.requireNonNull(start, "start");
        return with(it -> it.start = start);
    }

    @Override
    public ConsumerBuilder<K, V> session(Duration time) {
        return with(it -> it.session = positive("session", time));
    }

    @Override
    public ConsumerBuilder<K, V> heartbeat(Duration interval) {
        return with(it -> it.heartbeat = Optional.of(positive("heartbeat", interval)));
    }

    @Override
    public ConsumerBuilder<K, V> revokeTimeout(Duration time) {
        return with(it -> it.revoke = positive("revokeTimeout", time));
    }

    @Override
    public ConsumerBuilder<K, V> maxPollInterval(Duration time) {
        return with(it -> it.maxPollInterval = positive("maxPollInterval", time));
    }

    @Override
    public ConsumerBuilder<K, V> expectedMembers(int count) {
        return expectedMembers(count, Expectation.WITHIN);
    }

    @Override
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

    /** Shortens "for ever" to a year, because a long of nanoseconds cannot hold every duration. */
    private static Duration atMostAYear(Duration time) {
        return time.compareTo(A_YEAR) < 0 ? time : A_YEAR;
    }

    @Override
    public ConsumerBuilder<K, V> assignor(String name) {
        Objects.requireNonNull(name, "name");
        return with(it -> it.assignor = name);
    }

    @Override
    public ConsumerBuilder<K, V> assignor(Assignor own) {
        return with(it -> {
            it.assignor = own.name();
            it.ownAssignor = Optional.of(own);
        });
    }

    @Override
    public ConsumerBuilder<K, V> commitEvery(Duration interval) {
        if (interval.isNegative()) {
            throw new IllegalArgumentException("commitEvery must not be negative: " + interval);
        }
        return with(it -> it.commitEvery = Optional.of(atMostAYear(interval)));
    }

    @Override
    public ConsumerBuilder<K, V> commitByHand() {
        return with(it -> it.commitEvery = Optional.empty());
    }

    @Override
    public ConsumerBuilder<K, V> ackEach() {
        return with(it -> it.acks = true);
    }

    @Override
    public ConsumerBuilder<K, V> listener(RebalanceListener listener) {
        Objects.requireNonNull(listener, "listener");
        return with(it -> it.listener = listener);
    }

    @Override
    public ConsumerBuilder<K, V> maxRecords(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("maxRecords must be at least 1: " + count);
        }
        return with(it -> it.recordsMax = count);
    }

    @Override
    public ConsumerBuilder<K, V> onDamage(OnDamage choice) {
        return onDamage(choice, damage -> {});
    }

    @Override
    public ConsumerBuilder<K, V> onDamage(OnDamage choice, java.util.function.Consumer<DamagedLogException> listener) {
        Objects.requireNonNull(choice, "choice");
        Objects.requireNonNull(listener, "listener");
        return with(it -> {
            it.onDamage = choice;
            it.damageListener = listener;
        });
    }

    @Override
    public ConsumerBuilder<K, V> closeOnShutdown(boolean choice) {
        return with(it -> it.closeOnShutdown = choice);
    }

    @Override
    public GroupConsumer<K, V> open() {
        GroupService service = checkedService();
        LocalConsumer<K, V> consumer = muster.closesWithThis(new LocalConsumer<>(muster, service, keys, values, plan));
        if (plan.closeOnShutdown) {
            ShutdownCloser.register(consumer);
        }
        return consumer;
    }

    /** The service of this process's groups, after all checks that need it. */
    private GroupService checkedService() {
        if (muster.readOnly()) {
            throw new ReadOnlyException("join group \"" + plan.group + "\"");
        }
        GroupService service = muster.groupService();
        plan.ownAssignor.ifPresent(service::know);
        if (!service.knowsAssignor(plan.assignor)) {
            throw new IllegalArgumentException("this process knows no assignor \"" + plan.assignor + "\"");
        }
        return service;
    }

    @Override
    public RunningConsumer run(Handler<K, V> handler) {
        return run(HandlerOptions.DEFAULT, handler);
    }

    @Override
    public RunningConsumer run(HandlerOptions options, Handler<K, V> handler) {
        Objects.requireNonNull(handler, "handler");
        return start(options, 1, records -> handler.handle(records.getFirst()));
    }

    @Override
    public RunningConsumer runBatches(BatchHandler<K, V> handler) {
        return runBatches(HandlerOptions.DEFAULT, handler);
    }

    @Override
    public RunningConsumer runBatches(HandlerOptions options, BatchHandler<K, V> handler) {
        Objects.requireNonNull(handler, "handler");
        if (options.orderByKey()) {
            throw new IllegalArgumentException(
                    "runBatches cannot order by key, because a batch has the records of a partition in order: use"
                            + " run(handler)");
        }
        return start(options, plan.recordsMax, handler);
    }

    private RunningConsumer start(HandlerOptions options, int batchMax, BatchHandler<K, V> handler) {
        if (plan.commitEvery.isEmpty()) {
            throw new IllegalArgumentException(
                    "commitByHand cannot be combined with a handler: processed records are committed automatically");
        }
        GroupService service = checkedService();
        ConsumerPlan acking = plan.with(it -> it.acks = true);
        HandlerRun<K, V> run = muster.closesWithThis(
                new HandlerRun<>(muster, service, keys, values, acking, options, batchMax, handler));
        if (plan.closeOnShutdown) {
            ShutdownCloser.register(run);
        }
        run.start();
        return run;
    }
}
