package dev.muster.core;

/** Whose clock the time of a record is read from. The names are Kafka's. */
public enum RecordTime {
    /** The producer's, when it made the record. */
    CREATE("CreateTime"),
    /** The log's, when it gave the record its place; the same for all records of a batch. */
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
