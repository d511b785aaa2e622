package dev.muster.kafka.api;

import dev.muster.core.CompressionUnavailableException;
import dev.muster.core.InvalidNameException;
import dev.muster.core.MusterException;
import dev.muster.engine.partition.RefusedBatchException;
import dev.muster.store.AppendConflictException;
import dev.muster.store.AppendOutcomeUnknownException;
import dev.muster.store.DamagedLogException;
import dev.muster.store.DiskFullException;
import dev.muster.store.FencedException;
import dev.muster.store.NotOwnerException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.RecordTooLargeException;
import dev.muster.store.StoreClosedException;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicExistsException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.UnsupportedSettingException;
import dev.muster.store.batch.InvalidBatchException;
import dev.muster.store.group.DamagedGroupException;
import dev.muster.store.group.LineTooLongException;
import org.apache.kafka.common.protocol.Errors;

/** The error codes of failures. Failures that the operator must know are logged here. */
public final class KafkaErrors {
    /** Clients do not repeat a request after this error; they report it to the application. */
    public static final Errors DAMAGED_GROUP = Errors.UNKNOWN_SERVER_ERROR;

    private KafkaErrors() {}

    /** The error of a damaged group, which is logged too. */
    public static Errors of(DamagedGroupException damage) {
        RequestLog.damaged(damage);
        return DAMAGED_GROUP;
    }

    /** The error of a batch that is refused. */
    public static Errors of(RefusedBatchException.Reason reason) {
        return switch (reason) {
            case CORRUPT -> Errors.CORRUPT_MESSAGE;
            case INVALID_RECORD -> Errors.INVALID_RECORD;
            case INVALID_TIMESTAMP -> Errors.INVALID_TIMESTAMP;
            case TOO_LARGE -> Errors.MESSAGE_TOO_LARGE;
            case UNSUPPORTED_COMPRESSION -> Errors.UNSUPPORTED_COMPRESSION_TYPE;
            case TRANSACTIONAL -> Errors.INVALID_TXN_STATE;
            case OUT_OF_ORDER_SEQUENCE -> Errors.OUT_OF_ORDER_SEQUENCE_NUMBER;
            case OLD_PRODUCER_EPOCH -> Errors.INVALID_PRODUCER_EPOCH;
            case CONNECTION_CLOSED -> Errors.NETWORK_EXCEPTION;
        };
    }

    /** The error of any failure. */
    public static Errors of(RuntimeException failure) {
        return switch (failure) {
            case TopicNotFoundException _ -> Errors.UNKNOWN_TOPIC_OR_PARTITION;
            case TopicDeletedException _ -> Errors.UNKNOWN_TOPIC_OR_PARTITION;
            case TopicExistsException _ -> Errors.TOPIC_ALREADY_EXISTS;
            case InvalidNameException _ -> Errors.INVALID_TOPIC_EXCEPTION;
            case RecordTooLargeException _ -> Errors.MESSAGE_TOO_LARGE;
            case OffsetOutOfRangeException _ -> Errors.OFFSET_OUT_OF_RANGE;
            case InvalidBatchException _ -> Errors.CORRUPT_MESSAGE;
            case NotOwnerException _ -> Errors.NOT_LEADER_OR_FOLLOWER;
            case FencedException _ -> Errors.NOT_LEADER_OR_FOLLOWER;
            case AppendConflictException _ -> Errors.NOT_LEADER_OR_FOLLOWER;
            case StoreClosedException _ -> Errors.NOT_LEADER_OR_FOLLOWER;
            // Clients repeat the batch. A server recognises a repeated batch of an idempotent client.
            case AppendOutcomeUnknownException _ -> Errors.REQUEST_TIMED_OUT;
            case UnsupportedSettingException _ -> Errors.INVALID_CONFIG;
            case LineTooLongException e -> logged(e, Errors.INVALID_REQUEST);
            // Clients retry it. The store itself logs that the disk is full.
            case DiskFullException _ -> Errors.KAFKA_STORAGE_ERROR;
            case DamagedLogException e -> logged(e, Errors.CORRUPT_MESSAGE);
            case DamagedGroupException e -> of(e);
            case CompressionUnavailableException e -> logged(e, Errors.UNSUPPORTED_COMPRESSION_TYPE);
            case MusterException e -> logged(e, Errors.KAFKA_STORAGE_ERROR);
            default -> {
                RequestLog.defect(failure);
                yield Errors.UNKNOWN_SERVER_ERROR;
            }
        };
    }

    private static Errors logged(MusterException failure, Errors error) {
        RequestLog.failed(
                System.Logger.Level.WARNING,
                "failed requests (" + error + ")",
                failure.getMessage() + ": clients get " + error);
        return error;
    }
}
