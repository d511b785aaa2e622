package dev.muster.embedded;

import dev.muster.core.TopicName;
import java.time.Duration;
import java.util.Objects;

/**
 * How records are worked. A value that cannot be wrong.
 *
 * <pre>{@code
 * HandlerOptions.DEFAULT.withRetries(5, Duration.ofSeconds(1)).withDeadLetters("orders-failed")
 * }</pre>
 *
 * @param orderByKey records with different keys of one partition may be worked at the same time, and records without a
 *     key in any order; commits still follow in order
 * @param inFlightMax records of one partition that are worked at the same time when ordered by key
 * @param retries how often a record is tried again after its handler threw
 * @param backoff before the first retry; doubles with each, up to a minute
 * @param onFailure what to do after the last
 * @param deadLetterTopic where {@link OnFailure#DEAD_LETTER} puts the record, byte for byte, with headers that say what
 *     happened; a missing topic is made when the handler starts, with one partition and without retention
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

    /** After the last retry. */
    public enum OnFailure {
        /** Everything stops; what was done before is committed. The default: nothing is lost. */
        STOP,
        /** The record is left out, with a line in the log. */
        SKIP,
        /** The record goes to another topic, durably, before its offset is committed. */
        DEAD_LETTER
    }

    public HandlerOptions {
        Objects.requireNonNull(onFailure, "onFailure");
        if (inFlightMax < 1) {
            throw new IllegalArgumentException("inFlightMax must be at least 1, it is " + inFlightMax);
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

    /** As {@link #orderByKey} and {@link #inFlightMax} say. */
    public HandlerOptions withOrderByKey(int inFlight) {
        return new HandlerOptions(true, inFlight, retries, backoff, onFailure, deadLetterTopic);
    }

    public HandlerOptions withRetries(int count, Duration firstBackoff) {
        return new HandlerOptions(orderByKey, inFlightMax, count, firstBackoff, onFailure, deadLetterTopic);
    }

    /** A record that fails to the end is left out. */
    public HandlerOptions withSkip() {
        return new HandlerOptions(orderByKey, inFlightMax, retries, backoff, OnFailure.SKIP, "");
    }

    /** A record that fails to the end goes to this topic. */
    public HandlerOptions withDeadLetters(String topic) {
        return new HandlerOptions(orderByKey, inFlightMax, retries, backoff, OnFailure.DEAD_LETTER, topic);
    }
}
