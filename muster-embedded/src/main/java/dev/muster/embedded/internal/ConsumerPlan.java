package dev.muster.embedded.internal;

import dev.muster.core.TopicName;
import dev.muster.core.assign.Assignor;
import dev.muster.core.assign.StickyAssignor;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.Timing;
import dev.muster.embedded.OnDamage;
import dev.muster.embedded.RebalanceListener;
import dev.muster.embedded.Start;
import dev.muster.engine.group.member.GroupReader;
import dev.muster.engine.group.member.MemberOptions;
import dev.muster.engine.read.ReadErrorPolicy;
import dev.muster.store.DamagedLogException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionLog;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** The settings of a member of a group. {@link #with} makes a changed copy; a plan in use is never changed. */
public final class ConsumerPlan implements Cloneable {
    private static final System.Logger LOG = System.getLogger(ConsumerPlan.class.getName());
    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static final int RECORDS_MAX = 500;

    final GroupName group;
    final List<TopicName> topics;
    Optional<String> pattern = Optional.empty();
    Optional<String> name = Optional.empty();
    Optional<String> instance = Optional.empty();
    Start start = Start.earliest();
    Duration session = Timing.DEFAULT.session();
    Optional<Duration> heartbeat = Optional.empty();
    Duration revoke = Timing.DEFAULT.revoke();
    Duration maxPollInterval = MemberOptions.MAX_POLL_INTERVAL;
    Optional<Expectation> expects = Optional.empty();
    String assignor = StickyAssignor.NAME;
    Optional<Assignor> ownAssignor = Optional.empty();
    Optional<Duration> commitEvery = Optional.of(Duration.ofSeconds(5));
    boolean acks;
    RebalanceListener listener = new RebalanceListener() {};
    int recordsMax = RECORDS_MAX;
    OnDamage onDamage = OnDamage.STOP;
    Consumer<DamagedLogException> damageListener = damage -> {};
    boolean closeOnShutdown = true;

    public ConsumerPlan(GroupName group, List<TopicName> topics) {
        this.group = group;
        this.topics = List.copyOf(topics);
    }

    ConsumerPlan with(Consumer<ConsumerPlan> choice) {
        try {
            ConsumerPlan copy = (ConsumerPlan) clone();
            choice.accept(copy);
            return copy;
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** @throws IllegalArgumentException if there is neither a topic nor a pattern */
    MemberOptions memberOptions() {
        if (topics.isEmpty() && pattern.isEmpty()) {
            throw new IllegalArgumentException("a consumer needs a topic or a pattern");
        }
        return new MemberOptions(
                group,
                instance,
                name.orElseGet(() -> "consumer-" + ProcessHandle.current().pid() + "-" + NUMBERS.incrementAndGet()),
                new Subscription(new TreeSet<>(topics), pattern),
                new Timing(session, revoke),
                heartbeat.orElseGet(this::usualHeartbeat),
                maxPollInterval,
                assignor,
                expects);
    }

    private Duration usualHeartbeat() {
        Duration third = session.dividedBy(3);
        return third.compareTo(MemberOptions.HEARTBEAT) < 0 ? third : MemberOptions.HEARTBEAT;
    }

    GroupReader.Policy policy() {
        return new GroupReader.Policy(log -> StartOffset.of(start, log), acks, commitEvery, new ReadErrors(this));
    }

    /** At an offset out of range, continues at the nearest end of the log. At damage, does what the user chose. */
    private record ReadErrors(ConsumerPlan plan) implements ReadErrorPolicy {
        @Override
        public long outOfRange(PartitionLog log, OffsetOutOfRangeException problem) {
            boolean below = problem.offset() < problem.startOffset();
            long nearest = below ? log.startOffset() : log.endOffset();
            LOG.log(
                    Level.WARNING,
                    below
                            ? "group {0}, {1}-{2}: offset {3} is no longer in the log; reading continues at its start,"
                                    + " {4}"
                            : "group {0}, {1}-{2}: offset {3} is beyond the end of the log; reading continues at its"
                                    + " end, {4}",
                    plan.group,
                    log.topic().name(),
                    log.partition(),
                    problem.offset(),
                    nearest);
            return nearest;
        }

        @Override
        public long damaged(PartitionLog log, DamagedLogException problem) {
            if (plan.onDamage == OnDamage.STOP) {
                throw problem;
            }
            plan.damageListener.accept(problem);
            return problem.nextOffset();
        }
    }
}
