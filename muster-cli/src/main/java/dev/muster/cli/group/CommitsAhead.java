package dev.muster.cli.group;

import dev.muster.embedded.admin.Groups.Lag;
import java.util.List;

/**
 * Commits beyond the end of the log: the directory, or a part of it, is older than the records that the group has read.
 */
final class CommitsAhead {
    private CommitsAhead() {}

    /** A sentence for each partition whose commit is beyond the end of its log. */
    static List<String> in(List<Lag> lags) {
        return lags.stream()
                .filter(CommitsAhead::isAhead)
                .map(CommitsAhead::text)
                .toList();
    }

    /** The number of records by which the commit is ahead; 0 if it is not. */
    static long records(Lag lag) {
        return isAhead(lag) ? lag.committed().getAsLong() - lag.end() : 0;
    }

    private static boolean isAhead(Lag lag) {
        return lag.committed().isPresent() && lag.committed().getAsLong() > lag.end();
    }

    private static String text(Lag lag) {
        return lag.partition() + ": the committed offset " + lag.committed().getAsLong()
                + " is beyond the end of the log, " + lag.end()
                + ": an older copy was restored, or a power cut took records; members continue at " + lag.end();
    }
}
