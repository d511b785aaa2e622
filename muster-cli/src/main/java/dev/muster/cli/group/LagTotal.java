package dev.muster.cli.group;

import dev.muster.cli.text.Spans;
import dev.muster.cli.text.Table.Shown;
import dev.muster.core.Counts;
import dev.muster.embedded.admin.Groups.Lag;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The lag of several partitions together.
 *
 * @param records the lag of the partitions that have a commit
 * @param known the number of partitions with a commit
 * @param unknown the number of partitions without a commit
 * @param behind the largest lag in time; empty if it is known for no partition
 */
public record LagTotal(long records, int known, int unknown, Optional<Duration> behind) {
    public static LagTotal of(List<Lag> lags) {
        long records = lags.stream().mapToLong(lag -> lag.lag().orElse(0)).sum();
        int known = (int) lags.stream().filter(lag -> lag.lag().isPresent()).count();
        Optional<Duration> behind =
                lags.stream().flatMap(lag -> lag.behind().stream()).max(Duration::compareTo);
        return new LagTotal(records, known, lags.size() - known, behind);
    }

    /** {@code 12}; {@code 12+?} if some partitions have no commit; a dash if none has. */
    Shown shownRecords() {
        if (known == 0) {
            return Shown.NONE;
        }
        return new Shown(records, unknown == 0 ? Long.toString(records) : records + "+?");
    }

    Shown shownBehind() {
        return behind.map(span -> new Shown(span.toMillis(), Spans.show(span))).orElse(Shown.NONE);
    }

    /** The text for a sentence: {@code lag 12, 0.3 s behind, 2 partitions without a commit}. */
    public String text() {
        return (known == 0 ? "lag not known" : "lag " + records)
                + behind.map(span -> ", " + Spans.show(span) + " behind").orElse("")
                + (unknown == 0 ? "" : ", " + Counts.of(unknown, "partition") + " without a commit");
    }
}
