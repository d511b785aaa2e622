package dev.muster.kafka.api.records;

import dev.muster.core.MusterException;
import dev.muster.kafka.api.KafkaErrors;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Response;
import dev.muster.store.PartitionLog;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.read.BatchRegion;
import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;
import dev.muster.store.watch.Registration;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** One fetch request, and its wait for records. For one thread at a time. */
final class PendingFetch implements PendingResponse {
    private static final System.Logger LOG = System.getLogger(PendingFetch.class.getName());
    /** Wake-ups are hints, so a waiting fetch also looks again after this time. */
    private static final long LOOK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final RecordServices services;
    private final boolean byId;
    private final FetchScope scope;
    private final long deadlineNanos;
    private final int bytesMin;
    private final int bytesMax;

    PendingFetch(RecordServices services, boolean byId, FetchScope scope, int waitMs, int bytesMin, int bytesMax) {
        this.services = services;
        this.byId = byId;
        this.scope = scope;
        this.deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMs);
        this.bytesMin = bytesMin;
        this.bytesMax = bytesMax;
    }

    @Override
    public Optional<Response> now() {
        return gather(System.nanoTime() >= deadlineNanos).map(this::reply);
    }

    @Override
    public Response await() throws InterruptedException {
        Optional<Gathered> gathered = gather(false);
        if (gathered.isPresent()) {
            return reply(gathered.get());
        }
        Semaphore appended = new Semaphore(0);
        try (Registration _ = services.arrivals().await(logs(), appended::release)) {
            while (true) {
                // Look again first: records may have come before the subscription.
                long left = deadlineNanos - System.nanoTime();
                gathered = gather(left <= 0 || services.isClosing());
                if (gathered.isPresent()) {
                    return reply(gathered.get());
                }
                if (appended.tryAcquire(Math.min(left, LOOK_AGAIN_NANOS), TimeUnit.NANOSECONDS)) {
                    appended.drainPermits();
                }
            }
        } catch (MusterException e) {
            // A topic was deleted meanwhile. The read reports that error for its partitions.
            return reply(gather(true).orElseThrow());
        }
    }

    private List<PartitionLog> logs() {
        List<PartitionLog> logs = new ArrayList<>();
        for (PartitionFetch each : scope.wanted()) {
            logs.add(log(each));
        }
        return logs;
    }

    private PartitionLog log(PartitionFetch each) {
        PartitionFetch.Key key = each.key();
        return byId
                ? services.topics().log(key.topicId(), key.partition())
                : services.topics().log(key.topic(), key.partition());
    }

    /**
     * Reads the records that are there.
     *
     * @param enough true to send even an empty result
     * @return the records; empty if there are too few and there is no error to report
     */
    private Optional<Gathered> gather(boolean enough) {
        if (!enough && bytesMin > 0 && nothingThere()) {
            return Optional.empty();
        }
        Gathered gathered = new Gathered(services.responses());
        boolean isToBeSent = false;
        try {
            isToBeSent = fill(gathered) || enough;
            return isToBeSent ? Optional.of(gathered) : Optional.empty();
        } finally {
            if (!isToBeSent) {
                gathered.release();
            }
        }
    }

    /** True if there are as many bytes as the client waits for, or an error to report. */
    private boolean fill(Gathered gathered) {
        int size = 0;
        boolean failed = false;
        for (PartitionFetch each : scope.wanted()) {
            PartitionData data = gathered.add(each.key());
            try {
                size += read(each, data, bytesMax - size, size > 0, gathered);
            } catch (TopicNotFoundException | TopicDeletedException e) {
                data.setErrorCode((byId ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION).code());
            } catch (MusterException e) {
                data.setErrorCode(KafkaErrors.of(e).code());
            }
            failed |= data.errorCode() != Errors.NONE.code();
        }
        return failed || size >= bytesMin;
    }

    /** A cheap look: true if no partition has a new record or an error. */
    private boolean nothingThere() {
        try {
            for (PartitionFetch each : scope.wanted()) {
                PartitionLog log = log(each);
                boolean atEnd = log.endOffset() == each.offset();
                if (!atEnd || LeaderEpochs.check(log, each.leaderEpoch()) != Errors.NONE) {
                    return false;
                }
            }
            return true;
        } catch (MusterException e) {
            return false;
        }
    }

    /** @return the number of bytes read; at least one batch if this is the first partition that has one */
    private int read(PartitionFetch each, PartitionData data, int left, boolean notFirst, Gathered gathered) {
        PartitionLog log = log(each);
        Errors wrongEpoch = LeaderEpochs.check(log, each.leaderEpoch());
        if (wrongEpoch != Errors.NONE) {
            data.setErrorCode(wrongEpoch.code());
            return 0;
        }
        long end = log.endOffset();
        data.setHighWatermark(end).setLastStableOffset(end).setLogStartOffset(log.startOffset());
        if (each.offset() == end || notFirst && left <= 0) {
            return 0;
        }
        LogReader reader = services.readers().take(log, each.offset());
        boolean mayGoOn = false;
        try {
            int wanted = Math.max(0, Math.min(left, each.bytesMax()));
            BatchRegion batches = reader.readRegion(wanted);
            if (batches.length() > left && notFirst) {
                return 0;
            }
            Optional<BaseRecords> held = gathered.hold(batches, !notFirst, () -> {
                reader.seek(each.offset());
                return reader.read(wanted);
            });
            if (held.isEmpty()) {
                return 0;
            }
            data.setRecords(held.get());
            mayGoOn = true;
            return held.get().sizeInBytes();
        } finally {
            if (mayGoOn) {
                services.readers().giveBack(log, reader);
            } else {
                services.readers().drop(reader);
            }
        }
    }

    private Response reply(Gathered gathered) {
        FetchResponseData response = new FetchResponseData().setSessionId(scope.sessionId());
        List<FetchableTopicResponse> topics = response.responses();
        PartitionFetch.Key last = null;
        for (Filled filled : gathered.filled()) {
            PartitionFetch.Key key = filled.key();
            if (!scope.tells(key, filled.data())) {
                continue;
            }
            if (last == null
                    || !last.topic().equals(key.topic())
                    || !last.topicId().equals(key.topicId())) {
                topics.add(new FetchableTopicResponse().setTopic(key.topic()).setTopicId(key.topicId()));
                last = key;
            }
            topics.getLast().partitions().add(filled.data());
        }
        return new Response(response, gathered::release);
    }

    /** The response for one partition. */
    private record Filled(PartitionFetch.Key key, PartitionData data) {}

    /** The records that were read, and the memory and files that hold them until they are sent. */
    private static final class Gathered {
        private final ResponseBudget budget;
        private final List<Filled> filled = new ArrayList<>();
        /** The files whose records are to be sent. */
        private final List<BatchRegion.Source> open = new ArrayList<>();

        private long taken;

        Gathered(ResponseBudget budget) {
            this.budget = budget;
        }

        List<Filled> filled() {
            return filled;
        }

        /** Adds a partition, to be filled in. */
        PartitionData add(PartitionFetch.Key key) {
            PartitionData data = new PartitionData()
                    .setPartitionIndex(key.partition())
                    .setHighWatermark(-1)
                    .setRecords(MemoryRecords.EMPTY);
            filled.add(new Filled(key, data));
            return data;
        }

        /**
         * Keeps records until they are sent: a few in memory, many in their file.
         *
         * @param must true if the response would be empty without them
         * @param copy reads the same again if a file cannot be opened; it reports the cause, or is all there is
         * @return empty if there is no memory left for them
         */
        Optional<BaseRecords> hold(BatchRegion batches, boolean must, Supplier<LogSlice> copy) {
            return switch (batches) {
                case BatchRegion.InFile file ->
                    open(file).or(() -> keep(copy.get().bytes(), must));
                case BatchRegion.InMemory(ByteBuffer bytes, Optional<BatchRegion.InFile> place) ->
                    keep(bytes, false)
                            .or(() -> must ? place.flatMap(this::open) : Optional.empty())
                            .or(() -> keep(bytes, must));
            };
        }

        private Optional<BaseRecords> open(BatchRegion.InFile file) {
            if (!budget.tryOpen()) {
                return Optional.empty();
            }
            try {
                BatchRegion.Source source = file.open();
                open.add(source);
                return Optional.of(new FileRecords(source, file.length()));
            } catch (IOException e) {
                budget.closed(1);
                // Most likely retention deleted the file a moment ago.
                LOG.log(System.Logger.Level.DEBUG, "sending a copy: {0}", e.getMessage());
                return Optional.empty();
            }
        }

        private Optional<BaseRecords> keep(ByteBuffer bytes, boolean must) {
            return take(bytes.remaining()) || must ? Optional.of(copy(bytes)) : Optional.empty();
        }

        private boolean take(int bytes) {
            boolean got = budget.tryTake(bytes);
            taken += got ? bytes : 0;
            return got;
        }

        private static BaseRecords copy(ByteBuffer bytes) {
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(bytes.position(), copy);
            return MemoryRecords.readableRecords(ByteBuffer.wrap(copy));
        }

        void release() {
            try {
                open.forEach(BatchRegion.Source::close);
            } finally {
                budget.closed(open.size());
                budget.giveBack(taken);
            }
        }
    }
}
