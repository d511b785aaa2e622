package dev.muster.embedded;

import dev.muster.core.MusterException;
import dev.muster.core.TopicPartition;

/** A codec refused the bytes of a record. The reader stays at this record. */
public final class UndecodableRecordException extends MusterException {
    private final TopicPartition partition;
    private final long offset;

    public UndecodableRecordException(TopicPartition partition, long offset, String part, RuntimeException cause) {
        super(
                "the " + part + " of " + partition + "@" + offset + " cannot be decoded: " + cause.getMessage(),
                "read it with another codec, or seek to " + (offset + 1) + " to skip it",
                cause);
        this.partition = partition;
        this.offset = offset;
    }

    public TopicPartition partition() {
        return partition;
    }

    public long offset() {
        return offset;
    }
}
