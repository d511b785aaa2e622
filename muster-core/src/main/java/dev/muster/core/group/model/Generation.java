package dev.muster.core.group.model;

import dev.muster.core.TopicPartition;
import java.util.Optional;
import java.util.SortedMap;

/**
 * One generation, remembered for {@code timeline} and {@code explain}.
 *
 * @param at wall time in milliseconds, for people
 * @param moves partitions whose target changed, or that their owner had to let go of because their offsets were set by
 *     hand; a partition without a move stayed where it was
 */
public record Generation(
        long number, long at, String cause, String assignor, String reason, SortedMap<TopicPartition, Move> moves) {
    /** Stands in place of an assignor's name where nothing was assigned. */
    public static final String NO_ASSIGNOR = "none";

    /**
     * @param from who should own it before; empty: nobody
     * @param to who should own it from now on; empty: nobody
     * @param freedAt when it had no owner any more, 0: not yet. Of one that nobody had, or that its owner was given
     *     back before it let go: when the generation was made
     * @param takenAt when the new owner got it, 0: not yet
     */
    public record Move(Optional<MemberId> from, Optional<MemberId> to, long freedAt, long takenAt) {}

    public Generation with(TopicPartition partition, Move move) {
        return new Generation(
                number, at, cause, assignor, reason, SharedMap.copyOf(moves).with(partition, move));
    }
}
