package dev.muster.core;

/** The clock from which a record's timestamp is taken. The names are Kafka's. */
public enum RecordTime {
    /** The producer's clock, at the time when it made the record. */
    CREATE("CreateTime"),
    /** The log's clock, at the time of the append; the same timestamp for all records of a batch. */
    LOG_APPEND("LogAppendTime");

    private final String text;

    RecordTime(String text) {
        this.text = text;
    }

    public static RecordTime parse(String text) {
        for (RecordTime time : values()) {
            if (time.text.equals(text)) {
                return time;
            }
        }
        throw new MusterException("unknown time of records \"" + text + "\"", "use CreateTime or LogAppendTime");
    }

    @Override
    public String toString() {
        return text;
    }
}
