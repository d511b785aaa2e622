package dev.muster.testkit.unpleasant;

/** A promise of the contract that an {@link UnpleasantStore} breaks, so that a test can show that it would notice. */
public enum StoreMistake {
    /** An append with an unknown outcome is reported as one that had no effect. */
    UNKNOWN_REPORTED_AS_NO_EFFECT,
    /** Opening an appender does not settle earlier appends of the process. */
    LATE_BATCH_AFTER_OPENING,
    /** A conditional append is written at any offset. */
    CONDITION_IGNORED,
    /** The place is reported before the batch has it. */
    PLACE_REPORTED_EARLY,
    /** Appends of one appender overtake each other. */
    APPENDS_OVERTAKE,
    /** A renewal does not confirm versions and ends of other processes. */
    RENEWAL_CONFIRMS_NOTHING,
    /** A refresh returns the end that was known before. */
    REFRESH_IS_STALE,
    /** The end of a log falls. */
    END_FALLS,
    /** A line that is too long is cut. */
    LONG_LINE_CUT,
    /** A setting that cannot be applied is accepted. */
    SETTING_ACCEPTED
}
