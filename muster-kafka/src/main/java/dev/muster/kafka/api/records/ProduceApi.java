package dev.muster.kafka.api.records;

import dev.muster.core.MusterException;
import dev.muster.core.RecordTime;
import dev.muster.core.SyncLevel;
import dev.muster.core.TopicSettings;
import dev.muster.engine.partition.AppendResult;
import dev.muster.engine.partition.BatchCheck;
import dev.muster.engine.partition.PartitionSyncs;
import dev.muster.engine.partition.PartitionWriter;
import dev.muster.engine.partition.RefusedBatchException;
import dev.muster.kafka.api.Api;
import dev.muster.kafka.api.KafkaErrors;
import dev.muster.kafka.api.PendingResponse;
import dev.muster.kafka.api.Request;
import dev.muster.kafka.api.Response;
import dev.muster.kafka.api.Serves;
import dev.muster.store.PartitionLog;
import dev.muster.store.SyncFailedException;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.batch.EncodedBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Readable;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * Appends batches in the bytes they came in. {@code acks=all} is answered when the records are as safe as their topic
 * promises. {@code acks=1} is answered when they are written; their sync follows. {@code acks=0} has no response.
 */
@Serves(
        api = ApiKeys.PRODUCE,
        from = 3,
        to = 13,
        advertisedFrom = 0,
        without = "Versions 0 to 2 are announced, as Kafka does, because older clients look for them before they "
                + "compress; they are not served. Transactions are refused. timeout.ms is ignored. "
                + "While the disk is full the answer is KAFKA_STORAGE_ERROR, which clients retry until their "
                + "delivery timeout; commits and fetches continue.")
public final class ProduceApi extends Api<ProduceRequestData> {
    private static final short WITH_TOPIC_IDS = 13;
    private static final short ALL = -1;

    private final RecordServices services;
    private final BatchCheck check = new BatchCheck();

    public ProduceApi(RecordServices services) {
        this.services = services;
    }

    @Override
    public ProduceRequestData read(Readable bytes, short version) {
        return new ProduceRequestData(bytes, version);
    }

    @Override
    public PendingResponse begin(Request<ProduceRequestData> request) {
        ProduceRequestData body = request.body();
        ProduceResponseData response = new ProduceResponseData();
        List<Unsynced> unsynced = new ArrayList<>();
        Optional<Errors> refused = refusal(body);
        for (TopicProduceData topic : body.topicData()) {
            List<PartitionProduceResponse> partitions =
                    new ArrayList<>(topic.partitionData().size());
            for (PartitionProduceData data : topic.partitionData()) {
                PartitionProduceResponse result = new PartitionProduceResponse().setIndex(data.index());
                if (refused.isPresent()) {
                    fail(result, refused.get(), null);
                } else {
                    append(request, topic, data, result, unsynced);
                }
                partitions.add(result);
            }
            response.responses()
                    .add(new TopicProduceResponse()
                            .setName(topic.name())
                            .setTopicId(topic.topicId())
                            .setPartitionResponses(partitions));
        }
        if (body.acks() != ALL) {
            unsynced.forEach(
                    u -> services.flusher().sync(u.writer().log(), u.placed().endOffset()));
            return body.acks() == 0 ? PendingResponse.NOTHING : PendingResponse.of(response);
        }
        return unsynced.isEmpty()
                ? PendingResponse.of(response)
                : new WhenDurable(response, unsynced, services.syncs());
    }

    private static Optional<Errors> refusal(ProduceRequestData body) {
        if (body.acks() < ALL || body.acks() > 1) {
            return Optional.of(Errors.INVALID_REQUIRED_ACKS);
        }
        return body.transactionalId() != null ? Optional.of(Errors.INVALID_TXN_STATE) : Optional.empty();
    }

    private void append(
            Request<ProduceRequestData> request,
            TopicProduceData topic,
            PartitionProduceData data,
            PartitionProduceResponse result,
            List<Unsynced> unsynced) {
        boolean byId = request.version() >= WITH_TOPIC_IDS;
        try {
            PartitionLog log = byId
                    ? services.topics().log(topic.topicId(), data.index())
                    : services.topics().log(topic.name(), data.index());
            TopicSettings settings = log.topic().settings();
            if (data.records() == null) {
                throw new RefusedBatchException(RefusedBatchException.Reason.INVALID_RECORD, "there are no records");
            }
            EncodedBatch batch = check.check(
                    ((MemoryRecords) data.records()).buffer(),
                    request.version(),
                    settings,
                    services.clock().millis());
            PartitionWriter writer = services.writers().of(log);
            AppendResult placed = writer.append(batch);
            result.setBaseOffset(placed.baseOffset()).setLogStartOffset(log.startOffset());
            if (settings.recordTime() == RecordTime.LOG_APPEND) {
                result.setLogAppendTimeMs(placed.timestamp());
            }
            if (settings.sync() == SyncLevel.COMMIT) {
                unsynced.add(new Unsynced(writer, placed, result));
            }
            if (writer.wantsNote()) {
                services.flusher().keepNote(writer);
            }
        } catch (RefusedBatchException e) {
            fail(result, KafkaErrors.of(e.reason()), e.getMessage());
        } catch (TopicNotFoundException | TopicDeletedException e) {
            fail(result, byId ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION, null);
        } catch (MusterException e) {
            fail(result, KafkaErrors.of(e), e.getMessage());
        }
    }

    private static void fail(PartitionProduceResponse result, Errors error, String why) {
        result.setErrorCode(error.code()).setErrorMessage(why).setBaseOffset(-1).setLogStartOffset(-1);
    }

    /** A batch that is written and not yet durable. */
    private record Unsynced(PartitionWriter writer, AppendResult placed, PartitionProduceResponse result) {
        void await() {
            outcome(() -> writer.log().awaitDurable(placed.endOffset()));
        }

        /** @param wait throws the exceptions of {@link PartitionLog#awaitDurable} */
        void outcome(Runnable wait) {
            try {
                wait.run();
            } catch (SyncFailedException e) {
                writer.invalidate();
                fail(result, KafkaErrors.of(e), e.getMessage());
            } catch (MusterException e) {
                fail(result, KafkaErrors.of(e), e.getMessage());
            }
        }
    }

    /** A batch whose sync is in progress. */
    private record Syncing(Unsynced batch, CompletableFuture<Void> durable) {}

    /** Waits until all batches are durable. Requests that wait at the same time share a sync. */
    private static final class WhenDurable implements PendingResponse {
        private final ProduceResponseData response;
        private final Unsynced first;
        private final List<Syncing> others = new ArrayList<>();

        /** The waiting thread syncs the first batch itself. The syncs of the others begin at once. */
        WhenDurable(ProduceResponseData response, List<Unsynced> unsynced, PartitionSyncs syncs) {
            this.response = response;
            this.first = unsynced.getFirst();
            for (Unsynced other : unsynced.subList(1, unsynced.size())) {
                others.add(new Syncing(
                        other, syncs.sync(other.writer().log(), other.placed().endOffset())));
            }
        }

        @Override
        public Optional<Response> now() {
            return Optional.empty();
        }

        @Override
        public Response await() throws InterruptedException {
            first.await();
            for (Syncing other : others) {
                try {
                    other.durable().get();
                } catch (ExecutionException e) {
                    other.batch().outcome(() -> rethrow(e.getCause()));
                }
            }
            return new Response(response, () -> {});
        }

        private static void rethrow(Throwable cause) {
            switch (cause) {
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                default -> throw new IllegalStateException(cause);
            }
        }
    }
}
