package dev.muster.store;

import dev.muster.core.MusterException;
import dev.muster.core.TimestampWindow;

/** The time of a record is outside the window that its topic allows. The record was not buffered and not written. */
public final class RecordTimestampException extends MusterException {
    public RecordTimestampException(String topic, long timestamp, TimestampWindow window, long nowMs) {
        super(
                "a record's timestamp " + timestamp + " is outside the range that topic \"" + topic + "\" allows: "
                        + window.earliest(nowMs) + " to " + window.latest(nowMs),
                "check the clock that made the timestamp, or raise " + TimestampWindow.BEFORE_MAX + " or "
                        + TimestampWindow.AFTER_MAX + " of the topic");
    }
}
