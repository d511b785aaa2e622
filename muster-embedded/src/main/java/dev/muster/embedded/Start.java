package dev.muster.embedded;

import java.time.Instant;
import java.util.Objects;

/** The place in each partition at which a reader begins. Partitions added later are read from their first record. */
public sealed interface Start {
    /** At the first record of the log. */
    static Start earliest() {
        return new Earliest();
    }

    /** Behind the last record of the log: only later records are read. */
    static Start latest() {
        return new Latest();
    }

    /**
     * At this offset of each partition.
     *
     * @param offset offset of the first record to read; if negative, number of records before the end, at most as many
     *     as the log has
     */
    static Start offset(long offset) {
        return new AtOffset(offset);
    }

    /** At the first record with this timestamp or a later one; at the end if there is none. */
    static Start time(Instant time) {
        return new AtTime(time);
    }

    record Earliest() implements Start {}

    record Latest() implements Start {}

    record AtOffset(long offset) implements Start {}

    record AtTime(Instant time) implements Start {
        public AtTime {
            Objects.requireNonNull(time, "time");
        }
    }
}
