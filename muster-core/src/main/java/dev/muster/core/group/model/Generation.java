package dev.muster.core.group.model;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import java.util.Optional;
import java.util.SortedMap;

/**
 * One generation, remembered for {@code timeline} and {@code explain}.
 *
 * @param at wall time in milliseconds, for people
 * @param moves partitions whose target changed, or whose owner had to release them because of an offset reset; a
 *     partition without a move stayed with its owner
 */
public record Generation(
        long number, long at, String cause, String assignor, String reason, SortedMap<TopicPartition, Move> moves) {
    /** The assignor's name in a generation that no assignor made. */
    public static final String NO_ASSIGNOR = "none";

    /**
     * @param from member that should own the partition before; empty if none
     * @param to member that should own the partition from now on; empty if none
     * @param freedAt time at which the partition lost its owner, or 0 if it still has one; the time of the generation
     *     if it had none, or if its owner got it back before it released it
     * @param takenAt time at which the new owner got it, or 0 if it has not yet
     */
    public record Move(Optional<MemberId> from, Optional<MemberId> to, long freedAt, long takenAt) {}

    public Generation with(TopicPartition partition, Move move) {
        return new Generation(
                number, at, cause, assignor, reason, SharedMap.copyOf(moves).with(partition, move));
    }
}
