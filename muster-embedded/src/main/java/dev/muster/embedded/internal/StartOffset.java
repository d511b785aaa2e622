package dev.muster.embedded.internal;

import dev.muster.core.TimestampWindow;
import dev.muster.embedded.Start;
import dev.muster.store.PartitionLog;
import dev.muster.store.PartitionLog.OffsetAndTimestamp;
import java.time.Instant;

/** Computes the offset that a {@link Start} stands for in a log at this moment. */
final class StartOffset {
    private StartOffset() {}

    static long of(Start start, PartitionLog log) {
        return switch (start) {
            case Start.Earliest() -> log.startOffset();
            case Start.Latest() -> log.endOffset();
            case Start.AtOffset(long offset) when offset >= 0 -> offset;
            case Start.AtOffset(long back) -> Math.max(log.startOffset(), log.endOffset() + back);
            case Start.AtTime(Instant time) ->
                log.firstAtOrAfter(TimestampWindow.millis(time))
                        .map(OffsetAndTimestamp::offset)
                        .orElseGet(log::endOffset);
        };
    }
}
