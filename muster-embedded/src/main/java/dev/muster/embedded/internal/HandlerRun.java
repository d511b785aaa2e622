package dev.muster.embedded.internal;

import dev.muster.core.MusterException;
import dev.muster.core.TopicPartition;
import dev.muster.embedded.BatchHandler;
import dev.muster.embedded.Codec;
import dev.muster.embedded.FencedMemberException;
import dev.muster.embedded.GroupAssignment;
import dev.muster.embedded.HandlerOptions;
import dev.muster.embedded.HandlerOptions.OnFailure;
import dev.muster.embedded.Received;
import dev.muster.embedded.RunningConsumer;
import dev.muster.engine.group.member.GroupHooks;
import dev.muster.engine.group.member.GroupReader;
import dev.muster.engine.group.member.GroupSink;
import dev.muster.engine.group.service.GroupService;
import dev.muster.store.batch.BatchDecoder;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Processes the records of a group with a handler. One platform thread, the poll thread, polls and distributes the
 * records to the {@link PartitionWorker workers} of their partitions. Virtual threads call the handler. Finished
 * records are acknowledged, and committed in order.
 *
 * <p>From a revoked partition nothing more is fetched. Its waiting records are dropped, and the records in progress are
 * finished, while the poll thread continues with the other partitions. The partition is released when its records in
 * progress are finished, or when most of the revoke time is over.
 */
public final class HandlerRun<K, V> implements RunningConsumer {
    private static final System.Logger LOG = System.getLogger(HandlerRun.class.getName());

    private static final int BACKLOG_MAX = 500;
    private static final long POLL_NANOS = 1_000_000_000;
    private static final long NO_LEASE_WAIT_NANOS = 5_000_000;

