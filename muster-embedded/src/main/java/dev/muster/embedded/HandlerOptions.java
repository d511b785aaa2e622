package dev.muster.embedded;

import java.time.Duration;

/**
 * How records are worked.
 *
 * @param orderByKey records with different keys of one partition may be worked at the same time; commits still follow
 *     in order
 * @param inFlightMax records of one partition that are worked at the same time when ordered by key
 * @param retries how often a record is tried again after its handler threw
 * @param backoff before the first retry; doubles with each, up to a minute
 * @param onFailure what to do after the last
 * @param deadLetterTopic where {@link OnFailure#DEAD_LETTER} puts the record, with headers that say what happened
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
}
