package dev.muster.embedded.internal;

import dev.muster.core.MusterException;
import dev.muster.embedded.BatchHandler;
import dev.muster.embedded.HandlerOptions;
import dev.muster.embedded.Received;
import dev.muster.embedded.UndecodableRecordException;
import dev.muster.engine.group.member.GroupReader;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/**
 * Calls the handler for an item, retries after a failure, and after the last retry does what the options say. Finished
 * records are acknowledged here. Called by the virtual threads of all {@link PartitionWorker workers} at once.
 */
final class HandlerAttempts<K, V> {
    private static final System.Logger LOG = System.getLogger(HandlerAttempts.class.getName());

    private static final Duration BACKOFF_MAX = Duration.ofMinutes(1);
    private static final long NO_LEASE_WAIT_NANOS = 5_000_000;

    private final String group;
    private final RecordDecoding<K, V> decoding;
    private final HandlerOptions options;
    private final BatchHandler<K, V> handler;
    private final GroupReader reader;
    private final DeadLetters deadLetters;
    private final Consumer<Throwable> stopWith;

    /**
     * @param deadLetters topic for records that failed to the end; null unless the options choose one
     * @param stopWith ends the run with a failure
     */
    HandlerAttempts(
            String group,
            RecordDecoding<K, V> decoding,
            HandlerOptions options,
            BatchHandler<K, V> handler,
            GroupReader reader,
            DeadLetters deadLetters,
            Consumer<Throwable> stopWith) {
        this.group = group;
        this.decoding = decoding;
        this.options = options;
        this.handler = handler;
        this.reader = reader;
        this.deadLetters = deadLetters;
        this.stopWith = stopWith;
    }

    /**
     * One call of the handler.
     *
     * @param count number of records in the call
     * @param problem exception of the handler or of a codec; null if there was none
     */
    private record Attempt(int count, Throwable problem) {}

    /** Processes all records of an item, or stops when this member may not process its partition any more. */
    void process(PartitionWorker worker, PartitionWorker.Item item) throws InterruptedException {
        List<Received<byte[], byte[]>> left = item.records();
        while (!left.isEmpty()) {
            int finished = processFirst(worker, item, left);
            if (finished == 0) {
                return;
            }
            left = left.subList(finished, left.size());
        }
    }

    /**
     * Processes all records before the first undecodable one. If no record is before it, gives the undecodable one up.
     *
     * @return number of finished records; 0 if the remaining ones must not be processed here
     */
    private int processFirst(PartitionWorker worker, PartitionWorker.Item item, List<Received<byte[], byte[]>> records)
            throws InterruptedException {
        Duration backoff = options.backoff();
        for (int attempt = 1; ; attempt++) {
            if (!mayProcess(worker)) {
                return 0;
            }
            Attempt made = attempt(worker, item, records);
            List<Received<byte[], byte[]>> batch = records.subList(0, made.count());
            if (made.problem() == null) {
                batch.forEach(record -> reader.commits().acknowledge(worker.partition(), record.offset()));
                return batch.size();
            }
            boolean hopeless = made.problem() instanceof UndecodableRecordException;
            if (attempt > options.retries() || hopeless) {
                giveUp(worker, batch, made.problem(), attempt);
                return batch.size();
            }
            if (!worker.pause(backoff.toNanos())) {
                // The records are not processed: the next owner of the partition gets them.
                return 0;
            }
            backoff = backoff.multipliedBy(2).compareTo(BACKOFF_MAX) < 0 ? backoff.multipliedBy(2) : BACKOFF_MAX;
        }
    }

    /**
     * Checks the ownership right before the handler is called: the partition may have another owner since the record
     * was fetched. Waits while the lease of this process is in doubt.
     */
    private boolean mayProcess(PartitionWorker worker) throws InterruptedException {
        while (!worker.ended()) {
            if (reader.member().mayWork(worker.partition(), worker.since())) {
                return true;
            }
            reader.nudge();
            worker.pause(NO_LEASE_WAIT_NANOS);
        }
        return false;
    }

    /** Calls the handler with the records before the first undecodable one. */
    @SuppressWarnings("InterruptedExceptionSwallowed") // an interrupt inside the handler is a failure of the handler
    private Attempt attempt(PartitionWorker worker, PartitionWorker.Item item, List<Received<byte[], byte[]>> records) {
        worker.busySince(item, System.nanoTime());
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
            worker.busySince(item, PartitionWorker.NOT_COUNTED);
        }
    }

    private void giveUp(PartitionWorker worker, List<Received<byte[], byte[]>> batch, Throwable problem, int attempts) {
        String place = worker.partition() + "@" + batch.getFirst().offset()
                + (batch.size() == 1 ? "" : " to " + batch.getLast().offset());
        switch (options.onFailure()) {
            case STOP ->
                stopWith.accept(new MusterException(
                        "the handler failed at " + place + ", " + attempts + " times: " + problem,
                        "the group continues at this record; see the cause, or choose skip or a dead-letter topic",
                        problem));
            case SKIP -> {
                LOG.log(Level.WARNING, "group " + group + ": " + place + " is skipped", problem);
                batch.forEach(record -> reader.commits().acknowledge(worker.partition(), record.offset()));
            }
            case DEAD_LETTER -> {
                for (Received<byte[], byte[]> record : batch) {
                    // The dead letter is durable before its record is acknowledged.
                    deadLetters.send(record, problem, attempts);
                    reader.commits().acknowledge(worker.partition(), record.offset());
                }
            }
        }
    }
}
