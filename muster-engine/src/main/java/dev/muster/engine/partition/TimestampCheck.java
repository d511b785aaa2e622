package dev.muster.engine.partition;

import dev.muster.core.RecordTime;
import dev.muster.core.TimestampWindow;
import dev.muster.core.TopicSettings;
import dev.muster.engine.partition.RefusedBatchException.Reason;
import dev.muster.store.batch.BatchHeader;
import java.util.function.LongConsumer;

/**
 * Checks the timestamps of one batch as Kafka's broker does. Takes the timestamp delta of each record in order;
 * {@link #finish} then refuses the batch, or corrects the largest timestamp in its header.
 */
final class TimestampCheck implements LongConsumer {
    private final boolean isChecked;
    private final long base;
    private final long earliest;
    private final long latest;
    private long max = TimestampWindow.NO_TIMESTAMP;
    private int index;
    private RefusedBatchException refusal;

    TimestampCheck(TopicSettings settings, long nowMs, long baseTimestamp) {
        isChecked = settings.recordTime() == RecordTime.CREATE;
        base = baseTimestamp;
        earliest = settings.timestampWindow().earliest(nowMs);
        latest = settings.timestampWindow().latest(nowMs);
    }

    /** Starts again with the first record. */
    void restart() {
        max = TimestampWindow.NO_TIMESTAMP;
        index = 0;
        refusal = null;
    }

    @Override
    public void accept(long delta) {
        if (!isChecked || refusal != null) {
            return;
        }
        long timestamp = base + delta;
        boolean overflows = ((base ^ timestamp) & (delta ^ timestamp)) < 0;
        if (overflows) {
            refuse("the timestamp of record " + index + " overflows: base timestamp " + base + ", delta " + delta);
        } else if (timestamp != TimestampWindow.NO_TIMESTAMP && (timestamp < earliest || timestamp > latest)) {
            refuse("timestamp " + timestamp + " of record " + index + " is out of range, " + earliest + " to " + latest
                    + " is allowed");
        }
        max = Math.max(max, timestamp);
        index++;
    }

    /**
     * Keeps the first refusal for {@link #finish}. A batch that cannot be read is refused for that first, as in Kafka.
     */
    private void refuse(String message) {
        refusal = new RefusedBatchException(Reason.INVALID_TIMESTAMP, message);
    }

    /**
     * Ends the check, after the last record.
     *
     * @throws RefusedBatchException if a record has a timestamp that the topic does not allow
     */
    void finish(byte[] batch, int at) {
        if (refusal != null) {
            throw refusal;
        }
        if (isChecked && BatchHeader.maxTimestamp(batch, at) != max) {
            BatchHeader.setMaxTimestamp(batch, at, max);
        }
    }
}
