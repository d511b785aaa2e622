package dev.muster.engine.group;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.engine.group.remote.ConsumerProtocol;
import dev.muster.engine.group.remote.RemoteAnswer;
import dev.muster.engine.group.session.RemoteConfig;
import dev.muster.engine.group.session.RemoteHeartbeat;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * A client of the new group protocol. Like real clients it has one request in flight. It completes a reconciliation,
 * which takes time, before it looks at a newer assignment. It reports its partitions only after that. For one thread.
 */
public final class RemoteConsumer {
    public static final Duration SESSION = RemoteConfig.DEFAULT.session();

    public final MemberId id;
    ConsumerProtocol server;
    public long connection;
    public long epoch;
    public RemoteAnswer last;
    /** The time that a release or a take needs. */
    public Duration effort = Duration.ZERO;
    /** The delay of its heartbeats beyond the requested interval. */
    public Duration slower = Duration.ZERO;

    private final Optional<String> instance;
    private final SortedSet<TopicPartition> works = new TreeSet<>();
    private SortedSet<TopicPartition> wanted = new TreeSet<>();
    private SortedSet<TopicPartition> reported;
    private CompletableFuture<RemoteAnswer> inFlight;
    private long next = Long.MIN_VALUE;
    private boolean due = true;
    private long busyUntil;
    /** The partitions of the reconciliation in progress; null if none is in progress. */
    private SortedSet<TopicPartition> aim;

    private boolean mustReport;
    private boolean changed;

    public RemoteConsumer(ConsumerProtocol server, String name, long connection, Optional<String> instance) {
        this.server = server;
        this.id = new MemberId(name);
        this.connection = connection;
        this.instance = instance;
    }

    /** The partitions that it processes at this moment. */
    public SortedSet<TopicPartition> works() {
        return Collections.unmodifiableSortedSet(works);
    }

    public boolean settled() {
        return epoch > 0 && aim == null && works.equals(wanted) && !works.isEmpty();
    }

    public void step(String group, long now) {
        reconcile(now);
        if (inFlight != null) {
            if (inFlight.isDone()) {
                RemoteAnswer answer = inFlight.join();
                inFlight = null;
                hear(answer, now);
            }
            return;
        }
        if (due || mustReport || next - now <= 0) {
            due = false;
            inFlight = server.beat(group, beat());
        }
    }

    private void reconcile(long now) {
        if (aim == null) {
            if (!changed) {
                return;
            }
            changed = false;
            aim = new TreeSet<>(wanted);
            busyUntil = now + effort.toNanos();
        }
        if (busyUntil - now <= 0) {
            if (!aim.containsAll(works)) {
                works.retainAll(aim);
                busyUntil = now + effort.toNanos();
            } else {
                works.addAll(aim);
                aim = null;
                mustReport = true;
            }
        }
    }

    private RemoteHeartbeat beat() {
        boolean joins = epoch == 0;
        boolean full = joins || reported == null;
        boolean says = full || mustReport;
        mustReport = false;
        if (says) {
            reported = new TreeSet<>(works);
        }
        return new RemoteHeartbeat(
                Optional.of(id),
                epoch,
                instance,
                full ? Optional.of(new TreeSet<>(Set.of(new TopicName("orders")))) : Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                full ? Optional.of(Duration.ofMinutes(5)) : Optional.empty(),
                says ? Optional.of(reported) : Optional.empty(),
                new RemoteHeartbeat.Caller(id.value(), "/127.0.0.1", connection));
    }

    private void hear(RemoteAnswer answer, long now) {
        last = answer;
        switch (answer) {
            case RemoteAnswer.In in -> {
                epoch = in.epoch();
                in.partitions().filter(partitions -> !partitions.equals(wanted)).ifPresent(partitions -> {
                    wanted = new TreeSet<>(partitions);
                    changed = true;
                });
                next = now + in.pause().plus(slower).toNanos();
            }
            case RemoteAnswer.Refused _ -> startAnew();
            case RemoteAnswer.Out _, RemoteAnswer.Done _ ->
                throw new IllegalStateException("not an answer to a heartbeat");
        }
    }

    /** Starts again, as clients do after an expulsion. */
    private void startAnew() {
        works.clear();
        wanted = new TreeSet<>();
        aim = null;
        changed = false;
        mustReport = false;
        reported = null;
        epoch = 0;
        due = true;
    }

    /** Breaks the connection: an answer in flight is lost, and the client repeats its request in full. */
    public void reconnect(ConsumerProtocol other, long newConnection) {
        server = other;
        connection = newConnection;
        inFlight = null;
        reported = null;
        due = true;
    }

    public CompletableFuture<RemoteAnswer> leave(String group, long how) {
        return server.beat(
                group,
                new RemoteHeartbeat(
                        Optional.of(id),
                        how,
                        instance,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        new RemoteHeartbeat.Caller(id.value(), "/127.0.0.1", connection)));
    }
}
