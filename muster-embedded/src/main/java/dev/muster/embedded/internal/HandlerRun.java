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
import dev.muster.embedded.UndecodableRecordException;
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
 * Works the records of a group with a handler. One platform thread, the pump, polls and deals the records to the lanes
 * of their partitions; virtual threads work them; what is done is acknowledged, and committed in order.
 *
 * <p>A partition that has to be let go of is not fetched from any more, its waiting records are dropped, and what is in
 * hand is finished, while the pump goes on with the others. It leaves when that is done, or when most of the revoke
 * time is over.
 */
public final class HandlerRun<K, V> implements RunningConsumer {
    private static final System.Logger LOG = System.getLogger(HandlerRun.class.getName());

    private static final int BACKLOG_MAX = 500;
    private static final Duration BACKOFF_MAX = Duration.ofMinutes(1);
    private static final long POLL_NANOS = 1_000_000_000;
    private static final long NO_LEASE_WAIT_NANOS = 5_000_000;

    private final OpenMuster muster;
    private final RecordDecoding<K, V> decoding;
    private final ConsumerPlan plan;
    private final HandlerOptions options;
    private final int batchMax;
    private final BatchHandler<K, V> handler;
    private final GroupReader reader;
    private final DeadLetters deadLetters;
    private final Thread pump;
    private final Map<TopicPartition, PartitionWorker> lanes = new ConcurrentHashMap<>();
    private final Set<Thread> workers = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean started = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);
    /** Told of every worker that rests. */
    private final Object rest = new Object();

    private volatile GroupAssignment assignment = new GroupAssignment("", 0, Collections.emptySortedSet());
    private volatile boolean stopping;
    private volatile Throwable failure;

    /** When the revoke of a partition that has to go must be over. Of the pump. */
    private final Map<TopicPartition, Long> leavingUntil = new HashMap<>();

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
        this.decoding = new RecordDecoding<>(keys, values);
        this.plan = plan;
        this.options = options;
        this.batchMax = batchMax;
        this.handler = handler;
        this.deadLetters = options.onFailure() == OnFailure.DEAD_LETTER
                ? DeadLetters.open(muster, plan, options.deadLetterTopic())
                : null;
        this.reader = new GroupReader(service, plan.memberOptions(), plan.policy(), new Hooks());
        this.pump =
                Thread.ofPlatform().daemon().name("muster-run-" + plan.group).unstarted(this::pump);
        reader.member().idleSince(this::busySince);
    }

    void start() {
        if (started.compareAndSet(false, true)) {
            pump.start();
        }
    }

    // The pump

    private void pump() {
        try {
            while (!stopping) {
                if (isStuck()) {
                    // Coming back before the handler is done would work its partition twice at the same time.
                    awaitWorker(NO_LEASE_WAIT_NANOS);
                    continue;
                }
                resumeLanes();
                Dealing records = new Dealing();
                reader.poll(plan.recordsMax, pollNanos(), records);
                records.deal();
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

    /** Takes raw records; they are decoded by whoever works them, so that one that cannot be is his trouble alone. */
    private final class Dealing implements GroupSink {
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

        void deal() {
            Set<PartitionWorker> dealtTo = new HashSet<>();
            for (Received<byte[], byte[]> record : records) {
                PartitionWorker lane = lanes.get(record.topicPartition());
                lane.add(orderKey(record), record);
                dealtTo.add(lane);
            }
            for (PartitionWorker lane : dealtTo) {
                if (lane.backlog() >= BACKLOG_MAX) {
                    reader.pause(Set.of(lane.partition()), true);
                    lane.throttle(true);
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

    private void resumeLanes() {
        for (TopicPartition partition : reader.paused()) {
            PartitionWorker lane = lanes.get(partition);
            if (lane != null && !lane.ended() && lane.backlog() <= BACKLOG_MAX / 2) {
                lane.throttle(false);
                reader.pause(Set.of(partition), false);
            }
        }
    }

    private void end() {
        stopping = true;
        try {
            lanes.values().forEach(PartitionWorker::end);
            awaitWorkers(Math.min(plan.revoke.toNanos(), plan.session.toNanos()));
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

    private void awaitWorkers(long nanos) {
        long end = System.nanoTime() + nanos;
        while (lanes.values().stream().anyMatch(lane -> !lane.idle()) && System.nanoTime() - end < 0) {
            awaitWorker(100_000_000);
        }
    }

    /** Waits until a worker rests, or so long. */
    private void awaitWorker(long nanos) {
        synchronized (rest) {
            if (lanes.values().stream().allMatch(PartitionWorker::idle)) {
                return;
            }
            try {
                rest.wait(Math.max(1, nanos / 1_000_000));
            } catch (InterruptedException e) {
                // The pump is ours: nobody has a reason to interrupt it.
                LOG.log(Level.DEBUG, "interrupted", e);
            }
        }
    }

    /** Partitions that come and go, on the pump. */
    private final class Hooks implements GroupHooks {
        @Override
        public void assigned(long generation, SortedSet<TopicPartition> partitions) {
            int inFlight = options.orderByKey() ? options.inFlightMax() : 1;
            for (TopicPartition partition : partitions) {
                lanes.put(
                        partition,
                        new PartitionWorker(
                                partition, reader.commits().heldSince(partition), inFlight, batchMax, new Worker()));
            }
            noteAssignment();
            plan.listener.assigned(generation, Collections.unmodifiableSortedSet(partitions));
        }

        @Override
        public SortedSet<TopicPartition> revoked(long generation, SortedSet<TopicPartition> partitions) {
            long now = System.nanoTime();
            SortedSet<TopicPartition> finished = new TreeSet<>();
            for (TopicPartition partition : partitions) {
                PartitionWorker lane = lanes.get(partition);
                if (!lane.ended()) {
                    lane.end();
                    reader.pause(Set.of(partition), true);
                    // The rest is for the commit and the release themselves.
                    leavingUntil.put(partition, now + plan.revoke.toNanos() / 10 * 8);
                }
                if (lane.idle() || stopping) {
                    finished.add(partition);
                } else if (now - leavingUntil.getOrDefault(partition, now) > 0) {
                    LOG.log(
                            Level.WARNING,
                            "group {0}: the handler does not finish its record of {1} in time, its new owner gets it"
                                    + " again",
                            plan.group,
                            partition);
                    finished.add(partition);
                }
            }
            if (!finished.isEmpty()) {
                finished.forEach(lanes::remove);
                finished.forEach(leavingUntil::remove);
                plan.listener.revoked(generation, Collections.unmodifiableSortedSet(finished));
                noteAssignment();
            }
            return finished;
        }

        @Override
        public void lost(long generation, SortedSet<TopicPartition> partitions) {
            for (TopicPartition partition : partitions) {
                PartitionWorker lane = lanes.remove(partition);
                leavingUntil.remove(partition);
                if (lane != null) {
                    lane.end();
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
                    Collections.unmodifiableSortedSet(new TreeSet<>(lanes.keySet())));
        }
    }

    private long busySince() {
        long longest = PartitionWorker.NOT_COUNTED;
        for (PartitionWorker lane : lanes.values()) {
            long since = lane.busySince();
            if (since != PartitionWorker.NOT_COUNTED
                    && (longest == PartitionWorker.NOT_COUNTED || since - longest < 0)) {
                longest = since;
            }
        }
        return longest;
    }

    /** Whether a handler has been busy for so long that this member is, or will be, out of the group. */
    private boolean isStuck() {
        long since = busySince();
        return since != PartitionWorker.NOT_COUNTED && System.nanoTime() - since >= plan.maxPollInterval.toNanos();
    }

    // The workers

    /**
     * One call of the handler.
     *
     * @param count number of records it was for
     * @param problem the exception of the handler or of a codec; null if there was none
     */
    private record Attempt(int count, Throwable problem) {}

    /** Works one item after the other, on a virtual thread. */
    private final class Worker implements PartitionWorker.Work {
        @Override
        public void on(PartitionWorker lane, PartitionWorker.Item item) {
            Thread self = Thread.currentThread();
            workers.add(self);
            try {
                work(lane, item);
            } catch (InterruptedException e) {
                fail(e);
            } catch (RuntimeException | Error e) {
                fail(e);
            } finally {
                workers.remove(self);
            }
            if (lane.throttled() && lane.backlog() <= BACKLOG_MAX / 2) {
                reader.wakeup();
            }
        }

        private void work(PartitionWorker lane, PartitionWorker.Item item) throws InterruptedException {
            List<Received<byte[], byte[]>> left = item.records();
            while (!left.isEmpty()) {
                int finished = workFirst(lane, item, left);
                if (finished == 0) {
                    return;
                }
                left = left.subList(finished, left.size());
            }
        }

        /**
         * Works as many records from the front as can be decoded, or gives up the first one if it cannot.
         *
         * @return number of records that are finished; 0 if the others are not to be worked here
         */
        private int workFirst(PartitionWorker lane, PartitionWorker.Item item, List<Received<byte[], byte[]>> records)
                throws InterruptedException {
            Duration backoff = options.backoff();
            for (int attempt = 1; ; attempt++) {
                if (!mayWork(lane)) {
                    return 0;
                }
                Attempt made = attempt(lane, item, records);
                List<Received<byte[], byte[]>> batch = records.subList(0, made.count());
                if (made.problem() == null) {
                    batch.forEach(record -> reader.commits().acknowledge(lane.partition(), record.offset()));
                    return batch.size();
                }
                boolean hopeless = made.problem() instanceof UndecodableRecordException;
                if (attempt > options.retries() || hopeless) {
                    giveUp(lane, batch, made.problem(), attempt);
                    return batch.size();
                }
                if (!lane.pause(backoff.toNanos())) {
                    // It was not processed: the next owner of the partition gets it.
                    return 0;
                }
                backoff = backoff.multipliedBy(2).compareTo(BACKOFF_MAX) < 0 ? backoff.multipliedBy(2) : BACKOFF_MAX;
            }
        }

        /** Looks right before the handler is called: the record may be somebody else's since it was fetched. */
        private boolean mayWork(PartitionWorker lane) throws InterruptedException {
            while (!lane.ended()) {
                if (reader.member().mayWork(lane.partition(), lane.since())) {
                    return true;
                }
                reader.nudge();
                lane.pause(NO_LEASE_WAIT_NANOS);
            }
            return false;
        }

        /** Calls the handler with the records before the first one that cannot be decoded. */
        @SuppressWarnings("InterruptedExceptionSwallowed") // an interrupt of the handler's is one of its failures
        private Attempt attempt(
                PartitionWorker lane, PartitionWorker.Item item, List<Received<byte[], byte[]>> records) {
            lane.busySince(item, System.nanoTime());
            List<Received<K, V>> decoded = new ArrayList<>(records.size());
            try {
                for (Received<byte[], byte[]> record : records) {
                    try {
                        decoded.add(decoding.received(record));
                    } catch (UndecodableRecordException e) {
                        if (decoded.isEmpty()) {
                            return new Attempt(1, e);
                        }
                        break;
                    }
                }
                handler.handle(Collections.unmodifiableList(decoded));
                return new Attempt(decoded.size(), null);
            } catch (Throwable e) {
                return new Attempt(Math.max(1, decoded.size()), e);
            } finally {
                lane.busySince(item, PartitionWorker.NOT_COUNTED);
            }
        }

        private void giveUp(
                PartitionWorker lane, List<Received<byte[], byte[]>> batch, Throwable problem, int attempts) {
            String place = lane.partition() + "@" + batch.getFirst().offset()
                    + (batch.size() == 1 ? "" : " to " + batch.getLast().offset());
            switch (options.onFailure()) {
                case STOP ->
                    fail(new MusterException(
                            "the handler failed at " + place + ", " + attempts + " times: " + problem,
                            "the group goes on at this record; see the cause, or choose skip or a dead-letter topic",
                            problem));
                case SKIP -> {
                    LOG.log(Level.WARNING, "group " + plan.group + ": " + place + " is skipped", problem);
                    batch.forEach(record -> reader.commits().acknowledge(lane.partition(), record.offset()));
                }
                case DEAD_LETTER -> {
                    for (Received<byte[], byte[]> record : batch) {
                        // Durable there before it counts as done here.
                        deadLetters.send(record, problem, attempts);
                        reader.commits().acknowledge(lane.partition(), record.offset());
                    }
                }
            }
        }

        @Override
        public void rests(PartitionWorker lane) {
            synchronized (rest) {
                rest.notifyAll();
            }
            if (lane.ended()) {
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
        lanes.values().forEach(PartitionWorker::end);
        reader.wakeup();
    }

    // The user's side

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
        // What was never started has an end too: the queue was closed meanwhile.
        start();
        if (workers.contains(Thread.currentThread()) || Thread.currentThread() == pump) {
            // From a handler or a listener: the pump waits for it, so it cannot wait for the pump.
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
