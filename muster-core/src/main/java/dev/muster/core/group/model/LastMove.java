package dev.muster.core.group.model;

/**
 * The newest generation that changed the target of a partition. It is remembered for as long as the partition exists,
 * even when {@link dev.muster.core.group.Group#history()} has forgotten that generation.
 *
 * @param at wall time of the generation, for people
 */
public record LastMove(long generation, long at, String cause, String assignor, String reason, Generation.Move move) {
    public LastMove(Generation generation, Generation.Move move) {
        this(
                generation.number(),
                generation.at(),
                generation.cause(),
                generation.assignor(),
                generation.reason(),
                move);
    }

    public LastMove with(Generation.Move changed) {
        return new LastMove(generation, at, cause, assignor, reason, changed);
    }
}
