package dev.muster.engine.group.member;

import dev.muster.core.group.model.CommittedOffset;
import dev.muster.store.DamagedLogException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;
import java.lang.System.Logger.Level;

/**
 * Finds the position in a log that a committed offset stands for. After a power cut a log without sync may have lost
 * committed records. New records may have got their offsets, with a higher leader epoch. Then reading continues at the
 * first of the new records, so that none is skipped.
 */
final class CommittedPlace {
    private static final System.Logger LOG = System.getLogger(CommittedPlace.class.getName());
    private static final int UNKNOWN = -1;

    private final PartitionLog log;

    private CommittedPlace(PartitionLog log) {
        this.log = log;
    }

    /** The offset of the next record to process, or the nearest offset in the log. */
    static long in(PartitionLog log, CommittedOffset commit) {
        return new CommittedPlace(log).find(commit);
    }

    private long find(CommittedOffset commit) {
        long end = log.endOffset();
        // Read after the end, which never decreases below the start.
        long start = log.startOffset();
        if (commit.offset() > end) {
            LOG.log(
                    Level.WARNING,
                    "{0}-{1}: the committed offset {2} is beyond the end of the log; reading continues at its end, {3}."
                            + " The records before it are gone: an older copy was restored, or a power cut took them",
                    log.topic().name(),
                    log.partition(),
                    commit.offset(),
                    end);
            return end;
        }
        if (commit.offset() <= start) {
            return start;
        }
        return commit.leaderEpoch() < 0 ? commit.offset() : endOfEpoch(start, commit);
    }

    private long endOfEpoch(long start, CommittedOffset commit) {
        try (LogReader reader = log.reader(commit.offset() - 1)) {
            if (epochAt(reader, commit.offset() - 1) <= commit.leaderEpoch()) {
                return commit.offset();
            }
            // Epochs only rise, so a binary search finds the first record of a later epoch.
            long low = start;
            long high = commit.offset() - 1;
            while (low < high) {
                long middle = low + (high - low) / 2;
                if (epochAt(reader, middle) > commit.leaderEpoch()) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            LOG.log(
                    Level.WARNING,
                    "{0}-{1}: records below the committed offset {2} are gone: an older copy was restored, or a power"
                            + " cut took them. Other records have their offsets from {3} on; reading continues there",
                    log.topic().name(),
                    log.partition(),
                    commit.offset(),
                    high);
            return high;
        } catch (OffsetOutOfRangeException | DamagedLogException e) {
            // The epoch is unknown. Reading will fail in the same place, and report it.
            return commit.offset();
        }
    }

    private static int epochAt(LogReader reader, long offset) {
        reader.seek(offset);
        LogSlice slice = reader.read(1);
        return slice.isEmpty()
                ? UNKNOWN
                : BatchHeader.leaderEpoch(
                        slice.bytes().array(),
                        slice.bytes().arrayOffset() + slice.bytes().position());
    }
}
