package dev.muster.embedded;

import java.time.Instant;
import java.util.Objects;

/** Where in each partition a reader begins. Partitions that are added later are read from their first record. */
public sealed interface Start {
    /** At the first record that is there. */
    static Start earliest() {
        return new Earliest();
    }

    /** Behind the last record that is there: only what comes from now on. */
    static Start latest() {
        return new Latest();
    }

    /** At this offset of each partition; negative: so many records before the end, or at the first one there is. */
    static Start offset(long offset) {
        return new AtOffset(offset);
    }

    /** At the first record with this timestamp or a later one; at the end when there is none. */
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