    private final OpenMuster muster;
    private final ConsumerPlan plan;
    private final HandlerOptions options;
    private final int batchMax;
    private final GroupReader reader;
    private final DeadLetters deadLetters;
    private final HandlerAttempts<K, V> attempts;
    private final Thread pollThread;
    private final Map<TopicPartition, PartitionWorker> workers = new ConcurrentHashMap<>();
    private final Set<Thread> handlerThreads = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean started = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);
    /** Notified each time a worker becomes idle. */
    private final Object idleSignal = new Object();

    private volatile GroupAssignment assignment = new GroupAssignment("", 0, Collections.emptySortedSet());
    private volatile boolean stopping;
    private volatile Throwable failure;

    /** For each revoked partition the time by which it is released. Used by the poll thread only. */
    private final Map<TopicPartition, Long> leavingUntil = new HashMap<>();

    /** @param batchMax most records of one call of the handler */
    public HandlerRun(
            OpenMuster muster,
            GroupService service,
            Codec<K> keys,
            Codec<V> values,
            ConsumerPlan plan,
            HandlerOptions options,
            int batchMax,
            BatchHandler<K, V> handler) {
        this.muster = muster;
        this.plan = plan;
        this.options = options;
        this.batchMax = batchMax;
        this.deadLetters = options.onFailure() == OnFailure.DEAD_LETTER
                ? DeadLetters.open(muster, plan, options.deadLetterTopic())
                : null;
        this.reader = new GroupReader(service, plan.memberOptions(), plan.policy(), new Hooks());
        this.attempts = new HandlerAttempts<>(
                plan.group.value(),
                new RecordDecoding<>(keys, values),
                options,
                handler,
                reader,
                deadLetters,
                this::fail);
        this.pollThread =
                Thread.ofPlatform().daemon().name("muster-run-" + plan.group).unstarted(this::pollLoop);
        reader.member().idleSince(this::busySince);
    }

    void start() {
        if (started.compareAndSet(false, true)) {
            pollThread.start();
        }
    }

    // The poll thread

    private void pollLoop() {
        try {
            while (!stopping) {
                if (isStuck()) {
                    // A poll would join again, and the partition could be processed twice at the same time.
                    awaitIdleWorker(NO_LEASE_WAIT_NANOS);
                    continue;
                }
                resumeWorkers();
                Distribution records = new Distribution();
                reader.poll(plan.recordsMax, pollNanos(), records);
                records.distribute();
                assignment = new GroupAssignment(
                        reader.id() == null ? "" : reader.id().value(),
                        reader.member().generation(),
                        assignment.partitions());
            }
        } catch (RuntimeException | Error e) {
            fail(e);
        }
        end();
    }

    private long pollNanos() {
        long commits = plan.commitEvery.orElseThrow().toMillis() * 1_000_000;
        return Math.clamp(commits, 10_000_000, POLL_NANOS);
    }

    /**
     * Takes undecoded records. The thread that processes a record decodes it, so that an undecodable record fails
     * alone.
     */
    private final class Distribution implements GroupSink {
        private final List<Received<byte[], byte[]>> records = new ArrayList<>();

        @Override
        public void accept(TopicPartition from, BatchDecoder record) {
            records.add(new Received<>(
                    from.topic().value(),
                    from.partition(),
                    record.offset(),
                    record.timestamp(),
                    record.key(),
                    record.value(),
                    record.headers()));
        }

        @Override
        public void withdraw() {
            records.clear();
        }

        void distribute() {
            Set<PartitionWorker> receivers = new HashSet<>();
            for (Received<byte[], byte[]> record : records) {
                PartitionWorker worker = workers.get(record.topicPartition());
                worker.add(orderKey(record), record);
                receivers.add(worker);
            }
            for (PartitionWorker worker : receivers) {
                if (worker.backlog() >= BACKLOG_MAX) {
                    reader.pause(Set.of(worker.partition()), true);
                    worker.throttle(true);
                }
            }
        }

        private Object orderKey(Received<byte[], byte[]> record) {
            if (!options.orderByKey()) {
                return record.topicPartition();
            }
            return record.key() == null ? record : ByteBuffer.wrap(record.key());
        }
    }

    private void resumeWorkers() {
        for (TopicPartition partition : reader.paused()) {
            PartitionWorker worker = workers.get(partition);
            if (worker != null && !worker.ended() && worker.backlog() <= BACKLOG_MAX / 2) {
                worker.throttle(false);
                reader.pause(Set.of(partition), false);
            }
        }
    }

    private void end() {
        stopping = true;
        try {
            workers.values().forEach(PartitionWorker::end);
            awaitIdle(Math.min(plan.revoke.toNanos(), plan.session.toNanos()));
            reader.close();
        } catch (RuntimeException | Error e) {
            fail(e);
        }
        if (deadLetters != null) {
            deadLetters.close();
        }
        muster.closedAlready(this);
        ShutdownCloser.closedAlready(this);
        ended.countDown();
    }

    private void awaitIdle(long nanos) {
        long end = System.nanoTime() + nanos;
        while (workers.values().stream().anyMatch(worker -> !worker.idle()) && System.nanoTime() - end < 0) {
            awaitIdleWorker(100_000_000);
        }
    }

    /** Waits until a worker becomes idle, at most this long. */
    private void awaitIdleWorker(long nanos) {
        synchronized (idleSignal) {
            if (workers.values().stream().allMatch(PartitionWorker::idle)) {
                return;
            }
            try {
                idleSignal.wait(Math.max(1, nanos / 1_000_000));
            } catch (InterruptedException e) {
                // The poll thread belongs to this class; no code interrupts it.
                LOG.log(Level.DEBUG, "interrupted", e);
            }
        }
    }

    /** Handles assigned, revoked and lost partitions, on the poll thread. */
    private final class Hooks implements GroupHooks {
        @Override
        public void assigned(long generation, SortedSet<TopicPartition> partitions) {
            int inFlight = options.orderByKey() ? options.inFlightMax() : 1;
            for (TopicPartition partition : partitions) {
                workers.put(
                        partition,
                        new PartitionWorker(
                                partition, reader.commits().heldSince(partition), inFlight, batchMax, new ItemWork()));
            }
            noteAssignment();
            plan.listener.assigned(generation, Collections.unmodifiableSortedSet(partitions));
        }

        @Override
        public SortedSet<TopicPartition> revoked(long generation, SortedSet<TopicPartition> partitions) {
            long now = System.nanoTime();
            SortedSet<TopicPartition> finished = new TreeSet<>();
            for (TopicPartition partition : partitions) {
                PartitionWorker worker = workers.get(partition);
                if (!worker.ended()) {
                    worker.end();
                    reader.pause(Set.of(partition), true);
                    // The last fifth is left for the commit and the release themselves.
                    leavingUntil.put(partition, now + plan.revoke.toNanos() / 10 * 8);
                }
                if (worker.idle() || stopping) {
                    finished.add(partition);
                } else if (now - leavingUntil.getOrDefault(partition, now) > 0) {
                    LOG.log(
                            Level.WARNING,
                            "group {0}: the handler did not finish its record of {1} in time; the new owner"
                                    + " of the partition gets the record again",
                            plan.group,
                            partition);
                    finished.add(partition);
                }
            }
            if (!finished.isEmpty()) {
                finished.forEach(workers::remove);
                finished.forEach(leavingUntil::remove);
                plan.listener.revoked(generation, Collections.unmodifiableSortedSet(finished));
                noteAssignment();
            }
            return finished;
        }

        @Override
        public void lost(long generation, SortedSet<TopicPartition> partitions) {
            for (TopicPartition partition : partitions) {
                PartitionWorker worker = workers.remove(partition);
                leavingUntil.remove(partition);
                if (worker != null) {
                    worker.end();
                }
            }
            noteAssignment();
            plan.listener.lost(generation, Collections.unmodifiableSortedSet(partitions));
        }

        @Override
        public RuntimeException fenced(String why) {
            return new FencedMemberException(why);
        }

        private void noteAssignment() {
            assignment = new GroupAssignment(
                    reader.id() == null ? "" : reader.id().value(),
                    reader.member().generation(),
                    Collections.unmodifiableSortedSet(new TreeSet<>(workers.keySet())));
        }
    }

    private long busySince() {
        long longest = PartitionWorker.NOT_COUNTED;
        for (PartitionWorker worker : workers.values()) {
            long since = worker.busySince();
            if (since != PartitionWorker.NOT_COUNTED
                    && (longest == PartitionWorker.NOT_COUNTED || since - longest < 0)) {
                longest = since;
            }
        }
        return longest;
    }

    /** True if a call of the handler takes so long that this member is, or soon will be, out of the group. */
    private boolean isStuck() {
        long since = busySince();
        return since != PartitionWorker.NOT_COUNTED && System.nanoTime() - since >= plan.maxPollInterval.toNanos();
    }

    // The handler threads

    /** Processes one item after the other, on a virtual thread. */
    private final class ItemWork implements PartitionWorker.Work {
        @Override
        public void process(PartitionWorker worker, PartitionWorker.Item item) {
            Thread self = Thread.currentThread();
            handlerThreads.add(self);
            try {
                attempts.process(worker, item);
            } catch (InterruptedException e) {
                fail(e);
            } catch (RuntimeException | Error e) {
                fail(e);
            } finally {
                handlerThreads.remove(self);
            }
            if (worker.throttled() && worker.backlog() <= BACKLOG_MAX / 2) {
                reader.wakeup();
            }
        }

        @Override
        public void becameIdle(PartitionWorker worker) {
            synchronized (idleSignal) {
                idleSignal.notifyAll();
            }
            if (worker.ended()) {
                reader.nudge();
            }
        }
    }

    private void fail(Throwable e) {
        synchronized (this) {
            if (failure == null) {
                failure = e;
            } else if (failure != e) {
                failure.addSuppressed(e);
            }
        }
        stop();
    }

    private void stop() {
        stopping = true;
        workers.values().forEach(PartitionWorker::end);
        reader.wakeup();
    }

    // Methods for the application

    @Override
    public GroupAssignment assignment() {
        return assignment;
    }

    @Override
    public void join() throws InterruptedException {
        ended.await();
        throwFailure();
    }

    @Override
    public boolean join(Duration timeout) throws InterruptedException {
        boolean over = ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
        if (over) {
            throwFailure();
        }
        return over;
    }

    private void throwFailure() {
        switch (failure) {
            case null -> {}
            case MusterException e -> throw e;
            case Throwable e ->
                throw new MusterException("the consumer of group \"" + plan.group + "\" failed: " + e, null, e);
        }
    }

    @Override
    public void close() {
        stop();
        // If the queue was closed before the start, the poll thread still has to run: it makes the end.
        start();
        if (handlerThreads.contains(Thread.currentThread()) || Thread.currentThread() == pollThread) {
            // Called from a handler or a listener: the poll thread waits for it, so it cannot wait for the poll thread.
            return;
        }
        boolean interrupted = false;
        while (true) {
            try {
                ended.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
