package dev.muster.embedded;

import dev.muster.core.TopicName;
import java.time.Duration;
import java.util.Objects;

/**
 * How a handler is called, and what happens to records that it fails at. Every instance is valid.
 *
 * <pre>{@code
 * HandlerOptions.DEFAULT.withRetries(5, Duration.ofSeconds(1)).withDeadLetters("orders-failed")
 * }</pre>
 *
 * @param orderByKey true if records of one partition with different keys may be processed at the same time, and records
 *     without a key in any order; commits still follow the order of the partition
 * @param inFlightMax most records of one partition that are processed at the same time when ordered by key
 * @param retries number of times that a record is tried again after its handler threw
 * @param backoff pause before the first retry; it doubles with each retry, up to a minute
 * @param onFailure what happens to a record after the last retry
 * @param deadLetterTopic topic to which {@link OnFailure#DEAD_LETTER} copies the record byte for byte, with headers
 *     that describe the failure; a missing topic is created when the handler starts, with one partition and without
 *     retention
 */
public record HandlerOptions(
        boolean orderByKey,
        int inFlightMax,
        int retries,
        Duration backoff,
        OnFailure onFailure,
        String deadLetterTopic) {
    public static final HandlerOptions DEFAULT =
            new HandlerOptions(false, 16, 3, Duration.ofMillis(100), OnFailure.STOP, "");

    /** What happens to a record after the last retry. */
    public enum OnFailure {
        /** The consumer stops; records processed before are committed. The default, because nothing is lost. */
        STOP,
        /** The record is skipped, with a warning in the log. */
        SKIP,
        /** The record is copied to another topic. The copy is durable before the offset is committed. */
        DEAD_LETTER
    }

    public HandlerOptions {
        Objects.requireNonNull(onFailure, "onFailure");
        if (inFlightMax < 1) {
            throw new IllegalArgumentException("inFlightMax must be at least 1: " + inFlightMax);
        }
        if (retries < 0) {
            throw new IllegalArgumentException("retries must not be negative: " + retries);
        }
        if (backoff.isNegative()) {
            throw new IllegalArgumentException("backoff must not be negative: " + backoff);
        }
        if (onFailure == OnFailure.DEAD_LETTER) {
            deadLetterTopic = new TopicName(deadLetterTopic).value();
        }
    }

    /** Orders by key: see {@link #orderByKey} and {@link #inFlightMax}. */
    public HandlerOptions withOrderByKey(int inFlight) {
        return new HandlerOptions(true, inFlight, retries, backoff, onFailure, deadLetterTopic);
    }

    /** Sets {@link #retries} and {@link #backoff}. */
    public HandlerOptions withRetries(int count, Duration firstBackoff) {
        return new HandlerOptions(orderByKey, inFlightMax, count, firstBackoff, onFailure, deadLetterTopic);
    }

    /** Skips a record that has failed after the last retry. */
    public HandlerOptions withSkip() {
        return new HandlerOptions(orderByKey, inFlightMax, retries, backoff, OnFailure.SKIP, "");
    }

    /** Copies a record that has failed after the last retry to this topic. */
    public HandlerOptions withDeadLetters(String topic) {
        return new HandlerOptions(orderByKey, inFlightMax, retries, backoff, OnFailure.DEAD_LETTER, topic);
    }
}
